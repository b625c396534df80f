"""An agent gets no front, whatever terminal it has."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("words", [["ui"], []], ids=["ui", "alone"])
def test_on_a_terminal_inside_of_a_run_it_exits_2(words: list[str], tmp_path: Path) -> None:
    own, other = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "toryo", *words],
            env={**os.environ, "TORYO_HOME": str(tmp_path / "home"), "TORYO_RUN": "r1"},
            cwd=tmp_path,
            stdin=other,
            stdout=other,
            stderr=other,
            timeout=60,
            check=False,
        )
        told = os.read(own, 65536).decode()
    finally:
        os.close(own)
        os.close(other)
    assert done.returncode == 2
    assert ("needs a person's terminal" in told) is bool(words)
    assert ("usage: toryo VERB" in told) is not bool(words)
