"""From check results to a gate's verdict, and which check to order next. Pure.

Only the reconciler counts attempts: a failed check is repeated once, and passing then is `flaky`.
"""

from __future__ import annotations

from toryo.domain.words import CheckResult, OrderKind, Verdict
from toryo.reconciler.decisions import GateDecision, OrderWish
from toryo.reconciler.subjects import CheckFacts, CheckSpec, GateFacts

INTERRUPTIONS = 5
"""A check that was interrupted this often cannot be run here."""


def decide_gate(gate: GateFacts) -> GateDecision:
    if not gate.checks and not gate.goals_failed:
        return GateDecision(Verdict.UNCHECKED)
    flaky = False
    for number, spec in enumerate(gate.checks):
        mine = sorted(
            (result for result in gate.results if result.command == spec.command),
            key=lambda result: result.attempt,
        )
        verdict = _of_check(mine)
        if verdict is None:
            return GateDecision(None, _next(gate, spec, number, mine))
        if verdict in (Verdict.RED, Verdict.COULD_NOT_RUN):
            return GateDecision(verdict)
        flaky = flaky or verdict is Verdict.FLAKY
    if gate.goals_failed:
        return GateDecision(Verdict.RED)
    return GateDecision(Verdict.FLAKY if flaky else Verdict.GREEN)


def _of_check(results: list[CheckFacts]) -> Verdict | None:
    counted = [result.result for result in results if not result.interrupted]
    if CheckResult.COULD_NOT_RUN in counted[:2] or len(results) - len(counted) >= INTERRUPTIONS:
        return Verdict.COULD_NOT_RUN
    match counted[:2]:
        case [CheckResult.PASSED, *_]:
            return Verdict.GREEN
        case [CheckResult.FLAKY, *_] | [CheckResult.FAILED, CheckResult.PASSED | CheckResult.FLAKY]:
            return Verdict.FLAKY
        case [CheckResult.FAILED, CheckResult.FAILED]:
            return Verdict.RED
        case _:
            return None


def _next(gate: GateFacts, spec: CheckSpec, number: int, results: list[CheckFacts]) -> OrderWish | None:
    attempt = max((result.attempt for result in results), default=0) + 1
    if (spec.command, attempt) in gate.ordered:
        return None
    key = f"check/{gate.id}/{number}/{attempt}"
    return OrderWish(OrderKind.CHECK, key, gate=gate.id, command=spec.command, attempt=attempt)
