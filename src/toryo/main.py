"""Chooses a process; the only file that joins concrete parts. What is heavy is imported where it is used."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.settings import Home


def main(argv: Sequence[str] | None = None) -> int:
    """The program `toryo`; the exit code."""
    from toryo.fronts.cli.entry import run

    gc.disable()  # a command ends before there is anything worth collecting
    words = list(sys.argv[1:] if argv is None else argv)
    code = run(words, {"daemon": _daemon, "coordinator": _coordinator})
    gc.freeze()
    return code


def _daemon(home: Home, name: str, foreground: bool) -> int:
    from toryo.daemon.mcp.tools import table
    from toryo.daemon.process import run_daemon
    from toryo.usecases.drain import drain, extend_deadlines

    gc.enable()
    return run_daemon(
        home,
        foreground=foreground,
        tools=table(),
        drain=drain,
        extend_deadlines=extend_deadlines,
    )


def _coordinator(home: Home, name: str, foreground: bool) -> int:
    from toryo.coordinator.process import run_coordinator

    gc.enable()
    return run_coordinator(home, name, foreground)
