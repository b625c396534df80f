"""The verbs of `toryo mission`: look at missions, follow them, and say what a person wants of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import Refused
from toryo.fronts.cli.choices import MISSION_STATUSES
from toryo.fronts.cli.missions.words import MISSION_HELP, verbs_of_words
from toryo.fronts.cli.parsing import count, place, project_option, seconds, verb
from toryo.fronts.client import inner, whose
from toryo.fronts.text.output import one_line, print_json, table

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.missions import ListedMissions, MissionView


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--status", choices=MISSION_STATUSES, metavar="S", help=f"only those: {', '.join(MISSION_STATUSES)}"
    )
    parser.add_argument("--limit", type=count, default=50, metavar="N", help="so many (default: 50)")
    parser.add_argument("--after", type=place, metavar="SEQ", help="go on where the last page ended")
    project_option(parser)
    parser.add_argument("--all", action="store_true", help="of every project")
    verb(parser, list_missions, "toryo mission list", "toryo mission list --status active --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mission", metavar="ID", help=MISSION_HELP)
    verb(parser, show, "toryo mission show n3kd92m1", "toryo mission show n3k --json", reads=True)


def _declare_wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mission", metavar="ID", help=MISSION_HELP)
    parser.add_argument("--timeout", type=seconds, metavar="S", help="give up after so many seconds")
    verb(
        parser,
        wait,
        "toryo mission wait n3kd92m1",
        "toryo mission wait n3k --timeout 600 --json",
        reads=True,
        hands=True,
    )


def _declare_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mission", metavar="ID", help=MISSION_HELP)
    parser.add_argument("--to", default="", metavar="DIR", help="write there (default: its directory)")
    parser.add_argument("--force", action="store_true", help="write over files that say something else")
    verb(
        parser,
        export,
        "toryo mission export n3kd92m1",
        "toryo mission export n3kd92m1 --to /tmp/spec --force",
        json=True,
    )


VERBS: Group = {
    "list": ("the missions of the project here", _declare_list),
    "show": ("everything about a mission: questions, spec, plan, tasks, conversation", _declare_show),
    "wait": ("follow it until it is at rest; exit 0 only if it is completed", _declare_wait),
    **verbs_of_words(),
    "export": ("write its spec, plan and tasks into files, uncommitted", _declare_export),
}


def list_missions(args: argparse.Namespace, desk: Desk) -> int:
    where = {} if args.all else whose(args, desk)
    wanted = {"status": args.status, "limit": args.limit, "after_seq": args.after}
    answer: ListedMissions = desk.call("list_missions", {**where, **wanted})
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (one["id"], one["status"], one_line(one["detail"] or one["reason"]), one["target"], one["title"])
        for one in answer["missions"]
    ]
    if rows:
        print(table(("id", "status", "because", "lands on", "title"), rows, elastic=2, spare=(3,)))
    else:
        print(
            f'No missions{f" are {args.status}" if args.status else ""}. Start one: toryo do "what you want"'
        )
    if answer["more"]:
        print(f"… more: {_same_list(args)} --after {answer['next_after']}")
    return 0


def _same_list(args: argparse.Namespace) -> str:
    words = ["toryo mission list"]
    words += [f"--status {args.status}"] if args.status else []
    words += [f"--project {args.project}"] if args.project else []
    words += ["--all"] if args.all else []
    words += [f"--limit {args.limit}"] if args.limit != 50 else []
    return " ".join(words)


def show(args: argparse.Namespace, desk: Desk) -> int:
    mission: MissionView = inner(desk.call("show_mission", {"mission": args.mission}), "mission")
    if args.json:
        print_json(mission)
        return 0
    from toryo.fronts.cli.missions import mission_page
    from toryo.fronts.text import pager

    pager.page(mission_page.page(mission) + "\n")
    return 0


def wait(args: argparse.Namespace, desk: Desk) -> int:
    """Passive: it asks nothing, and says what to type where the mission waits for somebody."""
    from toryo.fronts.cli.missions import chat
    from toryo.fronts.cli.missions.conversation import Conversation
    from toryo.fronts.cli.missions.do import interrupted, leave
    from toryo.fronts.cli.missions.model import hand_over_settings

    hand_over_settings(desk)
    now: MissionView = inner(desk.call("show_mission", {"mission": args.mission}), "mission")
    following = Conversation(desk, now["id"], talks=not args.json, seen=chat.newest(now["messages"]))
    try:
        now = following.follow(args.timeout or 0)
    except KeyboardInterrupt:
        return interrupted(now["id"])
    if args.json:
        print_json(now)
    return leave(now, as_json=args.json)


def export(args: argparse.Namespace, desk: Desk) -> int:
    from toryo.fronts.cli.missions.exported_files import export as write_files

    now: MissionView = inner(desk.call("show_mission", {"mission": args.mission}), "mission")
    if now["plan"] is None:
        hint = f"`toryo mission wait {now['id']}` follows it, and says what it waits for."
        raise Refused(f"{now['id']} has no plan yet.", hint=hint)
    written = write_files(desk, now["id"], now["project"], args.to, force=args.force)
    if args.json:
        print_json({"mission": now["id"], "wrote": written})
        return 0
    for path in written:
        print(f"wrote {path}")
    print("Nothing was committed.")
    return 0
