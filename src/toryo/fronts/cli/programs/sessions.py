"""The verbs of `toryo session`: how an outside orchestrator records the runs of its own workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import whose
from toryo.fronts.text.output import facts, one_line, plain, print_json, word

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.sessions import EndedSession, ListedSessions

PREPARED_WITHIN_S = 90
DOD_RESULTS = ("pending", "merged", "timeout", "error")


def _declare_start(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", help="a task, or the beginning of its id")
    parser.add_argument("--agent", required=True, metavar="NAME", help="the agent that works")
    parser.add_argument("-q", "--quiet", action="store_true", help="print the session's id and nothing else")
    verb(
        parser,
        start,
        "toryo session start t3kd92m1 --agent coder",
        "id=$(toryo session start t3kd92m1 --agent coder --quiet)",
        hands=True,
        json=True,
    )


def _declare_end(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="ID", help="what `toryo session start` printed")
    parser.add_argument("--exit-code", type=_code, metavar="N", help="the worker's")
    parser.add_argument("--signal", default="", metavar="S", help="that ended it: SIGTERM, SIGKILL, …")
    parser.add_argument(
        "--dod-result",
        default="",
        choices=("", *DOD_RESULTS),
        metavar="R",
        help=f"{', '.join(DOD_RESULTS)}; a claim: Toryo looks for itself",
    )
    parser.add_argument("--artifacts", type=_paths, default=[], metavar="JSON", help="a list of paths")
    parser.add_argument("--error", default="", metavar="TEXT", help="what went wrong")
    verb(
        parser,
        end,
        "toryo session end r8w2kq0z --exit-code 0",
        "toryo session end r8w2kq0z --exit-code 0 --dod-result merged",
        """toryo session end r8w2kq0z --exit-code 0 --artifacts '["dist/a.js"]'""",
        "toryo session end r8w2kq0z --signal SIGKILL --error 'out of memory'",
        hands=True,
        json=True,
    )


def _declare_list(parser: argparse.ArgumentParser) -> None:
    project_option(parser)
    verb(parser, listed, "toryo session list", reads=True)


VERBS: Group = {
    "list": ("agents that somebody else started, with their tasks", _declare_list),
    "start": ("begin a run of your own worker; Toryo makes its worktree", _declare_start),
    "end": ("say how that worker ended; Toryo verifies and lands its commits", _declare_end),
}


def _code(text: str) -> int:
    import argparse

    if not text.isdecimal() or int(text) > 255:
        raise argparse.ArgumentTypeError(f"{text!r} is no exit code (0 to 255)")
    return int(text)


def _paths(text: str) -> list[str]:
    import json
    from argparse import ArgumentTypeError

    try:
        said = json.loads(text) if text.strip() else []
    except json.JSONDecodeError as bad:
        told = f"line {bad.lineno}, column {bad.colno}: it is no JSON: {bad.msg}"
        raise ArgumentTypeError(told) from None
    except RecursionError:
        raise ArgumentTypeError("it is nested too deeply") from None
    if not isinstance(said, list):
        raise ArgumentTypeError("it must be a list of paths in JSON")
    for number, one in enumerate(said, 1):
        if not isinstance(one, str):
            raise ArgumentTypeError(f"entry {number}: must be text")
    return said


def listed(args: argparse.Namespace, desk: Desk) -> int:
    answer: ListedSessions = desk.call("list_sessions", whose(args, desk) if args.project else {})
    if args.json:
        print_json(answer)
        return 0
    if not answer["sessions"]:
        print("Nobody else has started an agent.")
    for one in answer["sessions"]:
        what = f"{one['task']}  {one['title']}" if one["task"] else "no task yet"
        print(one_line(f"{one['session']}  {one['agent']}  {one['project_name']}  {what}"))
    return 0


def start(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call(
        "start_session",
        {"task": args.task, "agent": args.agent},
        timeout_s=PREPARED_WITHIN_S,
        what="preparing the worktree",
    )
    if args.json:
        print_json(answer)
    elif args.quiet:
        print(answer["session"])
    else:
        pairs = ((name, answer.get(name)) for name in ("session", "task", "worktree", "branch"))
        print(facts(pairs))
        print(f"\nWhen the worker has ended: toryo session end {answer['session']} --exit-code N")
    return 0


def end(args: argparse.Namespace, desk: Desk) -> int:
    if args.exit_code is None and not args.signal:
        raise UsageError("How did the worker end?", hint="Give --exit-code N, or --signal SIGKILL.")
    told = {
        "session": args.session,
        "exit_code": args.exit_code,
        "signal": args.signal,
        "dod_result": args.dod_result,
        "artifacts": args.artifacts,
        "error": args.error,
    }
    answer: EndedSession = desk.call(
        "end_session", {name: said for name, said in told.items() if said not in ("", [])}
    )
    if args.json:
        print_json(answer)
        return 0
    late = " It had ended already; what you said is kept as late." if answer.get("late") else ""
    reason = f" ({plain(str(answer['reason']))})" if answer.get("reason") else ""
    print(f"{answer['session']} has ended; {answer['task']} is {word(str(answer['status']))}{reason}.{late}")
    return 0
