"""Answers about agents: an agent, where it works, and what a change of it led to."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, ProjectId, RunId
from toryo.protocol.views.answer import Answer


class AgentView(TypedDict):
    id: AgentName
    name: str
    role: str
    client: str | None
    command: str
    model: str
    system_prompt: str
    prompt: str
    scope: dict[str, list[str] | None]
    slots: int | None
    access: str
    style: str
    terminal: str
    start_in: str
    skills: list[str]
    status: str
    created_at: str | None
    warnings: list[str]
    project: ProjectId | None
    """That defines it; null: it is the installation's."""
    project_name: str | None
    projects: list[str]
    """It works in."""


class ListedAgents(Answer):
    agents: list[AgentView]


class AgentAtWork(AgentView):
    live_runs: list[RunId]
    sessions: list[str]
    """Projects in which it has a session without a run."""


class OneAgent(Answer):
    agent: AgentAtWork


class EnabledAgent(OneAgent):
    took: list[str]
    """Tasks without an agent that are its own now."""


class AddedAgent(Answer):
    agent: AgentView
    passkey: str | None
    changed: bool
    projects: list[str]
    default_of: list[str]
    took: list[str]
    waiting_tasks: int
    notes: list[str]


class Assignment(Answer):
    agent: AgentName
    project: ProjectId
    notes: list[str]
    default_agent: str
    default_of: list[str]
    took: list[str]


class NewPasskey(Answer):
    agent: AgentName
    passkey: str


class RemovedAgent(Answer):
    agent: AgentName


class SyncedAgents(Answer):
    added: list[str]
    changed: list[str]
    unchanged: list[str]
    settings_from: str
    settings_problem: str
    notes: list[str]
