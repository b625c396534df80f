"""Facts in few words: a task, a run that did its work, a landing, a person's verb."""

from __future__ import annotations

from typing import Any

from toryo.domain.words import ClaimResult, OrderKind, OrderState, Purpose, Verb
from toryo.reconciler.decide import decide_task
from toryo.reconciler.decisions import TaskDecision
from toryo.reconciler.subjects import (
    CollectedFacts,
    LandingFacts,
    OrderFact,
    Policy,
    RunFacts,
    TaskFacts,
    VerbFact,
)

POLICY = Policy()


def a_task(**facts: Any) -> TaskFacts:
    """One that could start now."""
    return TaskFacts(**{"id": "t1", "agent": "ann", "client": "command", **facts})


def work(commits: int = 1, **facts: Any) -> CollectedFacts:
    return CollectedFacts(**{"head": "h1", "commits": commits, "new_commits": commits, **facts})


def a_run(generation: int = 1, purpose: Purpose = Purpose.IMPLEMENT, **facts: Any) -> RunFacts:
    """One that exited 0 with a commit and was collected."""
    whole = {"prepared": True, "started": True, "ended": True, "exit_code": 0, "collected": work()}
    return RunFacts(f"r{generation}", purpose, generation, **{**whole, **facts})


def a_live_run(generation: int = 1, **facts: Any) -> RunFacts:
    return a_run(generation, **{"ended": False, "exit_code": None, "collected": None, **facts})


def a_lost_run(generation: int = 1, **facts: Any) -> RunFacts:
    return a_run(generation, **{"lost": True, "exit_code": None, **facts})


def an_outside_run(generation: int = 1, **facts: Any) -> RunFacts:
    return a_run(generation, **{"outside": True, "exit_code": None, **facts})


def a_landing(seq: int = 1, generation: int = 1, **facts: Any) -> LandingFacts:
    return LandingFacts(f"l{seq}", seq, generation, **{"head": "h1", **facts})


def landed(seq: int = 1, generation: int = 1, **facts: Any) -> LandingFacts:
    return a_landing(seq, generation, **{"accepted": True, "ended": "landed", **facts})


def said(verb: Verb, reason: str = "", *, generation: int = 1, landing_seq: int = 0) -> VerbFact:
    return VerbFact(verb, generation, landing_seq, reason)


def an_order(kind: OrderKind, state: OrderState = OrderState.TAKEN, **facts: Any) -> OrderFact:
    return OrderFact("o1", kind, str(kind), state, **facts)


def decide(*runs: RunFacts, **facts: Any) -> TaskDecision:
    return decide_task(a_task(runs=runs, **facts), POLICY)


def shown(decision: TaskDecision) -> str:
    return f"{decision.status} {decision.reason}".strip()


FAILED, BLOCKED = ClaimResult.FAILED, ClaimResult.BLOCKED
