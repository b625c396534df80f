"""The verbs of `toryo memory`: lasting decisions of a project, Markdown files that its agents read."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import Refused, UsageError, UserError
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import inner, whose
from toryo.fronts.text.output import plain, print_json, table
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk

FOLDER = ".toryo/memory"


def _declare_list(parser: argparse.ArgumentParser) -> None:
    project_option(parser)
    verb(parser, list_memory, "toryo memory list", "toryo memory list --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the file's name, with or without .md")
    project_option(parser)
    verb(parser, show, "toryo memory show api-style", "toryo memory show api-style --json", reads=True)


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", metavar="TITLE", help="one line; it names the file too")
    text = parser.add_mutually_exclusive_group()
    text.add_argument("-d", "--description", metavar="TEXT", help="what was decided, and why")
    text.add_argument("--file", metavar="FILE", help="the same from a file (default: standard input)")
    project_option(parser)
    verb(
        parser,
        add,
        'toryo memory add "Errors are values" -d "No exceptions between modules."',
        'toryo memory add "API style" --file notes/api.md',
        'git log -1 --format=%B | toryo memory add "Why we left Redux"',
        json=True,
    )


def _declare_preview(parser: argparse.ArgumentParser) -> None:
    project_option(parser)
    verb(parser, preview, "toryo memory preview", "toryo memory preview --project shop", reads=True)


VERBS: Group = {
    "list": ("what is in force, and what is only in the working copy", _declare_list),
    "show": ("one of them", _declare_show),
    "add": ("write a new one into the working copy", _declare_add),
    "preview": ("the section as agents find it in their prompts", _declare_preview),
}


def list_memory(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_memory", whose(args, desk))
    known = {str(one["path"]): one for one in answer["files"]}
    here = _working_copy(str(answer.get("root") or ""))
    only_here = [one for one in here if one["path"] not in known]
    if args.json:
        print_json({**answer, "working_copy": only_here})
        return 0
    sizes = {one["path"]: one["size"] for one in here}
    rows = [(one["path"], _standing(answer, one, sizes), one["title"]) for one in known.values()]
    rows += [(one["path"], "only in the working copy", one["title"]) for one in only_here]
    print(table(("file", "state", "title"), rows) if rows else "No memory yet: toryo memory add TITLE")
    if only_here:
        print("\nAgents read what is committed on the branch that work lands on.")
    return 0


def _standing(answer: dict[str, Any], one: dict[str, Any], sizes: dict[str, int]) -> str:
    if answer.get("settings_from") == "uncommitted":
        return "not committed yet"
    changed = one["path"] in sizes and sizes[one["path"]] != one["size"]
    return "in force; changed here" if changed else "in force"


def _working_copy(root: str) -> list[dict[str, Any]]:
    """Memory files as they lie in the repository on this machine; none if it is elsewhere."""
    try:
        with os.scandir(f"{root}/{FOLDER}") as entries:
            names = sorted(one.name for one in entries if one.name.endswith(".md") and one.is_file())
    except OSError:
        return []
    found = []
    for name in names:
        text = _read(f"{root}/{FOLDER}/{name}")
        first = next((line for line in text.splitlines() if line.strip()), "")
        title = first.lstrip("# ").strip() or name
        found.append({"path": f"{FOLDER}/{name}", "title": title, "size": len(text.encode())})
    return found


def _read(file: str) -> str:
    from toryo.fronts.text.errors import where_to_look

    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}.", hint=where_to_look(file)) from None  # it says no more


def show(args: argparse.Namespace, desk: Desk) -> int:
    try:
        answer = desk.call("show_memory", {**whose(args, desk), "name": args.name})
    except ToolFailed as refused:
        answer = _shown_from_here(args, desk, refused)
    if args.json:
        print_json(answer)
    else:
        text = str(answer["text"]).rstrip("\n")
        print(plain(text) if sys.stdout.isatty() else text)
    return 0


def _shown_from_here(args: argparse.Namespace, desk: Desk, refused: ToolFailed) -> dict[str, Any]:
    """One that is not in force may be in the working copy."""
    root = str(desk.call("list_memory", whose(args, desk)).get("root") or "")
    name = args.name.removeprefix(f"{FOLDER}/").removesuffix(".md")
    path = f"{FOLDER}/{name}.md"
    if path not in {one["path"] for one in _working_copy(root)}:
        raise refused
    print(f"{path} is not in force: it is only in the working copy.", file=sys.stderr)
    return {"path": path, "text": _read(f"{root}/{path}"), "in_force": False}


def add(args: argparse.Namespace, desk: Desk) -> int:
    import shlex
    from pathlib import Path

    from toryo.fronts.cli.begin.init import write_new

    title = " ".join(args.title.split())
    if not title:
        raise UsageError("A memory needs a title.", hint='toryo memory add "what was decided"')
    text = _given_text(args)
    project = inner(desk.call("get_project", whose(args, desk)), "project")
    root, base = Path(str(project["path"])), str(project.get("base") or "")
    name = f"{FOLDER}/{_file_name(title, root)}.md"
    body = text if text.startswith("# ") else f"# {title}\n\n{text}"
    if not write_new(root, name, body.rstrip("\n") + "\n"):
        raise Refused(
            f"{name} is there already, and nothing was changed.",
            hint=f"Edit {root / name}, or choose another title.",
        )
    if args.json:
        print_json({"path": name, "root": str(root), "title": title, "in_force_when": f"committed on {base}"})
        return 0
    print(f"wrote {plain(str(root / name))}")
    print(f"It comes into force when it is committed on {plain(base)}: agents read it in their worktrees.")
    print(f"Next: git add {name} && git commit -m {shlex.quote(f'memory: {plain(title)}')}")
    return 0


def _file_name(title: str, root: Any) -> str:
    """From the title; where its script leaves nothing for a file name, a number."""
    from toryo.domain.naming import slug

    name = slug(title)[:60].strip("-_")
    number = 1
    while not name:
        candidate = f"note-{number}"
        name = "" if (root / FOLDER / f"{candidate}.md").exists() else candidate
        number += 1
    return name


def _given_text(args: argparse.Namespace) -> str:
    from toryo.fronts.cli.files import read_stdin

    if args.description is not None:
        text = args.description
    elif args.file:
        text = _read(args.file)
    else:
        if sys.stdin.isatty():
            print("Type what was decided; Ctrl-D ends it.", file=sys.stderr)
        text = read_stdin()
    if not text.strip():
        raise UsageError("There is no text.", hint="Give -d TEXT or --file FILE, or pipe it in.")
    return str(text)


def preview(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("preview_memory", whose(args, desk))
    if args.json:
        print_json(answer)
    elif answer["text"]:
        print(plain(str(answer["text"]).rstrip("\n")))
    else:
        print("No memory is in force.", file=sys.stderr)
    return 0
