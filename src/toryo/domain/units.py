"""Units: names in a tree, the files that unit and parent speak through, and a breakdown's tasks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toryo.domain.naming import slug

ROOT = "root"
REQUIREMENTS = "requirements.yml"
BREAKDOWN = "task-breakdown.yml"
SCOPED = "scoped-requirements.yml"
STATUS = "children-status.yml"
PARENT = ".parent_unit"
CONTRACT = (BREAKDOWN, SCOPED, STATUS, PARENT, REQUIREMENTS)
"""Files in a unit's worktree that are never committed; one that git tracks is an ordinary file."""
PARENT_BREAKDOWN = ".aiagent/unit/parent-task-breakdown.yml"
PARENT_REQUIREMENTS = ".aiagent/unit/parent-requirements.yml"
EXAMPLES = ".aiagent/unit/examples.md"
"""Beside the contexts of agents, which git ignores anyway."""
LONGEST_IN_BRANCH = 48
LONGEST_PART = 64
"""Of a unit's id, for one level."""


@dataclass(frozen=True)
class WantedChild:
    """One task of a breakdown."""

    id: str
    description: str
    depends_on: tuple[str, ...] = ()
    agent: str = ""
    write: tuple[str, ...] | None = None
    checks: tuple[str, ...] = ()
    requirements: str = ""
    """YAML of its scoped requirements, where the parent wrote more than a description."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else the parent wrote of it, its `status` too: shown, never believed."""


@dataclass(frozen=True)
class Breakdown:
    children: tuple[WantedChild, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Whatever else the parent wrote beside the tasks."""


def planned_unit(planned: str, title: str, number: int = 1) -> str:
    """`T003` and `Log in` give `t003_log_in`: no other id has a `_`. `number`: of those who would have it."""
    part = f"{planned.lower()}_{slug(title).replace('-', '_') or 'unit'}"
    suffix = "" if number == 1 else f"_{number}"
    return f"{part[: LONGEST_PART - len(suffix)].rstrip('_')}{suffix}"


def child_unit(parent: str, id: str) -> str:
    """`root` and `log-in` give `root-log_in`: a `-` only ever separates levels."""
    part = slug(id).replace("-", "_")[:LONGEST_PART].strip("_")
    return f"{parent}-{part or 'task'}"


def unit_name(unit: str, task: str) -> str:
    """Of its branch and worktree, behind the prefix."""
    return f"{unit[:LONGEST_IN_BRANCH].rstrip('-_')}-{task}"


def are_kin(one: str, other: str) -> bool:
    """Whether one of two units of a tree is the other, or an ancestor of it."""
    return f"{one}-".startswith(f"{other}-") or f"{other}-".startswith(f"{one}-")


def ancestors(unit: str) -> tuple[str, ...]:
    """The nearest first."""
    parts = unit.split("-")
    return tuple("-".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))


def fingerprint(children: Iterable[WantedChild]) -> str:
    """Two breakdowns that say the same have the same one."""
    return "\n".join(sorted(f"{one.id}: {' '.join(one.description.split())}" for one in children))
