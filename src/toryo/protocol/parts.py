"""Parts that several orders and facts share; speaking with an agent, telling a person, reading (pydantic)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Whole = Annotated[int, Field(ge=-(2**62), le=2**62)]
"""A number that every database can hold."""


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Problem(Model):
    """Why an order could not be carried out; `code` is machine-readable, `hint` is for the person."""

    code: str
    message: str
    hint: str = ""


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
    """The agent's last words where `result` is success; of long ones the end."""
    denied: tuple[str, ...] = ()
    """Tools the client refused to the agent."""
    usage: Usage | None = None
    limited: Limited | None = None


class SayInputs(Model):
    """Words of a person (or another agent) for a running agent."""

    run: str
    message: str
    """Id; the same one is not spoken twice."""
    text: str
    """Blob hash."""
    words: str = ""
    """The text itself, where it is short; added to the answer of next_orders, never stored."""
    number: int = 0
    """Counts what was said to this run, so that it is heard in that order."""


class SayWaiting(Model):
    """The words lie where the agent takes them at its next step; who will take them."""

    reader: Literal["hook", "program"]
    """A hook of the agent CLI, or the program itself, if it looks."""


class Spoken(Model):
    problem: Problem | None = None
    """`unheard`: the run ended before anybody took the words."""
    delivered: bool = False
    seen: bool = False
    """Whether the words were seen on the agent's screen, or taken by its program."""


class Signs(Model):
    """Of a run that lives; the one with the highest number holds."""

    n: Whole
    asks: str = ""
    """What it asks a person and waits for; empty: nothing that is known of."""
    silent_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """So long it had printed nothing when this was told; None: it prints."""


class Started(Model):
    shim_pid: Whole
    pid: Whole
    started_at: str
    boot: str
    log: str = ""


class Lost(Model):
    reason: str
    boot_changed: bool = False


class CheckFound(Model):
    type: str
    command: str


class NotifyInputs(Model):
    """A line for the command that tells a person."""

    command: str
    """For the shell: the home's setting `notify`, never a repository's."""
    text: str
    """Blob hash of the line."""
    limit_s: float = 10


class Notified(Model):
    problem: Problem | None = None
    """It was not started, or nobody knows how it ended."""
    exit_code: int | None = None
    """None: it outstayed its limit, or was not started."""
    timed_out: bool = False
    seconds: float = 0
    output: str = ""
    """The end of what it printed."""


class ReadInputs(Model):
    repo: str = ""
    what: Literal["log", "diff", "commits", "health", "window", "left", "check"]
    run: str = ""
    client: str = ""
    """log: whose lines they are, to show them readably."""
    stat: bool = False
    """diff: only which files changed, and how much."""
    snapshot: str = ""
    """left: what was collected; only what was made since is told."""
    order: str = ""
    """check: the order whose output is read while it is carried out."""
    raw: bool = False
    programs: tuple[str, ...] = ()
    """health: which of these are on PATH."""
    worktree: str = ""
    branch: str = ""
    base: str = ""
    head: str = ""
    offset: int = 0
    limit: int = 65536


class ReadAnswer(Model):
    problem: Problem | None = None
    text: str = ""
    next_offset: Whole = 0
    ended: bool = False
    body: dict[str, Any] = Field(default_factory=dict)
