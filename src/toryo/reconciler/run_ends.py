"""Run end: why a run is over, beside its outcome, and the column `outcome_reason` that holds it. Pure.

The column has `cause`, `cause:words` or, of a preparation, `prepare:code: words`. A client's own code stands
in the place of the cause; one that is spelled like a cause of ours is stored as `error`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toryo.domain.words import Outcome
from toryo.reconciler import problems
from toryo.reconciler.problems import Problem


class Cause(StrEnum):
    """Causes that rules know by name."""

    NONE = ""
    PREPARE = "prepare"
    COULD_NOT_START = "could_not_start"
    STOPPED = "stopped"
    NO_RESULT = "no_result"
    DISK_FULL = "disk_full"
    RELEASED = "released"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


_NOT_A_CLIENTS = (Cause.PREPARE, Cause.COULD_NOT_START, Cause.STOPPED, Cause.NO_RESULT, Cause.DISK_FULL)


@dataclass(frozen=True)
class RunEnd:
    cause: str = ""
    words: str = ""
    prepare: Problem | None = None
    client: Problem | None = None
    """What its client's own record says: a code of the client's, or `no_result`."""
    parked: Problem | None = None


def of_preparation(problem: Problem) -> str:
    return f"{Cause.PREPARE}:{problem.code}: {problem.message}"


def of_launch(words: str) -> str:
    return f"{Cause.COULD_NOT_START}:{words}"


def of_client(code: str, words: str) -> str:
    known = "error" if code in _NOT_A_CLIENTS else code
    return f"{known}:{words}".rstrip(":")


def of_limit(why: str, words: str) -> str:
    return f"{why}:{words}".rstrip(":")


def read(outcome: str | None, column: str) -> RunEnd:
    """What a run's row says of its end."""
    cause, _, words = column.partition(":")
    if outcome == Outcome.PARKED:
        return RunEnd(cause, words, parked=Problem(cause, words))
    if cause == Cause.PREPARE:
        return RunEnd(cause, words, prepare=problems.read(words) or Problem(cause))
    told = outcome == Outcome.FAILED and cause not in ("", Cause.COULD_NOT_START, Cause.DISK_FULL)
    return RunEnd(cause, words, client=Problem(cause, words) if told else None)
