"""The figures can be taken: every part of the bench runs through at its smallest size and fills its table."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rehearsal.real_clients import cache_of_clients

BENCH = Path(__file__).parents[2] / "bench"
NEEDS_CHROMIUM = pytest.mark.skipif(
    not (shutil.which("chromium") or shutil.which("google-chrome")),
    reason="needs Chromium (.ci/tools installs it)",
)


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="reads CPU time from /proc")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "figures"),
    [
        ("life", 5),
        pytest.param("large", 2, marks=pytest.mark.long),
        ("claim", 5),
        ("commands", 9),
        ("bridge", 4),
        ("log", 2),
        pytest.param("units", 2, marks=pytest.mark.long),
        pytest.param("message", 2, marks=pytest.mark.long),
        ("crew", 1),
        pytest.param("planner", 3, marks=pytest.mark.long),
        pytest.param("page", 6, marks=[pytest.mark.long, NEEDS_CHROMIUM]),
        pytest.param("terminal", 5, marks=pytest.mark.long),
        pytest.param("idle", 2, marks=pytest.mark.long),
        pytest.param("recovery", 10, marks=pytest.mark.long),
    ],
)
def test_a_part_of_the_bench_fills_its_rows(part: str, figures: int, tmp_path: Path) -> None:
    # a socket's path has at most 104 bytes; the agent CLIs are in the cache of whoever runs the tests
    env = {**os.environ, "TMPDIR": "/tmp", "XDG_CACHE_HOME": cache_of_clients()}
    done = subprocess.run(
        [sys.executable, str(BENCH / "run.py"), part, "--tiny", "--results", str(tmp_path / "results.md")],
        env=env,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line for line in (tmp_path / "results.md").read_text().splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + figures
    assert all(line.count("|") == rows[0].count("|") for line in rows)
