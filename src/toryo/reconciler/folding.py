"""From a run's raw facts to what is known of it: order-free, the first exit record wins. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toryo.domain.words import OVERTAKEN, TARGET_MOVED, Outcome
from toryo.reconciler import run_ends
from toryo.reconciler.parking import wait_until
from toryo.reconciler.problems import Problem


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
    said: dict[str, Any] | None = None
    parked_until: float | None = None
    signs: dict[str, Any] | None = None
    """Of a live run: `asks`, what it waits for a person to answer, `silent_since`, and the `line` that it
    printed last; None: none of them."""


def fold_run(facts: Iterable[RawFact], waited: int = 0) -> RunFold:
    """`waited`: how many runs in a row were parked before this one."""
    first: dict[str, RawFact] = {}
    moved, shown = 0.0, None
    for fact in sorted(facts, key=lambda one: one.at):
        if fact.kind == "signs" and (shown is None or fact.body["n"] > shown.body["n"]):
            shown = fact
        first.setdefault(fact.kind, fact)
        moved += float(fact.body["by"]) if fact.kind == "parking_moved" else 0.0
    prepared, started, collected = first.get("prepared"), first.get("started"), first.get("collected")
    fold = RunFold(
        start_commit=str(prepared.body.get("head", "")) if prepared else "",
        worktree=str(prepared.body.get("worktree", "")) if prepared else "",
        started_at=started.at if started else None,
        collected=dict(collected.body) if collected else None,
        signs=_signs(shown) if shown else None,
    )
    over = _ended(fold, first, waited)
    if not moved or over.parked_until is None:
        return over
    return replace(over, parked_until=over.parked_until + moved)


def _signs(fact: RawFact) -> dict[str, Any] | None:
    asks, silent_s = str(fact.body.get("asks") or ""), fact.body.get("silent_s")
    since = None if silent_s is None else fact.at - float(silent_s)
    line = str(fact.body.get("line") or "")
    told = {"asks": asks, "silent_since": since, **({"line": line} if line else {})}
    return told if asks or since is not None or line else None


def _ended(fold: RunFold, first: Mapping[str, RawFact], waited: int) -> RunFold:
    exited = first.get("exited")
    if exited:
        return _exited(fold, exited, None if "unparked" in first else waited)
    for kind, outcome, reason in (
        ("lost", Outcome.LOST, "stopped" if "stop_asked" in first else ""),
        ("released", Outcome.UNKNOWN, "released"),
        ("withdrawn", Outcome.CANCELLED, "withdrawn"),
        ("submitted", Outcome.SUCCEEDED, "submitted"),
        ("reported", Outcome.UNKNOWN, "reported"),
        ("expired", Outcome.LOST, "expired"),
    ):
        fact = first.get(kind)
        if fact:
            return _over(fold, outcome, reason, fact.at)
    prepared = first.get("prepared")
    problem = prepared.body.get("problem") if prepared else None
    if prepared and problem:
        if problem.get("code") == TARGET_MOVED:  # nobody began it: once more, from where the target is now
            return _over(fold, Outcome.CANCELLED, OVERTAKEN, prepared.at)
        cause = run_ends.of_preparation(Problem(problem.get("code", ""), problem.get("message", "")))
        return _over(fold, Outcome.FAILED, cause, prepared.at)
    return fold


LONGEST_MESSAGE = 500


def _exited(fold: RunFold, fact: RawFact, waited: int | None) -> RunFold:
    """`waited` is None once a person ended the waiting."""
    body, said = fact.body, fact.body.get("said")
    code, signal = body.get("exit_code"), str(body.get("signal") or "")
    limited, until = _limited(said, code == 0 and not signal), None
    reason = ""
    if body.get("stopped"):
        outcome, reason = Outcome.CANCELLED, "stopped"
    elif body.get("could_not_start"):
        outcome, reason = Outcome.FAILED, run_ends.of_launch(body["could_not_start"])
    elif limited:  # before the time limit: a client that waits for the network for ever meets that one
        outcome, reason = Outcome.PARKED, run_ends.of_limit(str(limited.get("why")), _line(limited))
        if waited is not None:
            until = wait_until(str(limited.get("resets_at") or ""), fact.at, waited)
    elif body.get("timed_out"):
        outcome = Outcome.TIMED_OUT
    else:
        reason = "" if signal else _no_success(said, code)
        reason = "disk_full" if body.get("disk_full") else reason
        outcome = Outcome.FAILED if code != 0 or signal or reason else Outcome.SUCCEEDED
    over = _over(fold, outcome, reason, fact.at)
    told = {"exit_code": code, "signal": signal, "said": dict(said) if said else None, "parked_until": until}
    return RunFold(**{**over.__dict__, **told})


def _limited(said: Mapping[str, Any] | None, exited_well: bool) -> Mapping[str, Any] | None:
    """What made it stop; a limit that it outlived stopped nothing."""
    if not said or (exited_well and said.get("result") == "success"):
        return None
    return said.get("limited")


def _no_success(said: Mapping[str, Any] | None, code: int | None) -> str:
    """Why its own record is none of a success: exit 0 is not enough where there is such a record."""
    if not said:
        return ""
    if said.get("result") == "error":
        word = str(said.get("error") or "error").partition(":")[0]
        return run_ends.of_client(word, _line(said))
    return "no_result" if said.get("result") != "success" and code == 0 else ""


def _line(told: Mapping[str, Any]) -> str:
    return " ".join(str(told.get("message") or "").split())[:LONGEST_MESSAGE]


def _over(fold: RunFold, outcome: Outcome, reason: str, at: float) -> RunFold:
    return RunFold(
        **{**fold.__dict__, "live": False, "outcome": outcome, "outcome_reason": reason, "ended_at": at}
        | {"signs": None}
    )
