"""Planned tasks: the tasks of a plan that is not approved yet, and what may stand in one. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

PLAN_ID = re.compile(r"T\d{3,}")
"""Spec-kit's ids: `T001`, `T1024`."""


class Worktree(StrEnum):
    """Who goes on with what: any agent, or the predecessor's, once that one has landed.

    Each works in a worktree of its own, made from the accepted tip."""

    NEW = "new"
    SHARED = "shared"


@dataclass(frozen=True)
class PlannedTask:
    id: str
    title: str
    description: str = ""
    depends_on: tuple[str, ...] = ()
    write: tuple[str, ...] | None = None
    """A prediction that schedules, never a scope. None: unknown."""
    checks: tuple[str, ...] = ()
    agent: str = ""
    """Empty: the project's default agent."""
    worktree: Worktree = Worktree.NEW
    unit: bool = False
    """Its agent may divide it further."""
    story: str = ""
    done: bool = False
    """Ticked in the file it came from: it is not done again."""


_ABOUT = re.compile(r"ask_(?P<planned>.+)_(?P<attempt>\d+)")


def question_id(planned: str, attempt: int) -> str:
    """Of what a model asks about one stuck task."""
    return f"ask_{planned}_{attempt}"


def asked_about(id: str) -> tuple[str, int] | None:
    """(plan id, attempt); None: it is a question about the whole mission."""
    found = _ABOUT.fullmatch(id)
    return (found["planned"], int(found["attempt"])) if found else None
