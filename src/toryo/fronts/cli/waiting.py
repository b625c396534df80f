"""The verb `task wait`: blocks until tasks are at rest, through restarts of the daemon."""

from __future__ import annotations

import sys
import time

from toryo.domain.errors import Unavailable
from toryo.fronts.cli.parsing import seconds, verb
from toryo.fronts.cli.showing import Progress, plain, print_json, status_word
from toryo.protocol.wire import WireError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

POLL_S = 25.0
POLL_ON_A_TERMINAL_S = 3.0
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
        answer = _ask(desk, args.tasks, 0.0, first=True)
        while not answer["all_at_rest"] and (left := end - time.monotonic()) > 0:
            progress.what = "waiting: " + _summary(answer["tasks"])
            poll = POLL_ON_A_TERMINAL_S if sys.stderr.isatty() else POLL_S
            answer = _ask(desk, args.tasks, min(left, poll), first=False)
    done = all(task["status"] == "done" for task in answer["tasks"])
    if args.json:
        print_json(answer)
    else:
        for task in answer["tasks"]:
            why = task.get("detail") or task.get("reason") or ""
            print(f"{task['id']}  {status_word(task['status'])}" + (f"  {plain(why)}" if why else ""))
    if not answer["all_at_rest"]:
        print(f"Not at rest after {args.timeout:g} s.", file=sys.stderr)
    return 0 if done else 1


def _ask(desk: Desk, tasks: list[str], wait_s: float, *, first: bool) -> dict[str, Any]:
    arguments = {"tasks": tasks, "timeout_s": wait_s}
    if first:
        return desk.call("wait_tasks", arguments)
    gone_since: float | None = None
    while True:
        try:
            return desk.call_if_there("wait_tasks", arguments, timeout_s=wait_s + 15)
        except WireError as error:
            now = time.monotonic()
            gone_since = gone_since or now
            if now - gone_since > GONE_FOR_S:
                raise Unavailable(
                    f"The daemon has been away for {GONE_FOR_S:g} s.",
                    hint=f"`toryo up`, then `toryo task wait {' '.join(tasks)}`",
                ) from error
            time.sleep(0.1)
            arguments["timeout_s"] = 0.0  # what changed meanwhile is told at once


def _summary(tasks: list[dict[str, Any]]) -> str:
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task["status"]] = counts.get(task["status"], 0) + 1
    return ", ".join(f"{number} {status}" for status, number in counts.items())
