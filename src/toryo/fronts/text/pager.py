"""Pager for long text on a terminal; elsewhere it is only printed."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from toryo import settings

if TYPE_CHECKING:
    from typing import Any, TextIO

FALLBACK = "less"


def page(text: str) -> None:
    """`$PAGER`, else less, if the text is longer than the screen."""
    with Paged() as paged:
        paged.write(text)


class Paged:
    """Text that comes piece by piece: the pager is started once it is more than the screen holds, and whoever
    writes waits for its reader."""

    def __init__(self) -> None:
        self._rows = _rows()
        self._held = ""
        self._pager: tuple[int, TextIO, Any] | None = None
        self._left = False

    def write(self, text: str) -> bool:
        """False: the reader has seen enough."""
        if self._pager is None and self._rows:
            self._held += text
            if self._held.count("\n") < self._rows:
                return True
            text, self._held = self._held, ""
            self._pager = _started()
            self._rows = 0
        if self._pager is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return True
        try:
            self._pager[1].write(text)
            self._pager[1].flush()
        except BrokenPipeError:
            self._left = True
        return not self._left

    def __enter__(self) -> Paged:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pager is None:
            sys.stdout.write(self._held)
            sys.stdout.flush()
            return
        pid, pipe, before = self._pager
        try:
            pipe.close()
        except BrokenPipeError:
            pass  # the reader has seen enough
        finally:
            os.waitpid(pid, 0)
            signal.signal(signal.SIGINT, before)


def _rows() -> int:
    """Of the terminal that is written to; 0: there is none."""
    try:
        return os.get_terminal_size().lines if sys.stdout.isatty() else 0
    except OSError:
        return 0


def _started() -> tuple[int, TextIO, Any] | None:
    """Its process, what it reads, and what Ctrl-C did before; None: it could not be started."""
    import shlex

    env = dict(settings.environment())
    argv = shlex.split(env.get("PAGER") or FALLBACK) or [FALLBACK]
    env.setdefault("LESS", "FRX")
    sys.stdout.flush()
    reading, writing = os.pipe()
    try:
        pid = os.posix_spawnp(argv[0], argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)])
    except OSError:
        os.close(writing)
        return None
    finally:
        os.close(reading)
    # Ctrl-C belongs to the pager while it shows something
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    return pid, os.fdopen(writing, "w", encoding="utf-8", errors="replace"), before
