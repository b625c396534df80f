"""Notification of a person: starts the home's `notify` command with one line on its standard input, once
per order.

What is told and when, the daemon decides; the line is passed on unread.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from toryo import processes, settings
from toryo.protocol.base import Problem
from toryo.protocol.kinds.notify import Notified, NotifyInputs

SHELL = ("/bin/sh", "-c")
LONGEST_LINE = 60_000
"""Bytes: what a pipe takes without a reader."""


def notes_of(folder: Path, order: str) -> Path:
    """There from right before the command is started until its end was reported."""
    return folder / "notices" / order


def notify(inputs: NotifyInputs, folder: Path, order: str, line: Callable[[], str]) -> Notified:
    note = notes_of(folder, order)
    if note.exists():
        return Notified(
            problem=Problem(
                code="interrupted",
                message="the coordinator was stopped while the command ran; it is not started twice",
            )
        )
    given = line().encode("utf-8", "replace")[:LONGEST_LINE] + b"\n"
    note.parent.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    outer = settings.environment()
    env = {name: value for name, value in outer.items() if not name.startswith("GIT_")}
    ended = processes.run_bounded(
        (*SHELL, inputs.command), stdin=given, limit_s=inputs.limit_s, cwd=folder, env=env
    )
    return Notified(
        exit_code=ended.code,
        timed_out=ended.code is None,
        seconds=round(ended.seconds, 3),
        output=ended.output.decode("utf-8", "replace"),
    )
