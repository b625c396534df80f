"""`toryo demo --client …`: the same demo with the real CLIs, whose model is a script. No key, no network."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rehearsal.real_clients import clean_environment
from toryo.fronts.demo.leaving import processes_of
from toryo.fronts.demo.plan import PURPOSES, REFUSED, TASKS

ARGV = (sys.executable, "-m", "toryo", "demo")


@pytest.fixture
def temporary() -> Iterator[Path]:
    # not tmp_path: its long names would not leave room for a socket's path
    folder = Path(tempfile.mkdtemp(prefix="td")).resolve()
    yield folder
    for pid, _ in processes_of(folder):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def run_demo(temporary: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    own = {"HOME": str(temporary / "h"), "TMPDIR": str(temporary), "ANTHROPIC_API_KEY": "secret"}
    return subprocess.run(
        [*ARGV, *options],
        cwd=temporary,
        env={**clean_environment(**own), **env},
        capture_output=True,
        text=True,
        timeout=330,
        check=False,
    )


PLANS_IN = {"claude": "anthropic", "codex": "responses"}
"""How those speak that are the planner's model, too; for the others it is asked directly."""
SLOW_CLIS = dict.fromkeys(("gemini", "opencode"), pytest.mark.long)
"""A start of theirs takes seconds, and the demo has a dozen."""


@pytest.mark.slow
@pytest.mark.timeout(360)
@pytest.mark.parametrize(
    "client", [pytest.param(name, marks=SLOW_CLIS.get(name, ())) for name in sorted(REFUSED)]
)
def test_the_demo_holds_in_every_expectation_with_the_real_cli(client: str, temporary: Path) -> None:
    done = run_demo(temporary, "--client", client, "--json")
    assert done.stdout.startswith("{"), done.stderr
    said = json.loads(done.stdout)
    assert [one for one in said["expectations"] if not one["ok"]] == []
    assert done.returncode == 0
    assert len(said["expectations"]) > len(TASKS) + 15
    assert {run["client"] for task in said["tasks"] for run in task["runs"]} == {client}
    assert sorted(one["purpose"] for one in said["asked"]) == sorted(PURPOSES)
    assert {one["dialect"] for one in said["asked"]} == {PLANS_IN.get(client, "completions")}
    assert processes_of(temporary) == []
    assert list(temporary.iterdir()) == []


def test_a_cli_that_is_not_installed_is_named_with_the_line_that_installs_it(temporary: Path) -> None:
    done = run_demo(temporary, "--client", "gemini", PATH="/usr/bin:/bin")
    assert done.returncode == 1
    assert "gemini is not on PATH" in done.stderr
    assert "npm install -g @google/gemini-cli" in done.stderr
    assert list(temporary.iterdir()) == []
