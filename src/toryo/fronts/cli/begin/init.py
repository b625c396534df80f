"""The verb `init`: survey the repository here, write the missing `.toryo/` files, register the project.

It commits nothing and overwrites nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toryo.domain.errors import Refused, UsageError, UserError
from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.text.errors import where_to_look
from toryo.fronts.text.output import facts, folded, plain, print_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

SURVEY_WITHIN_S = 90
NOT_IN_FORCE = (
    "offered checks are not in force: try them, then take the # off in .toryo/config.yaml. "
    "One that fails on the base stops every task"
)
WROTE = "wrote "
"""So begin the notes of what was written inside the git directory."""


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("--yes", "-y", action="store_true", help="ask nothing")
    parser.add_argument("--name", metavar="NAME", help="name of the project (default: the directory's)")
    parser.add_argument(
        "--base", metavar="BRANCH", help="branch that work lands on (default: the one checked out)"
    )
    parser.add_argument("--take-over", action="store_true", help="from another installation that is stopped")
    verb(parser, init, "toryo init", "toryo init --yes --base main", hands=True, json=True)


@dataclass(frozen=True)
class Made:
    """A project that was registered, and what was written for it."""

    answer: dict[str, Any]
    written: list[str]
    offered: list[str]
    notes: list[str]


def init(args: argparse.Namespace, desk: Desk) -> int:
    if args.json and not args.yes:
        raise UsageError("A program cannot be asked.", hint="`toryo init --yes --json` asks nothing.")
    found, root = _surveyed(desk, args.base)
    missing = _missing(root, found)
    if not args.yes:
        print(_found(args, found, missing))
        if not _agreed():
            print("Nothing was written.")
            return 1
        found, missing = _with_offers(args, desk, found, missing)
    wish = {"name": args.name, "base": args.base, "take_over": args.take_over or None}
    made = _registered(desk, root, found, missing, wish)
    if args.json:
        print_json({**made.answer, "wrote": made.written, "offered": made.offered})
        return 0
    print(made_text(made, with_survey=args.yes))
    return 0


def make_project(desk: Desk) -> Made:
    """The repository here, as `init --yes` makes it one: nothing is asked."""
    found, root = _surveyed(desk, None)
    return _registered(desk, root, found, _missing(root, found), {})


def _surveyed(desk: Desk, base: str | None) -> tuple[dict[str, Any], Path]:
    found = desk.call(
        "survey_path",
        {"path": desk.path, "base": base},
        timeout_s=SURVEY_WITHIN_S,
        what="looking at the repository",
    )
    survey = found["survey"]
    if survey.get("problem"):
        problem = survey["problem"]
        raise Refused(problem["message"], hint=problem.get("hint", ""))
    return found, Path(survey["root"])


def _missing(root: Path, found: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text in found.get("files", {}).items() if not (root / name).exists()}


def _registered(
    desk: Desk, root: Path, found: dict[str, Any], missing: dict[str, str], wish: dict[str, Any]
) -> Made:
    written = [name for name, text in missing.items() if write_new(root, name, text)]
    try:
        answer = desk.call(
            "register_project",
            {"path": desk.path, "wrote": written or None, **wish},
            timeout_s=SURVEY_WITHIN_S,
            what="registering the project",
        )
    except UserError:  # refused: nothing of it stays; where the answer was lost, it may have been done
        take_back(root, written)
        raise
    return Made(answer, list(missing), _offered(found), list(found.get("notes", [])))


def _offered(found: dict[str, Any]) -> list[str]:
    return [one["command"] for one in found.get("offered") or ()]


def _with_offers(
    args: argparse.Namespace, desk: Desk, found: dict[str, Any], missing: dict[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """What is to be written once a person took some of the offered checks."""
    taken = [command for command in _offered(found) if _wanted(command)]
    if not taken:
        return found, missing
    wish = {"path": desk.path, "base": args.base, "checks": taken}
    found = desk.call("survey_path", wish, timeout_s=SURVEY_WITHIN_S, what="looking at the repository")
    return found, {name: text for name, text in found["files"].items() if name in missing}


def _wanted(command: str) -> bool:
    try:
        answer = input(f"Check every task with `{plain(command)}` too? It must pass on the base. [y/N] ")
    except EOFError:
        print()
        return False
    return answer.strip().lower() in ("y", "yes")


def _found(args: argparse.Namespace, found: dict[str, Any], missing: dict[str, str]) -> str:
    survey = found["survey"]
    pairs = [
        ("repository", survey["root"]),
        ("lands on", args.base or survey.get("base") or survey.get("head_branch")),
        ("clients", list(survey.get("clients") or {}) or "none found on PATH"),
        ("set-up", "; ".join(survey.get("setup") or ()) or "none found"),
        ("checks", "; ".join(one["command"] for one in survey.get("checks") or ()) or "none found"),
        ("offered", "; ".join(_offered(found))),
        ("will write", list(missing) or "nothing: .toryo/ is there"),
    ]
    return "\n".join([facts(pairs), *(_note(note) for note in found.get("notes", []))])


def _note(text: str) -> str:
    return f"note: {folded(plain(mended(text)), len('note: '))}"


def _agreed() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("There is nobody to ask here.", hint="`toryo init --yes` asks nothing.")
    try:
        return input("Make this a project? [Y/n] ").strip().lower() in ("", "y", "yes")
    except EOFError:
        print()
        return False


def write_new(root: Path, name: str, text: str) -> bool:
    """Write a file that is not there, and never outside the repository; whether it was written."""
    target = root / name
    if Path(name).is_absolute() or not target.resolve().is_relative_to(root.resolve()):
        raise Refused(
            f"{name} would be written outside of {root}.", hint="Is .toryo a link? Make it a folder."
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(
            os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8"
        ) as file:
            try:
                file.write(text)
                file.flush()
            except OSError:
                target.unlink(missing_ok=True)  # the disk is full: half a file is worse than none
                raise
        return True
    except FileExistsError:
        return False  # somebody else's, and theirs it stays
    except OSError as error:
        raise UserError(f"{target} cannot be written.", hint=where_to_look(str(target))) from error


def take_back(root: Path, written: list[str]) -> None:
    """What was written a moment ago, and the folder if nothing else is in it."""
    for name in written:
        (root / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            (root / name).parent.rmdir()


def made_text(made: Made, *, with_survey: bool = True, with_next: bool = True) -> str:
    """What `init` says; `with_survey`: also what was noted before anybody was asked."""
    project, agent = made.answer["project"], made.answer.get("agent") or {}
    notes = [*(made.notes if with_survey else []), *made.answer.get("notes", [])]
    if made.offered:
        notes.append(NOT_IN_FORCE)
    notes = list(dict.fromkeys(notes))
    client = agent.get("client") or "no client yet"
    lines = [
        facts(
            [
                ("project", f"{project['name']} ({project['id']})"),
                ("lands on", project.get("base")),
                ("agent", f"{agent['id']} ({client})" if agent else "none"),
                ("checks", "; ".join(project.get("checks") or ()) or "none: work lands unchecked"),
                ("offered", "; ".join(made.offered)),
                ("wrote", ", ".join(made.written)),
                ("in .git", [note.removeprefix(WROTE) for note in notes if note.startswith(WROTE)]),
            ]
        )
    ]
    if made.written:
        lines.append("Nothing was committed; commit .toryo/ when you like it.")
    lines += [_note(note) for note in notes if not note.startswith(WROTE)]
    if with_next:
        first = "" if agent.get("client") else "the agent (see the note), then "
        lines.append(f'Next: {first}toryo task add "what you want done"')
    return "\n".join(lines)
