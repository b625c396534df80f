"""Runs that a usage limit or an outage stopped: how long their account waits, and when a person looks. Pure.

Parking is the account's, a client on a machine; that nothing of it starts meanwhile is tested at the claim.
"""

from __future__ import annotations

from datetime import UTC, datetime

from toryo.domain.words import TaskStatus
from toryo.reconciler.attempts import Attempt
from toryo.reconciler.decisions import TaskDecision
from toryo.reconciler.dispatch import again
from toryo.reconciler.problems import Problem
from toryo.reconciler.subjects import Policy, RunFacts, TaskFacts

FIRST_WAIT_S = 60
LONGEST_WAIT_S = 1800
LONGEST_SAID_S = 8 * 86400
"""Limits are per week at most: a moment behind that is a mistake in the client's words."""

WORDS = {"usage_limit": "usage limit", "outage": "outage"}


def wait_until(resets_at: str, ended_at: float, waited: int) -> float:
    """The moment the client named; without one 1, 2, 4 … 30 minutes, longer with each wait before."""
    said = moment_of(resets_at, ended_at)
    if said is not None:
        return said
    return ended_at + min(FIRST_WAIT_S << min(waited, 10), LONGEST_WAIT_S)


def moment_of(text: str, told_at: float) -> float | None:
    """The moment that was named, where it can be one; None: nobody knows."""
    said = _moment(text)
    return said if said is not None and told_at < said <= told_at + LONGEST_SAID_S else None


def _moment(text: str) -> float | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def described(why: str, client: str, until: float | None) -> str:
    """`usage limit of claude until 2026-11-15 14:05 UTC`"""
    what = f"{WORDS.get(why, why)} of {client or 'its client'}"
    if until is None:
        return what
    return f"{what} until {datetime.fromtimestamp(until, UTC).strftime('%Y-%m-%d %H:%M')} UTC"


def after_parked(
    task: TaskFacts, attempt: Attempt, run: RunFacts, limit: Problem, policy: Policy
) -> TaskDecision:
    """One more run of the same purpose, once its account may; after too many in a row a person looks."""
    waits = attempt.parked_in_a_row
    text = described(limit.code, run.client, run.parked_until)
    if limit.message:
        text = f"{text}: {limit.message}"
    if waits > policy.parked_runs and not attempt.approved(limit.code, run.generation):
        return TaskDecision(TaskStatus.NEEDS_REVIEW, limit.code, f"{waits} runs in a row, the last: {text}")
    return again(task, attempt, run.purpose, "parked", policy, text)
