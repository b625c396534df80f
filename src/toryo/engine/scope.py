"""The scope of a run: the project's, the agent's and the task's patterns as one snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain.scopes import Scope
from toryo.domain.units import CONTRACT
from toryo.engine.project_settings import settings_of
from toryo.store.database.rows import AgentRow, ProjectRow, TaskRow
from toryo.store.tables.runs import LiveScope


def scope_of(project: ProjectRow, agent: AgentRow, task: TaskRow) -> Scope:
    exclude = [*settings_of(project.settings).scope.exclude, *agent.scope.get("exclude", ())]
    own = None if task.predicted else task.write
    write = own if own is not None else agent.scope.get("write")
    return Scope(
        exclude=tuple(dict.fromkeys(exclude)),
        read=tuple(agent.scope.get("read") or ("**",)),
        write=None if write is None else tuple(write),
    )


def private_of(project: ProjectRow, task: TaskRow) -> tuple[str, ...]:
    """Paths of its worktree that never land, unless the target tracks them."""
    return (*(CONTRACT if task.unit else ()), *settings_of(project.settings).worktree_files)


def writes_of(project: ProjectRow, agent: AgentRow, task: TaskRow) -> tuple[str, ...] | None:
    """What it is expected to write, for scheduling: also where that is only predicted."""
    return tuple(task.write) if task.write is not None else scope_of(project, agent, task).write


def writes_of_live(run: LiveScope) -> tuple[str, ...] | None:
    """Of a live run the same: its own scope holds no prediction, since that binds nobody."""
    if run.predicted and run.wish is not None:
        return tuple(run.wish)
    return from_json(run.scope).write


def as_json(scope: Scope) -> dict[str, Any]:
    write = None if scope.write is None else list(scope.write)
    kept_out = {"kept_out": list(scope.kept_out)} if scope.kept_out else {}
    private = {"private": list(scope.private)} if scope.private else {}
    return {"exclude": list(scope.exclude), "read": list(scope.read), "write": write, **kept_out, **private}


def from_json(body: Mapping[str, Any]) -> Scope:
    write = body.get("write")
    return Scope(
        exclude=tuple(body.get("exclude", ())),
        read=tuple(body.get("read", ("**",))),
        write=None if write is None else tuple(write),
        kept_out=tuple(body.get("kept_out", ())),
        private=tuple(body.get("private", ())),
    )
