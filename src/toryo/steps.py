"""The crash hook: named moments at which a test may kill or stop this process. Standard library only.

`TORYO_CRASH_FILE` names a file. A process that reaches the step on its first line (`name`, or `name@N` for
the Nth time) kills itself with SIGKILL. With `stop` behind the name it stops itself instead (SIGSTOP): the
moment stands still, and whoever armed it kills somebody else there before letting this process go on. Each
step that is passed is a line of `FILE.passed`. Without the variable a step is one comparison.
"""

from __future__ import annotations

import os
import signal
import threading
from functools import lru_cache
from pathlib import Path

from toryo import settings

VARIABLE = "TORYO_CRASH_FILE"
STOP = "stop"

_reached: dict[str, int] = {}


@lru_cache(maxsize=1)
def _file() -> Path | None:
    named = settings.environment().get(VARIABLE)
    return Path(named) if named else None


def step(name: str) -> None:
    """This process has come to `name`; it ends or stands still here if a test wants so."""
    file = _file()
    if file is None:
        return
    _reached[name] = _reached.get(name, 0) + 1
    where, _, how = armed().partition(" ")
    if where in (name, f"{name}@{_reached[name]}"):
        if how == STOP:
            # to this very thread: it makes no further step before the whole process stands
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    _note(file, name)


def armed() -> str:
    """Where somebody is to crash, or nothing; for processes that cannot ask themselves."""
    file = _file()
    if file is None:
        return ""
    try:
        return file.read_text().partition("\n")[0].strip()
    except OSError:
        return ""


def _note(file: Path, name: str) -> None:
    try:
        handle = os.open(f"{file}.passed", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError:
        return  # what a test would like to know must not change what it sees
    os.write(handle, f"{name}\n".encode())
    os.close(handle)
