"""Answers about sessions of outside orchestrators and agents, and the prompt of a worker."""

from __future__ import annotations

from toryo.domain.ids import ProjectId, TaskId
from toryo.protocol.views.answer import Answer


class ReleasedAgent(Answer):
    agent: str
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
