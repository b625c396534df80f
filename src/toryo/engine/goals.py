"""Goals of a type of task in words: for the prompt, the cause of a failure, and the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toryo.domain.scopes import matches
from toryo.domain.words import CheckResult
from toryo.engine.project_settings import TEST_ADDED, Goal, TaskType


def wanted_goals(kind: TaskType | None) -> tuple[str, ...]:
    """What its agent is told before it begins."""
    goals = kind.goals if kind else ()
    told = {TEST_ADDED: "a file that is added or gains lines"}
    return tuple(
        f"{goal.type}: {told.get(goal.type, 'a changed file')} matches `{goal.pattern}`" for goal in goals
    )


def judged(kind: TaskType, collected: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each goal with its result, from what the hands saw of a run's work (S4-36)."""
    return [
        {
            "type": goal.type,
            "pattern": goal.pattern,
            "result": CheckResult.PASSED if _is_met(goal, collected) else CheckResult.FAILED,
        }
        for goal in kind.goals
    ]


def _is_met(goal: Goal, collected: Mapping[str, Any]) -> bool:
    more = collected.get("more")
    if goal.type == TEST_ADDED and more is not None:
        return goal.pattern in more
    # settings may have changed since, and an older coordinator names files only
    changed, matched = collected.get("changed_files", ()), collected.get("matched", ())
    return goal.pattern in matched or any(matches((goal.pattern,), path) for path in changed)


def unmet(goals: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(goal, what is missing) of each one that a gate found not met."""
    missing = {TEST_ADDED: "no file that was added or gained lines"}
    return [
        (f"goal {goal['type']}", f"{missing.get(goal['type'], 'no changed file')} matches {goal['pattern']}")
        for goal in goals
        if goal["result"] == CheckResult.FAILED
    ]
