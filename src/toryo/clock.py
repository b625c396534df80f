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


def _set_by(file: Path) -> float:
    try:
        return float(file.read_text())
    except (OSError, ValueError):
        return 0.0
