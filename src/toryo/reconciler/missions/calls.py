"""Planner calls of a mission: which exist, and which may still be made. Pure."""

from __future__ import annotations

from toryo.domain.reasons import Reason
from toryo.domain.words import OrderKind
from toryo.reconciler.missions.facts import CallState, MissionFacts, PlannerCall


def call_of(
    facts: MissionFacts, purpose: OrderKind, *, request: int = 0, n: int | None = None
) -> PlannerCall | None:
    """The call for this purpose, of any request or try where none is named."""
    return next(
        (
            call
            for call in facts.calls
            if call.purpose is purpose and request in (0, call.request) and n in (None, call.n)
        ),
        None,
    )


def was_answered(facts: MissionFacts, purpose: OrderKind, n: int | None = None) -> bool:
    return any(
        call.purpose is purpose and call.state is CallState.ANSWERED and n in (None, call.n)
        for call in facts.calls
    )


def waiting(facts: MissionFacts) -> str:
    """Why a call that was ordered is not answered; empty: it is being asked."""
    if facts.planner_away:
        return Reason.PLANNER_AWAY
    return f"{Reason.PLANNER_WAITS}:{facts.planner_waits}" if facts.planner_waits else ""
