"""How outside orchestrators see a run (S4-24, S4-25). Pure."""

from __future__ import annotations

from toryo.domain.words import Outcome


def dod_result(outcome: Outcome, *, merged: bool) -> str:
    """pending, merged, timeout or error: from the outcome and whether its work was published."""
    if merged:
        return "merged"
    match outcome:
        case Outcome.TIMED_OUT:
            return "timeout"
        case Outcome.RUNNING | Outcome.SUCCEEDED | Outcome.PARKED | Outcome.UNKNOWN:
            return "pending"
        case _:
            return "error"
