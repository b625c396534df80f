"""Answers about projects: a project with its targets, a survey of a repository, and what was done to one."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, ProjectId
from toryo.protocol.views.answer import Answer, ProblemView


class TargetView(TypedDict):
    name: str
    tip: str
    published: str
    waiting: list[str]
    waiting_why: str
    stopped: str


class ProjectView(TypedDict):
    id: ProjectId
    name: str
    path: str
    machine: str
    status: str
    base: str
    settings_from: str
    settings_problem: str
    checks: list[str]
    setup: list[str]
    default_agent: str
    agents: list[str]
    targets: list[TargetView]
    created_at: str | None


class ListedProjects(Answer):
    projects: list[ProjectView]


class OneProject(Answer):
    project: ProjectView


class CheckOffer(TypedDict):
    type: str
    command: str


class UnreachedPackage(TypedDict):
    path: str
    command: str


class SurveyView(TypedDict):
    problem: ProblemView | None
    root: str
    git_dir: str
    git_version: str
    head_branch: str
    base: str
    base_commit: str
    base_tree: str
    branches: list[str]
    submodules: list[str]
    lfs: bool
    project: ProjectId
    owner: str
    settings_files: dict[str, str]
    settings_from: str
    settings_tree: str
    clients: dict[str, str]
    checks: list[CheckOffer]
    setup: list[str]
    setup_inputs: list[str]
    offered: list[CheckOffer]
    unreached: list[UnreachedPackage]
    uncommitted: list[str]
    worktrees: str
    stays_inside: str


class Proposal(Answer):
    """What `init` would write."""

    survey: SurveyView
    files: dict[str, str]
    offered: list[CheckOffer]
    notes: list[str]


class FirstAgent(TypedDict):
    id: AgentName
    client: str | None


class RegisteredProject(Answer):
    project: ProjectView
    agent: FirstAgent
    already_known: bool
    notes: list[str]


class RemovedProject(Answer):
    project: ProjectView
    problem: ProblemView | None
    removed: list[str]
    kept: list[str]
    bundle: str
    done: bool


class ReadSettings(Answer):
    looked: int
    """How many checkouts answered."""
