"""Long text on a terminal goes through the user's pager; elsewhere it is only printed."""

from __future__ import annotations

import os
import signal
import sys

from toryo import settings

FALLBACK = "less"


def page(text: str) -> None:
    """`$PAGER`, else less, if the text is longer than the screen."""
    if not _is_longer(text) or not _through(text):
        sys.stdout.write(text)
        sys.stdout.flush()


def _is_longer(text: str) -> bool:
    try:
        return sys.stdout.isatty() and text.count("\n") >= os.get_terminal_size().lines
    except OSError:
        return False


def _through(text: str) -> bool:
    """False: it could not be started."""
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
        return False
    finally:
        os.close(reading)
    # Ctrl-C belongs to the pager while it shows something
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with os.fdopen(writing, "w", encoding="utf-8", errors="replace") as pipe:
            pipe.write(text)
    except BrokenPipeError:
        pass  # the reader has seen enough
    finally:
        os.waitpid(pid, 0)
        signal.signal(signal.SIGINT, before)
    return True
