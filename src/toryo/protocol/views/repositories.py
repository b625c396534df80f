"""Views of a repository: commits, a file's text, a folder's entries, branches."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, ProjectId, TaskId
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.answer import Answer


class ListedCommit(TypedDict):
    id: str
    subject: str
    author: str
    at: str


class Page(Answer):
    project: ProjectId
    next_offset: int
    size: int
    """Of all there is: entries of a list, bytes of a text."""
    ended: bool


class ListedCommits(Page):
    task: TaskId | Literal[""]
    """Empty: of a branch."""
    base: str
    head: str
    commits: list[ListedCommit]


class FileText(Page):
    file: str
    commit: str
    text: str
    binary: bool
    """Then there is no text."""


class FolderEntry(TypedDict):
    name: str
    kind: str
    """file, folder, link or repository."""
    size: int | None
    executable: bool


class ListedFolder(Page):
    folder: str
    commit: str
    entries: list[FolderEntry]


class BranchView(TypedDict):
    name: str
    kind: str
    """local, agent or remote."""
    commit: str
    committed_at: str
    subject: str
    ahead: int | None
    """Commits that the target does not have; None: they have nothing in common, or there is no target."""
    behind: int | None
    worktree: str
    """Where it is checked out; empty: nowhere."""
    is_target: bool
    base: NotRequired[str]
    """Where it began; empty where a list was asked for."""
    summary: NotRequired[str]
    """What the planner's model made of its commit; missing: nobody asked."""


class ListedBranches(Page):
    target: str
    target_commit: str
    """Empty: there is no such branch."""
    branches: list[BranchView]


class BranchTask(TypedDict):
    """The newest task that works on a branch."""

    id: TaskId
    title: str
    status: str
    reason: str


class OneBranch(Answer):
    project: ProjectId
    target: str
    """What its distance is counted from."""
    branch: BranchView
    task: BranchTask | None
    actions: list[ActionView]


class DeletedBranch(Answer):
    branch: str
    commit: str
    unmerged: int | None
    """Its commits that the target does not have; None: nobody could count them."""
    kept: str
    """The ref that holds them."""
    back: str
    """The line that makes it again."""


class MergedBranch(Answer):
    """It is on its way through the gate."""

    task: TaskId
    title: str
    branch: str
    target: str
    commit: str
    submitted: bool
    """Of an agent's branch: its own task was submitted, with what its worktree holds."""


class OpenedBranch(Answer):
    branch: str
    path: str
    """Where it is checked out."""
    is_new: bool
    """False: it was there before."""
    line: str
    """What goes there."""


class StartedOnBranch(OpenedBranch):
    agent: AgentName
    argv: list[str]
    """What shows the window."""
    attach: str
    """The same as a line to type."""


class SummarisedBranch(Answer):
    branch: str
    commit: str
    summary: str
    model: str
    """Empty: it was made before."""
    known: bool
