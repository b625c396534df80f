"""Last paragraph of the output of a program that keeps no record, as text."""

from __future__ import annotations

import os
import re
from pathlib import Path

READ = 8192
LONGEST = 2000
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
OURS = "toryo: "
"""Begins what we wrote into the log before the program began."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def last_printed(log: Path) -> str:
    """Empty where it printed nothing, or where nothing can be read."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - READ))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    # a line that was drawn again and again, such as a progress bar, is its last state
    lines = [line.rsplit("\r", 1)[-1] for line in _ESCAPES.sub("", text).replace("\r\n", "\n").split("\n")]
    printed = "\n".join(_CONTROL.sub("", line).rstrip() for line in lines if not line.startswith(OURS))
    return printed.strip().rsplit("\n\n", 1)[-1][-LONGEST:]
