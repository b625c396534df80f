"""The verbs of `toryo unit`: look at a tree, stop, pause, resume and retry a unit with all below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import whose
from toryo.fronts.text.output import one_line, paint, plain, print_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.units import SteeredUnit, UnitLine, UnitTree

UNIT_HELP = "a unit's id, as root-api, or its task's"


def _declare_tree(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", nargs="?", default="", metavar="ID", help="a unit or mission of another tree")
    project_option(parser)
    verb(parser, tree, "toryo unit tree", "toryo unit tree --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="ID", help=UNIT_HELP)
    verb(parser, show, "toryo unit show root-api", reads=True)


def _declare_stop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="ID", help=UNIT_HELP)
    verb(parser, stop, "toryo unit stop root-api", hands=True, json=True)


def _declare_pause(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="ID", help=UNIT_HELP)
    parser.add_argument("--now", action="store_true", help="stop its runs, too; they go on later")
    verb(parser, pause, "toryo unit pause root-api", hands=True, json=True)


def _declare_resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="ID", help=UNIT_HELP)
    verb(parser, resume, "toryo unit resume root-api", hands=True, json=True)


def _declare_retry(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("unit", metavar="ID", help=UNIT_HELP)
    verb(parser, retry, "toryo unit retry root-api", hands=True, json=True)


VERBS: Group = {
    "tree": ("the newest tree here: every unit, its status and why", _declare_tree),
    "show": ("everything about a unit: the page of its task", _declare_show),
    "stop": ("end a unit and all below it; what has landed stays", _declare_stop),
    "pause": ("start nothing of a unit and below it", _declare_pause),
    "resume": ("let a paused unit go on", _declare_resume),
    "retry": ("begin a unit anew, without the children it had", _declare_retry),
}


def tree(args: argparse.Namespace, desk: Desk) -> int:
    if desk.run:
        found: UnitTree = desk.call("my_tree", {})
    else:
        found = desk.call("unit_tree", {**whose(args, desk), "unit": args.unit})
    if args.json:
        print_json(found)
        return 0
    why = f" ({found['reason']})" if found["reason"] else ""
    print(f"{found['mission']}  {found['status']}{why}  {one_line(found['title'])}")
    if found["detail"]:
        print(one_line(found["detail"]))
    for line in _drawn(found["units"]):
        print(line)
    return 0


COLOURS = {"completed": "green", "error": "red", "running": "cyan"}


def _drawn(units: list[UnitLine]) -> Iterator[str]:
    """Each below its parent, in the order in which they were spawned."""
    of: dict[str | None, list[UnitLine]] = {}
    for one in units:
        of.setdefault(one["parent"], []).append(one)
    stack = [(one, 0) for one in reversed(of.get(None, []))]
    while stack:
        one, depth = stack.pop()
        why = f" ({one['reason']})" if one["reason"] else ""
        status = paint(f"{one['status']}{plain(why)}", COLOURS.get(one["edge"], "dim"))
        yield f"{'  ' * depth}{one['unit']}  {one['id']}  {status}  {one_line(one['title'])[:60]}".rstrip()
        if one["detail"] and one["status"] in ("failed", "needs_review", "blocked"):
            yield f"{'  ' * depth}    {one_line(one['detail'])[:100]}"
        stack += [(child, depth + 1) for child in reversed(of.get(one["unit"], []))]


def show(args: argparse.Namespace, desk: Desk) -> int:
    from toryo.fronts.cli.work.tasks import show as show_task

    args.task = args.unit
    return show_task(args, desk)


def stop(args: argparse.Namespace, desk: Desk) -> int:
    return _said(args, desk, "stop_unit", {})


def pause(args: argparse.Namespace, desk: Desk) -> int:
    return _said(args, desk, "pause_unit", {"now": args.now or None})


def resume(args: argparse.Namespace, desk: Desk) -> int:
    return _said(args, desk, "resume_unit", {})


def retry(args: argparse.Namespace, desk: Desk) -> int:
    return _said(args, desk, "retry_unit", {})


def _said(args: argparse.Namespace, desk: Desk, tool: str, more: dict[str, Any]) -> int:
    answer: SteeredUnit = desk.call(tool, {"unit": args.unit, "path": desk.main_path, **more})
    if args.json:
        print_json(answer)
    else:
        print(f"{answer['unit']}  {answer['said']}: {answer['status']}")
    return 0
