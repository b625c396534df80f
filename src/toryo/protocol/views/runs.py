"""Answers about runs: a run with its facts, its log, its window, and the words that were said to it."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, CoordinatorId, ProjectId, RunId, TaskId
from toryo.protocol.views.answer import Answer, ProblemView


class UsageView(TypedDict):
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    turns: int | None
    cost_usd: float | None


class CommitView(TypedDict):
    id: str
    subject: str


class ViolationView(TypedDict):
    path: str
    rule: str


class ForeignView(TypedDict):
    what: str
    name: str
    before: str
    after: str
    kept: NotRequired[str]


class WordsView(TypedDict):
    message: str | None
    text: str
    state: str
    detail: str
    said_at: str | None
    ended_at: str | None


class ClaimView(TypedDict):
    run: RunId
    kind: str
    result: str
    summary: str
    next_steps: str
    late: bool
    at: str | None


class ToldAtTheEnd(TypedDict):
    """What an outside orchestrator told of its worker's end."""

    error: str
    artifacts: list[str]


class RunView(ToldAtTheEnd):
    id: RunId
    task: TaskId
    project: ProjectId
    purpose: str
    generation: int
    agent: AgentName
    client: str
    client_version: str | None
    model: str | None
    usage: UsageView | None
    conversation: str | None
    denied: list[str]
    message: str | None
    last_words: str | None
    coordinator: CoordinatorId
    access: str
    live: bool
    outcome: str
    reason: str
    parked_until: str | None
    asks: str | None
    silent_since: str | None
    dod_result: str
    exit_code: int | None
    signal: str | None
    started_at: str | None
    ended_at: str | None
    worktree: str
    prompt_hash: str
    commits: int
    commits_beyond_base: int
    log: list[CommitView]
    changed_files: list[str]
    uncommitted: list[str]
    snapshot: str | None
    snapshot_commit: str | None
    children_killed: list[str]
    violations: list[ViolationView]
    foreign: list[ForeignView]
    kept_worktree: str
    words: list[WordsView]
    claims: list[ClaimView]


class ListedRuns(Answer):
    runs: list[RunView]


class OneRun(Answer):
    run: RunView


class StoppedRun(Answer):
    run: RunId


class ReleasedRun(Answer):
    run: RunId
    waiting_ended: NotRequired[bool]
    """Of a parked run: its account waits no longer."""


class RestoredSnapshot(Answer):
    path: str
    files: int
    branch: str


class AttachedRun(Answer):
    argv: list[str]
    run: RunId


class Spoken(Answer):
    message: str
    answered: str
    run: RunId
    delivered: bool
    seen: bool
    waiting: str
    problem: ProblemView | None


class WordsInLog(TypedDict):
    line: int
    message: str | None
    text: str
    state: str
    said_at: str | None


class LogPage(Answer):
    run: RunId
    task: TaskId
    agent: AgentName
    outcome: str
    started_at: str | None
    ended_at: str | None
    text: str
    start: int
    """Where the text begins; `before` this is the page above it."""
    next_offset: int
    size: int
    """Bytes of the whole log."""
    ended: bool
    times: list[list[int | str]]
    said: list[WordsInLog]


class LogMatch(TypedDict):
    start: int
    """Where its line begins."""
    text: str


class LogMatches(Answer):
    run: RunId
    task: TaskId
    matches: list[LogMatch]
    next_offset: int
    size: int
    ended: bool
    """Whether all of the log was looked through."""


class ScreenText(Answer):
    run: RunId
    text: str
    columns: int
    rows: int
    cursor: list[int]
    """Column and row, from 0."""
