"""Answers about evidence: the facts a status stands on, the checks once more, a diff, a check's output."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from toryo.domain.ids import GateId, TaskId
from toryo.protocol.views.answer import Answer
from toryo.protocol.views.runs import ForeignView, RunView, ViolationView
from toryo.protocol.views.tasks import RunningCheck, VerbView


class CheckView(TypedDict):
    command: str
    result: str
    exit_code: int | None
    duration_s: float
    output: str
    attempts: int
    output_blob: NotRequired[str]
    reason: NotRequired[str]
    setup_key: NotRequired[str]
    fingerprint: NotRequired[str]
    reused: NotRequired[bool]
    at: NotRequired[str | None]


class GateView(TypedDict):
    id: GateId
    setup: dict[str, list[str]]
    """`commands` and `inputs`."""
    exclude: list[str]


class BaseView(TypedDict):
    """The gate of the tip, which holds the task up."""

    tree: str
    verdict: str
    checks: list[CheckView]


class Evidence(Answer):
    task: TaskId
    id: GateId | None
    """Null: it has no evidence yet; this is what is known."""
    at: str | None
    title: str
    status: str
    reason: str
    tree: str
    commit: str
    verdict: str
    checks: list[CheckView]
    runs: list[RunView]
    violations: list[ViolationView]
    foreign: list[ForeignView]
    verbs: list[VerbView]
    settings_problem: NotRequired[str]
    """Missing in evidence of older versions."""
    changed_files: list[str]
    checking: RunningCheck | None
    next: list[str]
    base: BaseView | None
    landing: NotRequired[str]
    """This and the following: missing before the first try to land."""
    restored: NotRequired[list[str]]
    """Paths that the work had changed and that stayed as the target has them."""
    head: NotRequired[str]
    old_tip: NotRequired[str]
    target: NotRequired[str]
    trusted_by_person: NotRequired[bool]
    gate: NotRequired[GateView | None]


class CheckedAgain(TypedDict):
    command: str
    result: str | None
    exit_code: int | None
    duration_s: float | None
    reason: str | None
    output: str


class Verified(Answer):
    task: TaskId
    what: str
    commit: str
    tree: str
    verdict: str
    verified: bool
    unchecked: bool
    checks: list[CheckedAgain]


class DiffPage(Answer):
    task: TaskId
    base: str
    head: str
    text: str
    next_offset: int
    size: int
    """Bytes of the whole diff."""
    ended: bool


class CheckOutput(Answer):
    task: TaskId
    status: str
    check: RunningCheck | None
    text: str
    next_offset: int
