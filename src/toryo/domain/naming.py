"""Names of branches, worktrees and units, told from titles and by their text (S3-34…40). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

PREFIX = "agent/"
LONGEST = 64


def slug(title: str) -> str:
    """Lower case; blanks and slashes become `-`; everything outside `[a-z0-9_-]` goes."""
    dashed = re.sub(r"[\s/\\]+", "-", title.lower())
    kept = re.sub(r"[^a-z0-9_-]", "", dashed)
    return re.sub(r"-{2,}", "-", kept).strip("-_")


def task_name(title: str, task_id: str) -> str:
    """`{slug}-{id}`, at most 64 characters; a title that leaves nothing gives `task-{id}`."""
    room = LONGEST - len(task_id) - 1
    head = slug(title)[:room].strip("-_") or "task"
    return f"{head}-{task_id}"


def branch_of(name: str) -> str:
    return PREFIX + name


def meant_id(text: str) -> str:
    """The id in what a person copied: `#t3kd92m1`, `agent/mend-the-door-t3kd92m1`, or the id itself."""
    text = text.strip().removeprefix("#")
    if "/" not in text:
        return text
    parts = text.rpartition("/")[2].split("-")
    # a second branch of the same name has a number behind the id
    return parts[-2] if len(parts) > 2 and parts[-1].isdecimal() and len(parts[-1]) < 3 else parts[-1]


_TOP = re.compile(r"root|t\d{3,}_[a-z0-9_]+")


def is_unit_id(text: str) -> bool:
    """Whether it reads as the id of a unit, of a tree of its own or below a planned task."""
    return _TOP.fullmatch(top_of(text)) is not None


def top_of(unit: str) -> str:
    """The uppermost unit of its tree."""
    return unit.partition("-")[0]


def free_name(name: str, taken: Callable[[str], bool]) -> str:
    """The name itself, or with `-2`, `-3` … where a branch or a worktree has it already."""
    if not taken(name):
        return name
    number = 2
    while True:
        suffix = f"-{number}"
        candidate = name[: LONGEST - len(suffix)].rstrip("-_") + suffix
        if not taken(candidate):
            return candidate
        number += 1


def client_name(text: str) -> str:
    """Claude Code's program is `claude`, and so is the client; other documents write `claude-code`."""
    return "claude" if text == "claude-code" else text
