"""Sessions that a person ends (S1-48)."""

from __future__ import annotations

from toryo.domain.errors import Refused
from toryo.engine.context import HeadContext
from toryo.protocol.views import sessions as views
from toryo.store.tables import tokens
from toryo.usecases.finding import the_agent, the_project


def end_sessions(
    context: HeadContext, agent: str, project: str, path: str, session: str = ""
) -> views.ReleasedAgent:
    """A person ends what holds a pair without a run that `stop_run` could name: all, or the one named."""
    with context.store.change() as tx:
        chosen = the_project(tx, project, path).id
        pair = the_agent(tx, agent, chosen).id, chosen
        loose = [token for token in tokens.active_of_pair(tx, *pair, tx.now) if not token.run]
        loose = [token for token in loose if token.hash.startswith(session)]
        if not loose:
            raise Refused(
                f"{pair[0]} has no session without a run in this project.",
                hint="See `toryo run list`; `toryo run stop` ends a run.",
            )
        for token in loose:
            tokens.end(tx, token.hash, "operator")
        tx.emit("session_ended", {"agent": pair[0], "by": "operator"}, project=pair[1])
    return {"success": True, "agent": pair[0], "project": pair[1], "ended": len(loose)}
