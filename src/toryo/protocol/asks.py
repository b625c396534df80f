"""Asks: reads that a coordinator answers while the asker waits; in the daemon's memory, never in the store.

An ask carries one read; an answer is one piece of it, the rest comes by the next offset.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from toryo.protocol.base import Model, Problem, Whole

LARGEST = 131_072
"""Bytes of one answer's text."""


class LogRead(Model):
    """A page of a run's output: from an offset, before one, or its last lines."""

    what: Literal["log"] = "log"
    run: str
    client: str = ""
    """Whose lines they are, to show them readably."""
    raw: bool = False
    tail: Whole = 0
    """So many of its last lines, instead of from an offset; 0: from there."""
    before: Whole = 0
    """The page that ends at this offset; 0: the one that begins at `offset`."""
    offset: Whole = 0
    limit: Whole = 65536
    colours: bool = False
    """With its SGR escape codes."""


class SearchRead(Model):
    """The lines of a run's output that hold a text, as they are shown."""

    what: Literal["search"] = "search"
    run: str
    client: str = ""
    text: str
    any_case: bool = False
    offset: Whole = 0
    limit: Whole = 50
    """Lines that are found at most."""


class WindowRead(Model):
    """The command line that shows a run's window."""

    what: Literal["window"] = "window"
    run: str


class ScreenRead(Model):
    """What stands on the screen of a run's window."""

    what: Literal["screen"] = "screen"
    run: str
    colours: bool = False
    """With its SGR escape codes."""


class CheckRead(Model):
    """What a check has printed so far."""

    what: Literal["check"] = "check"
    order: str
    """The order that is being carried out."""
    offset: Whole = 0
    limit: Whole = 65536


class LeftRead(Model):
    """What a worktree holds beyond what was collected."""

    what: Literal["left"] = "left"
    repo: str
    run: str
    worktree: str = ""
    branch: str = ""
    head: str = ""
    snapshot: str = ""
    """What was collected; only what was made since is told."""


class HealthRead(Model):
    """What is installed on the machine, and how much room there is."""

    what: Literal["health"] = "health"
    programs: tuple[str, ...] = ()
    """Which of these are on PATH."""


class TargetRead(Model):
    """Where a target branch stands; one that moved is reported as well."""

    what: Literal["target"] = "target"
    project: str
    repo: str
    target: str
    published: str = ""


class DiffRead(Model):
    what: Literal["diff"] = "diff"
    repo: str
    base: str
    head: str
    stat: bool = False
    """Only which files changed, and how much."""
    offset: Whole = 0
    limit: Whole = 65536


class CommitsRead(Model):
    """Commits of `head` that `base` does not have, newest first; without a base, all."""

    what: Literal["commits"] = "commits"
    repo: str
    base: str = ""
    head: str
    offset: Whole = 0
    limit: Whole = 200


class FileRead(Model):
    """The text of a file at a commit."""

    what: Literal["file"] = "file"
    repo: str
    commit: str
    path: str
    offset: Whole = 0
    limit: Whole = 65536


class TreeRead(Model):
    """The entries of a folder at a commit."""

    what: Literal["tree"] = "tree"
    repo: str
    commit: str
    path: str = ""
    """Empty: the root."""
    offset: Whole = 0
    limit: Whole = 1000


class FolderRead(Model):
    """Named files of a folder as a branch has them, and which of them lie otherwise in the checkout."""

    what: Literal["folder"] = "folder"
    repo: str
    checkout: str = ""
    """A path in the checkout of it that is meant, which may be a linked worktree; empty: the main one."""
    branch: str
    folder: str
    names: tuple[str, ...]


class BranchesRead(Model):
    """Branches of a repository, each with its distance from one of them."""

    what: Literal["branches"] = "branches"
    repo: str
    target: str
    name: str = ""
    """Only the one of this name; empty: all."""
    offset: Whole = 0
    limit: Whole = 100


AnyRead = Annotated[
    LogRead
    | SearchRead
    | WindowRead
    | ScreenRead
    | CheckRead
    | LeftRead
    | HealthRead
    | TargetRead
    | DiffRead
    | CommitsRead
    | FileRead
    | TreeRead
    | FolderRead
    | BranchesRead,
    Field(discriminator="what"),
]
READ: TypeAdapter[AnyRead] = TypeAdapter(AnyRead)
"""Reads one that travelled."""


class Ask(Model):
    """As it travels to the coordinator; what it knows of the read is the coordinator's own."""

    id: str
    within_s: float
    """So long somebody waits for the answer."""
    read: dict[str, Any]


class AskAnswer(Model):
    problem: Problem | None = None
    text: str = ""
    start: Whole = 0
    """Where the text begins."""
    next_offset: Whole = 0
    size: Whole = 0
    """Of all there is."""
    ended: bool = False
    body: dict[str, Any] = Field(default_factory=dict)


class Answered(Model):
    id: str
    answer: AskAnswer
