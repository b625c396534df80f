"""What a client is given and what it answers: the border between a run and the program it drives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from toryo.domain.errors import UserError
from toryo.protocol.kinds.run import Said


class CannotCall(UserError):
    """The client cannot be called like that."""

    way_out = "`toryo agent show NAME` says how it is called."


@dataclass(frozen=True)
class Call:
    """One run as a client needs it. The prompt is opaque text."""

    prompt: str
    prompt_file: Path
    worktree: Path
    command: str = ""
    """The agent's command template (`command`) or script (`scripted`)."""
    model: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    agent: str = ""
    repo: Path = Path()
    """The main repository, whose linked worktree `worktree` is."""
    run_dir: Path = Path()
    """The run's own directory, 0700: files made for this run alone."""
    context: Path | None = None
    """Where this agent's context files stand; None: the client has none, or it could not be made (S0-21)."""
    start_in: Literal["context", "worktree"] = "context"
    """Where the CLI is started; its context files are given to it in either case."""
    added: str = ""
    """Text that the client would not find by itself: system prompt and rules of the repository."""
    carried: tuple[Path, ...] = ()
    """Files of the worktree whose text the context carries already."""
    bridge: tuple[str, ...] = ()
    """The command line that joins a stdio MCP client to the daemon; empty in sealed runs."""
    resume: str = ""
    """The client's id of the conversation to go on with."""
    is_root: bool = False


@dataclass(frozen=True)
class Command:
    argv: tuple[str, ...]
    stdin: str | None = None
    """Text for the standard input; None: nothing."""
    cwd: Literal["worktree", "context"] = "worktree"
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the run's environment."""
    hears: bool = False
    """It can be spoken to while it works: it takes words from the run's spool."""


class Client(Protocol):
    """How one agent CLI is driven."""

    @property
    def name(self) -> str: ...

    @property
    def program(self) -> str | None:
        """What to look for on PATH; None: nothing to look for."""

    def argv(self, call: Call) -> Command: ...


class AgentCli(Client, Protocol):
    """A client with a record of its own: an agent CLI. Exit 0 is not enough for its success."""

    @property
    def versions(self) -> Versions: ...

    @property
    def usage_counts(self) -> Literal["run", "conversation"]:
        """Whether the usage of a resumed run is its own, or that of the whole conversation so far."""

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        """What its output (or its turn-end file) says of the run; other lines are passed over.

        Of a run that still goes on, `limited` says that the CLI waits for the service by itself.
        `now` is when that was written, for "resets in two hours"; None: just now.
        """

    def shown(self, line: str) -> str | None:
        """One line of its output for a person; None: nothing to show."""

    def interactive(self, call: Call) -> Interactive:
        """The same run on the CLI's own screen; CannotCall where it has none that can be driven."""


@dataclass(frozen=True)
class Versions:
    """What was tried."""

    argv: tuple[str, ...]
    """Prints the version."""
    tested: tuple[str, ...]
    minimum: str = ""
    install: str = ""
    """The line that installs it."""


@dataclass(frozen=True)
class Interactive:
    command: Command
    ready: tuple[str, ...]
    """Texts of which one on the screen says that the CLI waits for words."""
    leave: str
    """What to type to make it leave."""
    done_file: Path | None = None
    """Written by the CLI's own hook at the end of a turn; None: it has no hook for that."""
    prompt: str | None = None
    """What to type instead of the call's prompt: with the added text, where there is no other way for it."""
    prompt_given: bool = False
    """The prompt is on the command line already and need not be typed."""
    tools_file: Path | None = None
    """Is there once the CLI knows the tools of our MCP server: a prompt that comes earlier finds none."""
    asks_file: Path | None = None
    """Written by the CLI's own hooks when it asks a person and when it goes on; None: it has none."""


_HOLE = re.compile(r"\{(prompt|prompt_file|worktree)\}")


def holes(text: str) -> set[str]:
    return set(_HOLE.findall(text))


def filled(text: str, call: Call) -> str:
    """In one pass: a prompt that speaks of `{worktree}` stays as written. Other braces are left alone."""
    values = {
        "prompt": call.prompt,
        "prompt_file": str(call.prompt_file),
        "worktree": str(call.worktree),
    }
    return _HOLE.sub(lambda hole: values[hole[1]], text)
