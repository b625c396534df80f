"""The verb `spawn`: a tree of units from requirements.yml, or the children of the unit that calls it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import NoRepository, UsageError, UserError
from toryo.files import write_whole
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import whose_branch
from toryo.fronts.text.output import one_line, plain, print_json
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.protocol.views.units import SpawnedChildren, SpawnedTree

REQUIREMENTS, BREAKDOWN, STATUS = "requirements.yml", "task-breakdown.yml", "children-status.yml"
START_S = 90.0


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument(
        "--from-breakdown",
        action="store_true",
        help="inside a unit's run: a child for each task of task-breakdown.yml that has none",
    )
    parser.add_argument(
        "--agent", metavar="NAME", help="who is the root, and its children unless told otherwise"
    )
    parser.add_argument(
        "--yes", "-y", action="store_true", help="ask nothing: the first children start at once"
    )
    parser.add_argument(
        "--env", action="append", default=[], metavar="K=V", help="a variable for every unit's runs"
    )
    parser.add_argument("--onto", metavar="BRANCH", help="land on it (default: the branch checked out here)")
    project_option(parser)
    verb(
        parser,
        spawn,
        "toryo spawn",
        "toryo spawn --agent claude --yes --json",
        "toryo spawn --from-breakdown     # inside a unit's run",
        hands=True,
        in_run=True,
        json=True,
    )


def spawn(args: argparse.Namespace, desk: Desk) -> int:
    if args.from_breakdown:
        return _children(args, desk)
    if desk.run:
        raise UsageError("Inside a run a tree is not begun.", hint="toryo spawn --from-breakdown")
    text = _read(os.path.join(desk.path, REQUIREMENTS), REQUIREMENTS)  # noqa: PTH118 - pathlib costs 4 ms
    project = _project(args, desk)
    wish = {
        "requirements": text,
        "agent": args.agent,
        "onto": args.onto,
        "at_once": args.yes or None,
        "environment": _environment(args.env) or None,
    }
    made: SpawnedTree = desk.call(
        "spawn_tree",
        {**whose_branch(args, desk, project), **wish},
        timeout_s=START_S,
        what="beginning the tree",
    )
    if args.json:
        print_json({key: made[key] for key in ("mission", "task", "unit", "branch")})
        return 0
    print(f"{made['unit']}  {made['task']}  on {plain(made['branch'])}")
    print(f"Look: toryo unit tree; wait: toryo task wait {made['unit']}")
    if not args.yes:
        print(f"Its first breakdown waits for your yes: toryo mission approve {made['mission']}")
    return 0


def _project(args: argparse.Namespace, desk: Desk) -> str:
    """Id of the one here; where there is no repository or no commit yet, both are offered."""
    from toryo.fronts.cli.missions.first_project import project_here

    try:
        return str(project_here(args, desk)["id"])
    except ToolFailed as failed:
        if failed.body.get("kind") != NoRepository.kind or args.project:
            raise
        if not args.yes and not _agreed(str(failed)):
            raise NoRepository(
                str(failed), hint="`toryo spawn --yes` makes both; `git init` does it by hand."
            ) from None
        desk.call("survey_path", {"path": desk.path, "create": True}, timeout_s=START_S, what="beginning")
        return str(project_here(args, desk)["id"])


def _agreed(problem: str) -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        answer = input(f"{problem} Make a repository here, with an empty first commit? [Y/n] ")
    except EOFError:
        return False
    return answer.strip().lower() in ("", "y", "yes")


def _children(args: argparse.Namespace, desk: Desk) -> int:
    if not desk.run:
        raise UsageError(
            "--from-breakdown is for a unit, inside its run.", hint="`toryo spawn` begins a tree."
        )
    folder = desk.environment.get("TARGET_REPO") or desk.path
    text = _read(os.path.join(folder, BREAKDOWN), BREAKDOWN)  # noqa: PTH118 - pathlib costs 4 ms
    made: SpawnedChildren = desk.call("spawn_children", {"breakdown": text})
    write_status(desk, made["children_status"])
    for warning in made["warnings"]:
        print(f"warning: {one_line(warning)}", file=sys.stderr)
    if args.json:
        print_json(made)
        return 0
    for one in made["spawned"]:
        print(f"spawned {one['unit']}")
    changed = [one["unit"] for one in made["changed"]]
    for one in made["known"]:
        now = ", and waits for what the breakdown says now" if one["unit"] in changed else ""
        print(f"{one['unit']} was spawned before{now}")
    print(made["instruction"])
    return 0


def write_status(desk: Desk, text: str) -> None:
    """children-status.yml of the unit in whose run this is typed; a view, so that nothing hangs on it."""
    folder = desk.environment.get("TARGET_REPO")
    if not folder or not text:
        return
    place = os.path.join(folder, STATUS)  # noqa: PTH118 - pathlib costs 4 ms
    try:
        write_whole(place, text.encode("utf-8", "surrogateescape"))
    except OSError as bad:
        print(f"warning: {place} cannot be written: {bad.strerror}", file=sys.stderr)


def _read(place: str, name: str) -> str:
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        folder = os.path.dirname(place)  # noqa: PTH120 - pathlib costs 4 ms
        raise UserError(f"There is no {name} in {folder}.", hint=f"Write {name} there first.") from None
    except OSError as bad:
        raise UserError(f"{place} cannot be read: {bad.strerror}.", hint=f"ls -l {place}") from bad


def _environment(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    if wrong := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise UsageError(
            f"--env {wrong}: a name and a value are needed.", hint="For example --env PAGE_SIZE=20"
        )
    return {name: value for name, _, value in pairs}
