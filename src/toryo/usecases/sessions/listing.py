"""Sessions of outside agents and orchestrators as people see them: who works on what, since when (S1-48)."""

from __future__ import annotations

from toryo.domain.times import iso
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.protocol.views import sessions as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow, TokenRow
from toryo.store.tables import projects, runs, tasks, tokens
from toryo.usecases.finding import the_project
from toryo.yaml.home_settings import SessionLimits

NAME = 12
"""Signs of a token's hash, by which its session is named."""


def list_sessions(context: HeadContext, project: str, path: str) -> views.ListedSessions:
    """Runs that nobody of ours started, and sessions that have no run yet; the oldest first."""
    limits = in_force(context).session
    with context.store.read() as tx:
        only = the_project(tx, project, path).id if project or path else None
        names = {one.id: one.name for one in projects.listing(tx)}
        found = [_of_run(tx, run, limits) for run in runs.live_of_coordinator(tx, "")]
        found += [_loose(one, limits) for one in tokens.active(tx, tx.now) if not one.run]
    for one in found:
        one["project_name"] = names.get(one["project"], one["project"])
    shown = [one for one in found if only is None or one["project"] == only]
    return {"success": True, "sessions": sorted(shown, key=lambda one: one["since"] or "")}


def _loose(token: TokenRow, limits: SessionLimits) -> views.SessionView:
    return {
        "session": token.hash[:NAME],
        "agent": token.agent,
        "project": token.project,
        "project_name": "",
        "run": None,
        "task": None,
        "title": "",
        "since": iso(_since(token, limits)),
        "heard_at": iso(_heard(token, limits)),
        "until": iso(token.expires_at),
    }


def _of_run(tx: Tx, run: RunRow, limits: SessionLimits) -> views.SessionView:
    task = tasks.get(tx, run.task)
    spoken = [one for one in tokens.of_run(tx, run.id) if one.ended_at is None]
    token = spoken[-1] if spoken else None
    return {
        "session": token.hash[:NAME] if token else run.id,
        "agent": run.agent,
        "project": run.project,
        "project_name": "",
        "run": run.id,
        "task": run.task,
        "title": task.title if task else "",
        "since": iso(run.started_at or run.created_at),
        "heard_at": iso(_heard(token, limits)) if token else None,
        "until": iso(token.expires_at) if token else None,
    }


def _since(token: TokenRow, limits: SessionLimits) -> float:
    return token.limit_at - limits.max_timeout


def _heard(token: TokenRow, limits: SessionLimits) -> float:
    """Each call renews it by its timeout."""
    return max(token.expires_at - limits.default_timeout, _since(token, limits))
