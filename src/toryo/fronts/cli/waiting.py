"""The verb `task wait`: blocks until tasks are at rest, through restarts of the daemon."""

from __future__ import annotations

import sys
import time

from toryo.domain.errors import Unavailable
from toryo.fronts.cli.parsing import seconds, verb
from toryo.fronts.cli.showing import Progress, one_line, plain, print_json, word
from toryo.protocol.wire import WireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

POLL_S = 25.0
GONE_FOR_S = 30.0
"""How long the daemon may be away: a person's `down` must not be undone by a waiting command."""


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
            answer = _ask(desk, args.tasks, min(left, POLL_S), progress)
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


def _ask(desk: Desk, tasks: list[str], wait_s: float, progress: Progress) -> dict[str, Any]:
    """The next answer, also from a daemon that is being restarted meanwhile."""
    arguments = {"tasks": tasks, "timeout_s": wait_s}
    gone_since: float | None = None
    while True:
        try:
            return desk.call_if_there("wait_tasks", arguments, timeout_s=wait_s + 15, on_wait=progress.tick)
        except WireError as error:
            now = time.monotonic()
            gone_since = gone_since or now
            if now - gone_since > GONE_FOR_S:
                raise Unavailable(
                    f"The daemon has been away for {GONE_FOR_S:g} s.",
                    hint=f"`toryo up`, then `toryo task wait {' '.join(tasks)}`",
                ) from error
            progress.tick()
            time.sleep(0.1)
            arguments["timeout_s"] = 0.0  # what changed meanwhile is told at once


def _summary(tasks: list[dict[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task["status"]] = counts.get(task["status"], 0) + 1
    return ", ".join(f"{number} {status}" for status, number in counts.items())
