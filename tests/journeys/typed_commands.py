"""Commands as a person types them, each a process; what a refusal must look like, and what is on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TORYO = (sys.executable, "-m", "toryo")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def run(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    given: str | bytes | None = None,
    before: Sequence[str] = (),
    **more: Any,
) -> Done:
    """`given` is its standard input; `before` are words in front of `toryo`."""
    text = given.encode() if isinstance(given, str) else given
    source = {"input": text} if text is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(
        [*before, *TORYO, *words],
        env=dict(env),
        cwd=cwd,
        capture_output=True,
        timeout=120,
        check=False,
        **(source | more),
    )
    return Done(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )


def refused(done: Done, code: int = 1) -> str:
    """It failed as a command must: an error with a way out, never a traceback. What it said."""
    assert done.code == code, (done.code, done.out, done.err)
    lines = done.err.splitlines()
    assert any(line.startswith("Error: ") and len(line) > 10 for line in lines), done.err
    assert any(line.startswith("Hint: ") and len(line) > 8 for line in lines), done.err
    for text in (done.err, done.out):
        assert "Traceback" not in text, text
        assert "bug in Toryo" not in text, text
    assert "Input should be" not in done.err, done.err
    return done.err


def tree(*roots: Path) -> dict[str, object]:
    """Every path below with what is in it."""
    found: dict[str, object] = {}
    for root in roots:
        for place, folders, names in os.walk(root):
            found[place] = sorted(folders)
            for name in names:
                path = Path(place) / name
                found[str(path)] = path.readlink() if path.is_symlink() else path.read_bytes()
    return found
