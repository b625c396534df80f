"""The crash hook: named moments at which a test may kill or stop this process. Standard library only.

`TORYO_CRASH_FILE` names a file; a process that reaches the step on its first line (`name`, or `name@N` for
the Nth time) kills itself with SIGKILL; at `pause name` it stops itself and goes on by SIGCONT. Without the
variable a step is one comparison.
"""

from __future__ import annotations

import os
import signal
import threading
from functools import lru_cache
from pathlib import Path

from toryo import settings

VARIABLE = "TORYO_CRASH_FILE"
PAUSE = "pause "

_reached: dict[str, int] = {}


@lru_cache(maxsize=1)
def _file() -> Path | None:
    named = settings.environment().get(VARIABLE)
    return Path(named) if named else None


def step(name: str) -> None:
    """This process has come to `name`; it ends here if a test wants so."""
    if _file() is None:
        return
    _reached[name] = _reached.get(name, 0) + 1
    wanted = armed()
    if wanted in (name, f"{name}@{_reached[name]}"):
        os.kill(os.getpid(), signal.SIGKILL)
    if wanted == PAUSE + name:
        # to this thread: sent to the process, another one might take it while this one goes on
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def armed() -> str:
    """The step at which somebody is to crash, or nothing; for processes that cannot ask themselves."""
    file = _file()
    if file is None:
        return ""
    try:
        return file.read_text().partition("\n")[0].strip()
    except OSError:
        return ""
