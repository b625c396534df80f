"""The verb `do`: from one sentence to finished work, with one batch of questions and one approval."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.checkouts import top_of_project
from toryo.fronts.cli.missions import chat, plan_page
from toryo.fronts.cli.missions.requests import BUDGET_HELP, budget_of, folder_in, text_of
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import whose_branch
from toryo.fronts.text import questions
from toryo.fronts.text.output import one_line, paint, plain, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from toryo.fronts.client import Desk
    from toryo.protocol.views.missions import MissionView, PlannedTaskView, StartedMission

START_S = 90.0
INTERRUPTED = 130
NEEDS_YOU = "needs_you"
WAITS_FOR_PERSON = ("needs_review", "failed", "open")
BEHIND = "dependency"
"""So begin the reasons of a task that waits for another one."""


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT", help="what you want; - reads standard input")
    parser.add_argument("--file", metavar="F", help="read what you want from a file")
    parser.add_argument("--defaults", action="store_true", help="take the default of every question")
    parser.add_argument("--yes", "-y", action="store_true", help="approve the plan as it is")
    parser.add_argument(
        "--plan-only", action="store_true", help="stop at the plan; its files are written here"
    )
    parser.add_argument("--no-wait", action="store_true", help="come back as soon as the request is stored")
    parser.add_argument(
        "--from", dest="taken_from", metavar="DIR", help="take in a spec-kit folder, as it is on the branch"
    )
    parser.add_argument("--onto", metavar="BRANCH", help="land on it (default: the branch checked out here)")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--follow", metavar="ID", help="go on from a mission that has ended")
    one.add_argument("--new", action="store_true", help="it continues no other mission")
    parser.add_argument("--budget", action="append", default=[], metavar="KEY=N", help=BUDGET_HELP)
    project_option(parser)
    verb(
        parser,
        do,
        'toryo do "add rate limiting to the API"',
        "toryo do --file request.md --budget tokens=500000",
        'toryo do "mend the login form" --defaults --yes --json',
        'toryo do "how would you split the parser?" --plan-only',
        "toryo do --from specs/001-rate-limits",
        hands=True,
        json=True,
    )


def do(args: argparse.Namespace, desk: Desk) -> int:
    wish = _wish(args)
    from toryo.fronts.cli.missions.first_project import project_here
    from toryo.fronts.cli.missions.model import hand_over_settings

    project = project_here(args, desk)
    if args.taken_from:
        wish["taken_from"] = folder_in(top_of_project(str(project["path"]), desk.path), args.taken_from)
    hand_over_settings(desk)
    started: StartedMission = desk.call(
        "start_mission",
        {**whose_branch(args, desk, str(project["id"])), **wish},
        timeout_s=START_S,
        what="storing the request",
    )
    if not args.json:
        print(f"{started['mission']}  lands on {plain(started['target'])}")
        for note in started["notes"]:
            print(f"note: {one_line(note)}")
    if args.no_wait:
        return _left(args, desk, started)
    try:
        return _finish(args, desk, _converse(args, desk, started["mission"]))
    except KeyboardInterrupt:
        return interrupted(started["mission"])


def _wish(args: argparse.Namespace) -> dict[str, Any]:
    """What `start_mission` is asked, besides where."""
    if args.no_wait and (args.defaults or args.yes):
        raise UsageError(
            "--no-wait leaves before there is anything to answer or to approve.",
            hint="Leave it out, or set `toryo config set approval auto`.",
        )
    wish = {
        "text": text_of(args),
        "onto": args.onto,
        "follow": args.follow,
        "budget": budget_of(args.budget) or None,
        "plan_only": args.plan_only or None,
        "new": args.new or None,
    }
    return {name: value for name, value in wish.items() if value is not None}


def _converse(args: argparse.Namespace, desk: Desk, mission: str) -> MissionView:
    from toryo.fronts.cli.missions.conversation import Conversation, is_here

    return Conversation(
        desk,
        mission,
        asks=is_here() and not args.json,
        defaults=args.defaults,
        yes=args.yes,
        plan_only=args.plan_only,
        talks=not args.json,
    ).follow()


def _left(args: argparse.Namespace, desk: Desk, started: StartedMission) -> int:
    mission = started["mission"]
    if args.json:
        print_json(brief(desk.call("show_mission", {"mission": mission})["mission"]))
    else:
        print("It is stored. " + look_again(mission))
    return 0


def _finish(args: argparse.Namespace, desk: Desk, now: MissionView) -> int:
    """Print how it stands; the exit code."""
    from toryo.fronts.cli.missions.conversation import awaits_approval

    is_sound = now["plan"] is not None and not now["plan"]["faults"]
    is_planned = (args.plan_only or now["plan_only"]) and awaits_approval(now) and is_sound
    written: list[str] = []
    if is_planned:
        from toryo.fronts.cli.missions.exported_files import export

        written = export(desk, now["id"], now["project"])
    if args.json:
        print_json(brief(now))
    elif is_planned:
        for path in written:
            print(f"wrote {path}")
        print("It is planned, and nothing is started. To start it: toryo mission approve " + now["id"])
    if is_planned:
        return 0
    return leave(now, as_json=args.json)


def leave(now: MissionView, *, as_json: bool) -> int:
    """How the mission stands when this command ends: 0 if it is completed, else the lines to type."""
    is_completed = now["status"] == "completed"
    if not as_json:
        print("\n".join(chat.ended(now)))
    if not is_completed:
        for line in what_next(now, in_words=not as_json):
            print(line, file=sys.stderr if as_json else sys.stdout)
    return 0 if is_completed else 1


def what_next(now: MissionView, *, in_words: bool = True) -> list[str]:
    """What it waits for, with the lines to type."""
    from toryo.fronts.cli.missions.conversation import awaits_approval

    shown: list[str] = []
    lines = chat.actions(now)
    if asked := questions.open_questions(now):
        shown = [questions.batch(asked)] if in_words else []
        lines = questions.lines_to_type(now["id"], asked)
    elif awaits_approval(now):
        lines = plan_page.lines_to_type(now)
        shown = (
            []
            if in_words or not now["plan"]
            else [f"fault: {one_line(one)}" for one in now["plan"]["faults"]]
        )
    elif now["reason"] == NEEDS_YOU and now["plan"]:
        lines = [*(f"toryo why {task}" for task in _stuck(now["plan"]["tasks"])), *lines]
    return [*shown, *(f"  → {paint(plain(line), 'cyan')}" for line in lines)]


def _stuck(tasks: Sequence[PlannedTaskView]) -> list[str]:
    """Those that a person moves on; of the blocked ones the first for each reason."""
    found = [one["task"] for one in tasks if one["status"] in WAITS_FOR_PERSON]
    blocked = [one for one in tasks if one["status"] == "blocked" and not one["reason"].startswith(BEHIND)]
    by_reason = {one["reason"]: one["task"] for one in reversed(blocked)}
    return [task for task in (*found, *reversed(by_reason.values())) if task]


def brief(mission: MissionView) -> dict[str, Any]:
    """The answer of `do --json`."""
    plan = mission["plan"]
    return {
        "mission": mission["id"],
        "status": mission["status"],
        "reason": mission["reason"],
        "spec": mission["spec"],
        "tasks": plan["tasks"] if plan else [],
    }


def look_again(mission: str) -> str:
    return f"Look again: toryo mission wait {mission}, or toryo mission show {mission}"


def interrupted(mission: str) -> int:
    """Ctrl-C ends the command, not the work."""
    print(f"\n{mission} goes on without you. {look_again(mission)}", file=sys.stderr)
    print(
        f"To stop it: toryo mission pause {mission} --now, or toryo mission cancel {mission}", file=sys.stderr
    )
    return INTERRUPTED
