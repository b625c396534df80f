"""The verbs of `toryo project`: the repositories that are worked on, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UserError
from toryo.fronts.cli.parsing import verb
from toryo.fronts.client import inner
from toryo.fronts.text.output import facts, plain, print_json, table, word

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.projects import ListedProjects, ProjectView, RemovedProject, TargetView

SURVEY_WITHIN_S = 90
REMOVE_WITHIN_S = 660
SETTINGS = ".toryo/"
YOURS = "everything that you or agents committed"
WHICH = "its name or id (default: the one here)"


def _declare_list(parser: argparse.ArgumentParser) -> None:
    verb(parser, list_projects, "toryo project list", "toryo project list --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", nargs="?", help=WHICH)
    verb(parser, show, "toryo project show", "toryo project show shop --json", reads=True)


def _declare_archive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", nargs="?", help=WHICH)
    verb(parser, archive, "toryo project archive", "toryo project archive shop", json=True)


def _declare_activate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", nargs="?", help=WHICH)
    verb(parser, activate, "toryo project activate", "toryo project activate shop", json=True)


def _declare_move(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "project",
        metavar="PROJECT",
        nargs="?",
        help="its name or id, before PATH (default: what the repository there says)",
    )
    parser.add_argument("path", metavar="PATH", nargs="?", help="where its repository is now (default: here)")
    verb(
        parser,
        move,
        "cd /srv/shop && toryo project move",
        "toryo project move ../elsewhere/shop",
        "toryo project move shop /srv/shop",
        hands=True,
        json=True,
    )


def _declare_remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", metavar="PROJECT", nargs="?", help=WHICH)
    parser.add_argument("--dry-run", action="store_true", help="only show what would go and what would stay")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    examples = ("toryo project remove --dry-run", "toryo project remove", "toryo project remove shop --yes")
    verb(parser, remove, *examples, hands=True, json=True)


VERBS: Group = {
    "list": ("all projects", _declare_list),
    "show": ("everything about a project", _declare_show),
    "archive": ("start nothing new in a project; everything is kept", _declare_archive),
    "activate": ("let a project be worked on again", _declare_activate),
    "remove": ("take Toryo out of a repository; no work of anybody's goes", _declare_remove),
    "move": ("say where a repository that was moved is now", _declare_move),
}


def _which(args: argparse.Namespace, desk: Desk) -> dict[str, Any]:
    return {"project": args.project} if args.project else {"path": desk.main_path}


def list_projects(args: argparse.Namespace, desk: Desk) -> int:
    answer: ListedProjects = desk.call("list_projects", {})
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (one["name"], one["id"], one["status"], one["base"], one.get("settings_from"), one["path"])
        for one in answer["projects"]
    ]
    heads = ("project", "id", "status", "lands on", "settings", "path")
    print(table(heads, rows, spare=(4, 1)) if rows else "No projects. Type `toryo init` in a repository.")
    return 0


def show(args: argparse.Namespace, desk: Desk) -> int:
    project: ProjectView = inner(desk.call("get_project", _which(args, desk)), "project")
    if args.json:
        print_json(project)
        return 0
    print(f"{plain(project['name'])} ({project['id']})  {word(project['status'])}")
    print(
        facts(
            [
                ("path", project.get("path")),
                ("lands on", project.get("base")),
                ("settings", project.get("settings_from")),
                ("problem", project.get("settings_problem")),
                ("set-up", project.get("setup")),
                ("checks", project.get("checks") or "none: work lands unchecked"),
                ("agents", project.get("agents") or "none yet: toryo agent add"),
                ("default", project.get("default_agent")),
            ]
        )
    )
    for target in project.get("targets") or ():
        _print_target(target)
    return 0


def _print_target(target: TargetView) -> None:
    tip, published = str(target.get("tip") or ""), str(target.get("published") or "")
    lines: list[tuple[str, object]] = [("tip", tip), ("published", published if published != tip else "")]
    lines += [("stopped", target.get("stopped")), ("waits for", target.get("waiting"))]
    print(f"\nbranch {plain(str(target['name']))}")
    print("\n".join(f"  {line}" for line in facts(lines).splitlines()))


def archive(args: argparse.Namespace, desk: Desk) -> int:
    return _set(args, desk, "archive_project", "is archived: nothing new starts, everything is kept")


def activate(args: argparse.Namespace, desk: Desk) -> int:
    return _set(args, desk, "activate_project", "is worked on again")


def _set(args: argparse.Namespace, desk: Desk, tool: str, outcome: str) -> int:
    answer = desk.call(tool, _which(args, desk))
    if args.json:
        print_json(answer)
    else:
        print(f"{plain(str(inner(answer, 'project').get('name')))} {outcome}.")
    return 0


def remove(args: argparse.Namespace, desk: Desk) -> int:
    import sys

    which = {"project": args.project} if args.project else {"path": desk.main_path}
    what = "looking at the repository"
    if not (args.yes and args.json):
        would: RemovedProject = desk.call(
            "remove_project", {**which, "dry_run": True}, timeout_s=REMOVE_WITHIN_S, what=what
        )
        if args.dry_run:
            if args.json:
                print_json(would)
            else:
                _print_removal(would, "would go", "would stay")
            return 0
        if args.json or not (args.yes or sys.stdin.isatty()):
            raise UserError("Nobody can be asked here.", hint="`toryo project remove --yes` does not ask.")
        if not args.yes:
            _print_removal(would, "goes", "stays")
            if not _says_yes():
                return 1
    which = {"project": str(would["project"]["id"])} if not (args.yes and args.json) else which
    answer: RemovedProject = desk.call(
        "remove_project", which, timeout_s=REMOVE_WITHIN_S, what="taking Toryo out of it"
    )
    if args.json:
        print_json(answer)
        return 0
    _print_removal(answer, "gone", "stays")
    print(f"{plain(str(inner(answer, 'project').get('name')))} is no project any more; its record is kept.")
    return 0


def _says_yes() -> bool:
    try:
        return input("Take it out? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _print_removal(told: RemovedProject, goes: str, stays: str) -> None:
    gone = [str(line) for line in told.get("removed") or ()]
    yours = YOURS if any(line.startswith(SETTINGS) for line in gone) else f"{SETTINGS} and {YOURS}"
    for heading, lines in (
        (goes, gone or ["nothing"]),
        (stays, [*(told.get("kept") or ()), yours]),
    ):
        print(f"{heading}:")
        for line in lines:
            print(f"  {plain(str(line))}")


def move(args: argparse.Namespace, desk: Desk) -> int:
    from pathlib import Path

    named, place = (args.project, args.path) if args.path else ("", args.project or ".")
    path = str(Path(desk.path) / Path(place).expanduser())
    project = named or _named_there(desk, path)
    answer = desk.call(
        "move_project",
        {"project": project, "path": path},
        timeout_s=SURVEY_WITHIN_S,
        what="looking at the repository",
    )
    if args.json:
        print_json(answer)
        return 0
    moved = inner(answer, "project")
    print(f"{plain(str(moved.get('name')))} is at {plain(str(moved.get('path') or path))} now.")
    return 0


def _named_there(desk: Desk, path: str) -> str:
    """The project whose id the repository keeps in its git directory."""
    found = desk.call(
        "survey_path", {"path": path}, timeout_s=SURVEY_WITHIN_S, what="looking at the repository"
    )
    project = str(found["survey"].get("project") or "")
    if not project:
        raise UserError(
            f"The repository in {path} was never a project.", hint=f"`cd {path} && toryo init` makes it one."
        )
    return project
