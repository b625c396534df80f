"""The wall clock, which people and programs set while we run; its one reader besides the fronts and the shim.

What must last a while goes by `time.monotonic`. `TORYO_CLOCK_FILE` names a file with the seconds by which a
test has set the clock. Standard library only.
"""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

from toryo import settings

VARIABLE = "TORYO_CLOCK_FILE"


@lru_cache(maxsize=1)
def _file() -> Path | None:
    named = settings.environment().get(VARIABLE)
    return Path(named) if named else None


def wall() -> float:
    """Seconds since 1970, as the machine believes now."""
    file = _file()
    return time.time() if file is None else time.time() + _set_by(file)


def _steady() -> float:
    """Goes on while the machine sleeps, where there is such a clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def passed() -> float:
    """As `wall`, but never ahead of what really passed since this process began: for what is deleted when it
    is old enough, since somebody may have set the clock forward."""
    return min(wall(), _BEGAN + _steady())


def _set_by(file: Path) -> float:
    try:
        return float(file.read_text())
    except (OSError, ValueError):
        return 0.0


_BEGAN = wall() - _steady()
