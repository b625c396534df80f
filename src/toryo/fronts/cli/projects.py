"""The verbs of `toryo project`: the repositories that are worked on, and where they are."""

from __future__ import annotations

from toryo.domain.errors import UserError
from toryo.fronts.cli.desk import inner
from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.showing import facts, plain, print_json, table, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk
    from toryo.fronts.cli.parsing import Group

SURVEY_WITHIN_S = 90
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
        help="its name or id (default: what the repository there says)",
    )
    parser.add_argument("path", metavar="PATH", help="where its repository is now")
    verb(
        parser,
        move,
        "toryo project move ../elsewhere/shop",
        "toryo project move shop /srv/shop",
        hands=True,
        json=True,
    )


VERBS: Group = {
    "list": ("all projects", _declare_list),
    "show": ("everything about a project", _declare_show),
    "archive": ("start nothing new in a project; everything is kept", _declare_archive),
    "activate": ("let a project be worked on again", _declare_activate),
    "move": ("say where a repository that was moved is now", _declare_move),
}


def _which(args: argparse.Namespace, desk: Desk) -> dict[str, Any]:
    return {"project": args.project} if args.project else {"path": desk.path}


def list_projects(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_projects", {})
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
    project = inner(desk.call("get_project", _which(args, desk)), "project")
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


def _print_target(target: dict[str, Any]) -> None:
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


def move(args: argparse.Namespace, desk: Desk) -> int:
    from pathlib import Path

    path = str(Path(desk.path) / Path(args.path).expanduser())
    project = args.project or _named_there(desk, path)
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
