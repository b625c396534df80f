"""How a session ends without a report: by its time, or by a person's word (S1-46, S1-48, S1-49)."""

from __future__ import annotations

from typing import Any

from toryo.domain.errors import Refused
from toryo.store import runs, tokens
from toryo.store.engine import Tx
from toryo.usecases.context import HeadContext
from toryo.usecases.facts_of_runs import own_fact
from toryo.usecases.finding import the_agent, the_project

CLEANUP_INTERVAL_S = 300
"""While there are sessions, their deadlines are looked at this often, whatever a mark says."""

EXPIRY = "expiry"


def look_again(tx: Tx, expires: float) -> None:
    tx.mark("sessions:all", min(expires, tx.now + CLEANUP_INTERVAL_S))


def expire_sessions(tx: Tx) -> None:
    """Ended by time: a token always; occupancy only where no process can be observed."""
    for row in tokens.expired(tx, tx.now):
        tokens.end(tx, row.hash, EXPIRY)
        run = runs.get(tx, row.run) if row.run else None
        tx.emit("session_expired", {"agent": row.agent}, project=row.project, run=row.run)
        if run and run.live and not run.coordinator:
            own_fact(tx, run, "expired")
    following = tokens.next_expiry(tx)
    if following is not None:
        look_again(tx, following)


def end_sessions(context: HeadContext, agent: str, project: str, path: str) -> dict[str, Any]:
    """A person ends what holds a pair without a run that `stop_run` could name."""
    with context.store.change() as tx:
        chosen = the_project(tx, project, path).id
        pair = the_agent(tx, agent, chosen).id, chosen
        loose = [token for token in tokens.active_of_pair(tx, *pair, tx.now) if not token.run]
        if not loose:
            raise Refused(
                f"{pair[0]} has no session without a run in this project.",
                hint="See `toryo run list`; `toryo run stop` ends a run.",
            )
        for token in loose:
            tokens.end(tx, token.hash, "operator")
        tx.emit("session_ended", {"agent": pair[0], "by": "operator"}, project=pair[1])
    return {"success": True, "agent": pair[0], "project": pair[1], "ended": len(loose)}
