"""Where in its log a run was when words were said to it, for whoever reads that log later."""

from __future__ import annotations

import json
import os
from pathlib import Path

FILE = "word_places.jsonl"


def note(run_dir: Path, message: str, log: Path) -> None:
    """Once: a repeated order says nothing anew."""
    if any(known == message for _, known in read(run_dir)):
        return
    try:
        size = log.stat().st_size
        handle = os.open(run_dir / FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return  # only the place in a log is lost by it
    with os.fdopen(handle, "w") as file:
        file.write(json.dumps([size, message]) + "\n")


def read(run_dir: Path) -> list[tuple[int, str]]:
    """(bytes of the log, message), the earliest first."""
    try:
        lines = (run_dir / FILE).read_text().splitlines()
    except OSError:
        return []
    found: dict[str, int] = {}
    for line in lines:
        try:
            size, message = json.loads(line)
            found.setdefault(str(message), int(size))
        except (ValueError, TypeError):
            continue  # torn by a power cut
    return sorted((size, message) for message, size in found.items())
