"""What a client is given and what it answers: the border between a run and the program it drives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from toryo.domain.errors import UserError


class CannotCall(UserError):
    """The client cannot be called like that."""


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


@dataclass(frozen=True)
class Command:
    argv: tuple[str, ...]
    stdin: str | None = None
    """Text for the standard input; None: nothing."""
    cwd: Literal["worktree", "context"] = "worktree"


class Client(Protocol):
    """How one agent CLI is driven."""

    @property
    def name(self) -> str: ...

    @property
    def program(self) -> str | None:
        """What to look for on PATH; None: nothing to look for."""

    def argv(self, call: Call) -> Command: ...


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
