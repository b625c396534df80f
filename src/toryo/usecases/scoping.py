"""The scope of a run: the project's, the agent's and the task's patterns as one snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain.scopes import Scope
from toryo.store.rows import AgentRow, ProjectRow, TaskRow
from toryo.usecases.project_settings import settings_of


def scope_of(project: ProjectRow, agent: AgentRow, task: TaskRow) -> Scope:
    exclude = [*settings_of(project.settings).scope.exclude, *agent.scope.get("exclude", ())]
    write = task.write if task.write is not None else agent.scope.get("write")
    return Scope(
        exclude=tuple(dict.fromkeys(exclude)),
        read=tuple(agent.scope.get("read") or ("**",)),
        write=None if write is None else tuple(write),
    )


def as_json(scope: Scope) -> dict[str, Any]:
    write = None if scope.write is None else list(scope.write)
    return {"exclude": list(scope.exclude), "read": list(scope.read), "write": write}


def from_json(body: Mapping[str, Any]) -> Scope:
    write = body.get("write")
    return Scope(
        exclude=tuple(body.get("exclude", ())),
        read=tuple(body.get("read", ("**",))),
        write=None if write is None else tuple(write),
    )
