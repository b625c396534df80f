"""From a run's raw facts to what is known of it: order-free, the first exit record wins. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toryo.domain.words import Outcome


@dataclass(frozen=True)
class RawFact:
    kind: str
    body: Mapping[str, Any]
    at: float


@dataclass(frozen=True)
class RunFold:
    """The fact columns of a run."""

    live: bool = True
    outcome: Outcome = Outcome.RUNNING
    outcome_reason: str = ""
    start_commit: str = ""
    worktree: str = ""
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    signal: str = ""
    collected: dict[str, Any] | None = None


def fold_run(facts: Iterable[RawFact]) -> RunFold:
    first: dict[str, RawFact] = {}
    for fact in sorted(facts, key=lambda one: one.at):
        first.setdefault(fact.kind, fact)
    prepared, started, collected = first.get("prepared"), first.get("started"), first.get("collected")
    fold = RunFold(
        start_commit=str(prepared.body.get("head", "")) if prepared else "",
        worktree=str(prepared.body.get("worktree", "")) if prepared else "",
        started_at=started.at if started else None,
        collected=dict(collected.body) if collected else None,
    )
    return _ended(fold, first)


def _ended(fold: RunFold, first: Mapping[str, RawFact]) -> RunFold:
    exited = first.get("exited")
    if exited:
        return _exited(fold, exited)
    for kind, outcome, reason in (
        ("lost", Outcome.LOST, ""),
        ("released", Outcome.UNKNOWN, "released"),
        ("withdrawn", Outcome.CANCELLED, "withdrawn"),
        ("reported", Outcome.UNKNOWN, "reported"),
        ("expired", Outcome.LOST, "expired"),
    ):
        fact = first.get(kind)
        if fact:
            return _over(fold, outcome, reason, fact.at)
    prepared = first.get("prepared")
    problem = prepared.body.get("problem") if prepared else None
    if prepared and problem:
        text = f"prepare:{problem.get('code', '')}: {problem.get('message', '')}"
        return _over(fold, Outcome.FAILED, text, prepared.at)
    return fold


def _exited(fold: RunFold, fact: RawFact) -> RunFold:
    body = fact.body
    code, signal = body.get("exit_code"), str(body.get("signal") or "")
    reason = ""
    if body.get("timed_out"):
        outcome = Outcome.TIMED_OUT
    elif body.get("stopped"):
        outcome, reason = Outcome.CANCELLED, "stopped"
    elif body.get("could_not_start"):
        outcome, reason = Outcome.FAILED, f"could_not_start:{body['could_not_start']}"
    else:
        outcome = Outcome.SUCCEEDED if code == 0 and not signal else Outcome.FAILED
    over = _over(fold, outcome, reason, fact.at)
    return RunFold(**{**over.__dict__, "exit_code": code, "signal": signal})


def _over(fold: RunFold, outcome: Outcome, reason: str, at: float) -> RunFold:
    return RunFold(
        **{**fold.__dict__, "live": False, "outcome": outcome, "outcome_reason": reason, "ended_at": at}
    )
