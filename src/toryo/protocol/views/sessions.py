"""Answers about sessions of outside orchestrators and agents, and the prompt of a worker."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, ProjectId, RunId, TaskId
from toryo.protocol.views.answer import Answer


class SessionView(TypedDict):
    """An agent that somebody else started."""

    session: str
    agent: AgentName
    project: ProjectId
    project_name: str
    run: RunId | None
    """None: it has no task yet."""
    task: TaskId | None
    title: str
    since: str | None
    heard_at: str | None
    """When it last called; None: it calls nothing, its orchestrator speaks for it."""
    until: str | None
    """When it ends by itself, unless it calls before."""


class ListedSessions(Answer):
    sessions: list[SessionView]


class ReleasedAgent(Answer):
    agent: AgentName
    project: ProjectId
    ended: int


class WorkerPrompt(Answer):
    prompt: str


class StartedSession(Answer):
    session: str
    task: TaskId
    worktree: str | None
    branch: str | None


class EndedSession(Answer):
    session: str
    task: TaskId
    late: bool
    status: str
    reason: str
