"""Expired sessions: their tokens end; occupancy only where no process can be observed (S1-46, S1-49)."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.engine.facts.runs import own_fact
from toryo.store.database.engine import Tx
from toryo.store.tables import runs, tokens
from toryo.yaml.home_settings import SessionLimits

EXPIRY = "expiry"


def look_again(tx: Tx, expires: float, limits: SessionLimits) -> None:
    """While there are sessions, their deadlines are looked at once per interval, whatever a mark says."""
    tx.mark(subjects.SESSIONS, min(expires, tx.now + limits.cleanup_interval))


def expire_sessions(tx: Tx, limits: SessionLimits) -> None:
    """Ended by time: a token always; occupancy only where no process can be observed."""
    for row in tokens.expired(tx, tx.now):
        tokens.end(tx, row.hash, EXPIRY)
        run = runs.get(tx, row.run) if row.run else None
        tx.emit("session_expired", {"agent": row.agent}, project=row.project, run=row.run)
        if run and run.live and not run.coordinator:
            own_fact(tx, run, "expired")
    following = tokens.next_expiry(tx)
    if following is not None:
        look_again(tx, following, limits)
