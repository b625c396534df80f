"""Orders of a run: prepare its worktree, run its agent, stop it; and what is reported of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toryo.domain.words import OrderKind, Purpose
from toryo.protocol.base import Kind, Model, Problem, Whole
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.target import OfTarget, OnTarget
from toryo.protocol.kinds.units import UnitFile, UnitPlace


class StopInputs(Model):
    run: str
    grace_s: float = 5
    reason: str = ""


class Stopped(Model):
    asked: bool
    gone: bool


class Usage(Model):
    """What a run cost, as its client counted it; None: the client does not say."""

    input_tokens: Whole | None = None
    """All that was sent, cached or not."""
    cached_tokens: Whole | None = None
    output_tokens: Whole | None = None
    turns: Whole | None = None
    cost_usd: float | None = None


class WorktreeSetup(Model):
    """What is run in a run's worktree before its agent, again where one of the inputs changed."""

    commands: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


class Limited(Model):
    """The account or the service asked us to wait: the run is parked, not failed."""

    why: Literal["usage_limit", "outage"]
    message: str = ""
    resets_at: str = ""
    """ISO-8601 UTC; empty: the client did not say when."""


class Said(Model):
    """What a client's own record says of a run; exit code and commits are seen by us, not said by it."""

    client_version: str = ""
    model: str = ""
    conversation: str = ""
    """The client's own id, to go on with the same conversation."""
    result: Literal["success", "error", "none"] = "none"
    """Of its final result record; `none`: there was no such record, whatever the exit code."""
    error: str = ""
    """A code where `result` is error: api_error, interrupted, max_turns, login …"""
    message: str = ""
    """The first line of the error, or of the agent's last words."""
    words: str = ""
    """The agent's last words where `result` is success; of long ones the end.

    Of a program without a record: the last paragraph that it printed."""
    denied: tuple[str, ...] = ()
    """Tools the client refused to the agent."""
    usage: Usage | None = None
    limited: Limited | None = None


class Signs(Model):
    """Of a run that lives; the one with the highest number holds."""

    n: Whole
    asks: str = ""
    """What it asks a person and waits for; empty: nothing that is known of."""
    silent_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """So long it had printed nothing when this was told; None: it prints."""
    line: Annotated[str, Field(max_length=1000)] = ""
    """The last readable line that it printed."""


class Started(Model):
    shim_pid: Whole
    pid: Whole
    started_at: str
    boot: str
    log: str = ""


class Lost(Model):
    reason: str
    boot_changed: bool = False


class PrepareInputs(OnTarget):
    repo: str
    run: str
    task: str
    agent: str
    client: str
    purpose: Purpose
    name: str
    """Wished name of the worktree; where it is taken the coordinator adds `-2` … and reports what it took."""
    existing: bool = False
    """True for later runs of a task: the worktree and branch `name` are the task's own and are used again."""
    base: str
    """The commit to branch from (the tip, or the predecessors' accepted commit)."""
    target: str
    merge: str = ""
    """resolve runs: the commit whose merge into the branch is begun and left with its conflicts."""
    scope: ScopeInputs = ScopeInputs()
    prompt: str
    """Blob hash."""
    worktree_root: str = ".worktrees"
    files: tuple[UnitFile, ...] = ()
    """Written anew at each run of a unit."""
    copies: tuple[str, ...] = ()
    """Untracked files of the checkout that are copied into the worktree."""


class RunInputs(Model):
    repo: str
    worktree: str
    run: str
    task: str
    agent: str
    project: str
    client: str
    command: str = ""
    model: str = ""
    purpose: Purpose
    access: Literal["sealed", "connected"] = "sealed"
    style: Literal["exec", "interactive"] = "exec"
    terminal: Literal["plain", "tmux"] = "plain"
    start_in: Literal["", "context", "worktree"] = ""
    """Empty: where the client does best."""
    resume: str = ""
    """The client's own id of the conversation that this run goes on with."""
    used: Usage | None = None
    """What that conversation had used before."""
    setup: WorktreeSetup = WorktreeSetup()
    feature_directory: str = ""
    """Of the mission that the run works for, in the worktree: where its spec is."""
    unit: UnitPlace | None = None
    """None: its task is no unit."""
    prompt: str
    timeout_s: float
    token: str = ""
    """One-time run token of a connected run; added to the answer of next_orders, never stored."""


class Prepared(OfTarget):
    problem: Problem | None = None
    name: str = ""
    worktree: str = ""
    branch: str = ""
    base: str = ""
    head: str = ""
    fingerprint: str = ""
    prompt_hash: str = ""


class Exited(Model):
    exit_code: Whole | None
    signal: str = ""
    timed_out: bool = False
    stopped: bool = False
    terminal_lost: bool = False
    could_not_start: str = ""
    started_at: str = ""
    ended_at: str = ""
    duration_s: float = 0
    children_killed: tuple[str, ...] = ()
    """Command lines of descendants that outlived the agent and were ended by the shim."""
    said: Said | None = None
    """Of a client that keeps a record of its own: what it says of this run."""
    disk_full: bool = False
    """It failed, and then there was no room on the disk it worked on."""


KINDS = (
    Kind(OrderKind.PREPARE, PrepareInputs, {"prepared": Prepared}),
    Kind(OrderKind.RUN, RunInputs, {"exited": Exited, "lost": Lost}, {"started": Started, "signs": Signs}),
    Kind(OrderKind.STOP, StopInputs, {"stopped": Stopped}),
)
