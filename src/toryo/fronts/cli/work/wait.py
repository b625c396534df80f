"""The verb `task wait`: blocks until tasks are at rest, through restarts of the daemon."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import seconds, verb
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.text.output import Progress, one_line, plain, print_json, word

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.protocol.views.tasks import AwaitedTask, AwaitedTasks, NeedsPerson

POLL_S = 25.0


def declare_wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tasks", metavar="ID", nargs="+", help="tasks, or the beginnings of their ids")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="give up after so many seconds")
    verb(
        parser,
        wait,
        "toryo task wait t3kd92m1",
        "toryo task wait t3kd92m1 t5a --timeout 600",
        reads=True,
        hands=True,
    )


def wait(args: argparse.Namespace, desk: Desk) -> int:
    begun = time.monotonic()
    end = begun + args.timeout if args.timeout else float("inf")
    with Progress("waiting") as progress:
        told: dict[str, str] = {}
        answer: AwaitedTasks = desk.call_through(
            "wait_tasks", {"tasks": args.tasks, "timeout_s": 0.0}, timeout_s=15
        )
        while not answer["all_at_rest"] and (left := end - time.monotonic()) > 0:
            progress.what = "waiting: " + _summary(answer["tasks"])
            _tell(answer["tasks"], told)
            wait_s = min(left, POLL_S)
            # what changes between two questions is answered at once
            seen = {task["id"]: f"{task['status']}:{task['reason']}" for task in answer["tasks"]}
            asked = {"tasks": args.tasks, "timeout_s": wait_s, "seen": seen}
            answer = desk.call_through("wait_tasks", asked, timeout_s=wait_s + 15, on_wait=progress.tick)
    done = all(task["status"] == "done" for task in answer["tasks"])
    if args.json:
        print_json(answer)
    else:
        for task in answer["tasks"]:
            why = task.get("detail") or task.get("reason") or ""
            print(f"{task['id']}  {word(task['status'])}" + (f"  {plain(one_line(why))}" if why else ""))
    if not answer["all_at_rest"]:
        print(_given_up(args.timeout, answer["tasks"]), file=sys.stderr)
    return 0 if done else 1


def _tell(tasks: list[AwaitedTask], told: dict[str, str]) -> None:
    """Once per change: what only a person moves on, and the lines to type; a pipe gets it too."""
    for task in tasks:
        needs = task.get("needs_you")
        text = _needed(task, needs, which=": ") if needs else ""
        if needs and told.get(task["id"]) != text:
            lines = needs.get("lines") or [needs["type"]]
            begin = "\r\033[K" if sys.stderr.isatty() else ""  # over the line of the progress
            shown = "".join(f"\n  → {plain(mended(str(line)))}" for line in lines)
            print(f"{begin}{text}{shown}", file=sys.stderr, flush=True)
        told[task["id"]] = text


def _needed(task: AwaitedTask, needs: NeedsPerson, which: str) -> str:
    own = needs.get("task") in (None, task["id"])
    who = "waits for you" if own else f"waits for {plain(str(needs['task']))}, which waits for you"
    why = f" ({one_line(str(needs['why']))})" if needs.get("why") else ""
    return f"{plain(str(task['id']))} {who}{which}{word(str(needs.get('status') or task['status']))}{why}"


def _given_up(after: float, tasks: list[AwaitedTask]) -> str:
    waiting = [
        f"{_needed(task, needs, which=', ')} → {plain(str(needs['type']))}"
        for task in tasks
        if (needs := task.get("needs_you"))
    ]
    return f"Not at rest after {after:g} s" + (": " + "; ".join(waiting) if waiting else ".")


def _summary(tasks: list[AwaitedTask]) -> str:
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task["status"]] = counts.get(task["status"], 0) + 1
    return ", ".join(f"{number} {status}" for status, number in counts.items())
