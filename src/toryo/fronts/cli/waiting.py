"""The verb `task wait`: blocks until tasks are at rest, through restarts of the daemon."""

from __future__ import annotations

import sys
import time

from toryo.fronts.cli.parsing import seconds, verb
from toryo.fronts.cli.showing import Progress, one_line, plain, print_json, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

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
        answer = desk.call("wait_tasks", {"tasks": args.tasks, "timeout_s": 0.0})
        while not answer["all_at_rest"] and (left := end - time.monotonic()) > 0:
            progress.what = "waiting: " + _summary(answer["tasks"])
            wait_s = min(left, POLL_S)
            asked = {"tasks": args.tasks, "timeout_s": wait_s}
            answer = desk.call_through("wait_tasks", asked, timeout_s=wait_s + 15, on_wait=progress.tick)
    done = all(task["status"] == "done" for task in answer["tasks"])
    if args.json:
        print_json(answer)
    else:
        for task in answer["tasks"]:
            why = task.get("detail") or task.get("reason") or ""
            print(f"{task['id']}  {word(task['status'])}" + (f"  {plain(one_line(why))}" if why else ""))
    if not answer["all_at_rest"]:
        print(f"Not at rest after {args.timeout:g} s.", file=sys.stderr)
    return 0 if done else 1


def _summary(tasks: list[dict[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task["status"]] = counts.get(task["status"], 0) + 1
    return ", ".join(f"{number} {status}" for status, number in counts.items())
