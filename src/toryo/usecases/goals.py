"""What a type of task must have touched, in words: for the prompt, the cause of a failure, and the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toryo.domain.words import CheckResult
from toryo.usecases.project_settings import TaskType


def wanted_goals(kind: TaskType | None) -> tuple[str, ...]:
    """What its agent is told before it begins."""
    goals = kind.goals if kind else ()
    return tuple(f"{goal.type}: a changed file matches `{goal.pattern}`" for goal in goals)


def unmet(goals: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(goal, what is missing) of each one that a gate found not met."""
    return [
        (f"goal {goal['type']}", f"no changed file matches {goal['pattern']}")
        for goal in goals
        if goal["result"] == CheckResult.FAILED
    ]
