"""Unit trees: the mission whose planner is its root unit; its status is the root's, seen from above. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.reasons import Reason
from toryo.domain.words import MissionStatus, TaskStatus
from toryo.reconciler.missions.facts import MissionDecision


@dataclass(frozen=True)
class TreeFacts:
    root: TaskStatus = TaskStatus.OPEN
    root_reason: str = ""
    root_detail: str = ""
    live_runs: int = 0
    unclean: int = 0
    """Branches and worktrees that are not retired."""
    cancelled: bool = False
    paused: bool = False
    paused_now: bool = False
    budget_reached: str = ""
    stopped: str = ""
    """Why it turns in a circle, as far as no person said to go on."""
    unapproved: bool = False
    """The root's first breakdown waits for a person's yes."""


def decide_tree(facts: TreeFacts) -> MissionDecision:
    ended = _ended(facts)
    if ended:
        return ended
    if facts.cancelled:
        return MissionDecision(MissionStatus.CANCELLED, Reason.CANCELLED, hold=True, stop=True)
    if facts.paused or facts.paused_now:
        return MissionDecision(MissionStatus.PAUSED, Reason.PAUSED, hold=True, stop=facts.paused_now)
    if facts.stopped:
        return MissionDecision(MissionStatus.PAUSED, Reason.TREE_STOPPED, facts.stopped, hold=True)
    if facts.budget_reached:
        return MissionDecision(MissionStatus.PAUSED, f"{Reason.BUDGET}:{facts.budget_reached}", hold=True)
    if facts.unapproved:
        return MissionDecision(MissionStatus.AWAITING_APPROVAL, Reason.PLAN_READY, hold=True)
    if facts.root in (TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW):
        return MissionDecision(MissionStatus.ACTIVE, Reason.NEEDS_YOU, facts.root_detail[:300])
    return MissionDecision(MissionStatus.ACTIVE)


def _ended(facts: TreeFacts) -> MissionDecision | None:
    """Of a failed root the tree is over: its subtree was stopped, and a retry begins it anew."""
    if facts.live_runs:
        return None
    if facts.root is TaskStatus.DONE and not facts.unclean:
        return MissionDecision(MissionStatus.COMPLETED)
    if facts.root is TaskStatus.FAILED:
        return MissionDecision(MissionStatus.FAILED, Reason.GIVEN_UP, facts.root_detail[:300])
    if facts.root is TaskStatus.CANCELLED:
        return MissionDecision(MissionStatus.CANCELLED, Reason.CANCELLED)
    return None
