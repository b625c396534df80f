"""Steps of a task in a few words: `implement → conflict → resolve → green → on main`. Facts only, no
claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toryo.domain.words import BY_HAND, ENDED_BADLY, Outcome
from toryo.reconciler.subjects import DROPPED, REMOVED, UNWANTED
from toryo.store.gather.task_steps import LandingStep, RunStep

MOST = 12
"""Of a longer way the end is told."""
_OUTCOMES = {
    Outcome.TIMED_OUT: "timed out",
    Outcome.CANCELLED: "stopped",
    Outcome.LOST: "lost",
    Outcome.PARKED: "parked",
}


def steps(runs: Sequence[RunStep], landings: Sequence[LandingStep]) -> list[str]:
    """Of these runs, each followed by what became of its landings."""
    told: list[str] = []
    for run in runs:
        if run.reason.startswith("withdrawn"):
            continue  # it never began
        told += [run.purpose, *_of_run(run)]
        for landing in landings:
            if landing.generation == run.generation:
                told += _of_landing(landing)
    return told if len(told) <= MOST else ["…", *told[-MOST:]]


def _of_run(run: RunStep) -> Iterator[str]:
    """How it ended, where that is not what every run does."""
    if run.live or run.purpose in BY_HAND:
        return
    if run.outcome in _OUTCOMES:
        yield _OUTCOMES[Outcome(run.outcome)]
    elif run.signal:
        yield run.signal
    elif run.exit_code:
        yield f"exit {run.exit_code}"
    elif run.outcome == Outcome.FAILED:
        yield run.reason.partition(":")[0].replace("_", " ") or "failed"
    elif run.new_commits == 0:
        yield "no commit"


def _of_landing(landing: LandingStep) -> Iterator[str]:
    if landing.ended in ENDED_BADLY:
        yield landing.ended.replace("_", " ")
    elif landing.accepted and landing.ended not in (DROPPED, UNWANTED):
        yield landing.verdict or "accepted"
        if landing.ended == REMOVED:
            yield f"no longer on {landing.target}"
        elif landing.published:
            yield f"on {landing.target}"
