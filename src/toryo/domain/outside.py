"""How outside orchestrators see a run (S4-24, S4-25). Pure."""

from __future__ import annotations

from toryo.domain.words import Outcome

TIMEOUT_EXIT = 124
"""As of `timeout`, which may be the agent's own command."""


def dod_result(outcome: Outcome, *, merged: bool, exit_code: int | None = None) -> str:
    """pending, merged, timeout or error: from the outcome and whether its work was published."""
    if merged:
        return "merged"
    match outcome:
        case Outcome.TIMED_OUT:
            return "timeout"
        case Outcome.RUNNING | Outcome.SUCCEEDED | Outcome.PARKED | Outcome.UNKNOWN:
            return "pending"
        case _:
            return "timeout" if exit_code == TIMEOUT_EXIT else "error"
