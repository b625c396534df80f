"""Skills of an agent: one folder each with a SKILL.md, where its client looks for them (S0-18).

Codex and OpenCode look in `.agents/skills` of the worktree, which is the user's own and tracked: ours stand
in `.aiagent/`, and the text that such a client is given names them.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import yaml

from toryo.workbench.contexts.folders import CannotPlace, make_folder, write_file

FILE = "SKILL.md"
PLACED = ".placed.json"
"""The names that we placed: one that is no longer assigned goes, one of somebody else stays."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
LONGEST_DESCRIPTION = 500
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(\r?\n|\Z)", re.DOTALL)


def place_skills(folder: Path, skills: Mapping[str, str]) -> list[str]:
    """Write them below the folder; what could not be written, in words."""
    problems = []
    placed = []
    try:
        known = _placed(folder)
        if not skills and not known:
            return []
        make_folder(folder)
        for name in sorted(known - set(skills)):
            _take_away(folder / name)
    except CannotPlace as failed:
        return [str(failed)]
    for name, text in sorted(skills.items()):
        try:
            if not NAME.fullmatch(name):
                raise CannotPlace(f"{name[:80]!r} cannot name a skill's folder")
            make_folder(folder / name)
            write_file(folder / name / FILE, with_front_matter(name, text))
            placed.append(name)
        except CannotPlace as failed:
            problems.append(str(failed))
    try:
        write_file(folder / PLACED, json.dumps(placed))
    except CannotPlace as failed:
        problems.append(str(failed))
    return problems


def skills_text(folder: Path, skills: Mapping[str, str]) -> str:
    """For a client that does not look for skills where ours stand; empty without skills."""
    lines = []
    for name, text in sorted(skills.items()):
        place = folder / name / FILE
        if place.is_file():
            lines.append(f"- {name}: {describe(text)} (file: `{place}`)")
    if not lines:
        return ""
    told = "When work fits a description, read its file first and follow it."
    return "\n".join(["## Skills", "", told, "", *lines])


def with_front_matter(name: str, text: str) -> str:
    """CLIs pass over a skill that does not say its name and what it is for."""
    head = _head(text)
    if isinstance(head.get("name"), str) and isinstance(head.get("description"), str):
        return text
    whole = {**head, "name": head.get("name") or name, "description": describe(text)}
    return f"---\n{yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)}---\n{_FRONT.sub('', text)}"


def describe(text: str) -> str:
    """What the skill is for: as it says itself, else its first line of words."""
    told = _head(text).get("description")
    if not isinstance(told, str) or not told.strip():
        lines = (line.strip(" #*\t\r") for line in _FRONT.sub("", text).splitlines())
        told = next(filter(None, lines), "a skill")
    return " ".join(told.split())[:LONGEST_DESCRIPTION]


def _head(text: str) -> dict[str, object]:
    found = _FRONT.match(text)
    try:
        head = yaml.safe_load(found[1]) if found else {}
    except (yaml.YAMLError, ValueError, RecursionError):  # its CLI judges it
        return {}
    return head if isinstance(head, dict) else {}


def _placed(folder: Path) -> set[str]:
    try:
        names = json.loads((folder / PLACED).read_bytes())
    except (OSError, ValueError):
        return set()
    return {name for name in names if isinstance(name, str) and NAME.fullmatch(name)}


def _take_away(folder: Path) -> None:
    """Only ours: what somebody added beside it keeps its folder."""
    if folder.is_symlink():
        return
    (folder / FILE).unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        shutil.rmtree(folder, ignore_errors=True)
