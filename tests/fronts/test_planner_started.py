"""The planner: started with this shell's model, anew where it differs; the key is nowhere but there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from toryo import processes
from toryo.fronts.processes import stop
from toryo.fronts.processes.planner_note import noted
from toryo.settings import Home
from waiting import eventually

PROGRAM = (sys.executable, str(Path(__file__).parent / "stand_in.py"))
COMMAND = (
    "import sys; from toryo.fronts.processes import start as starting; from toryo.fronts.cli import entry;"
    f"starting.PROGRAM = {PROGRAM!r};"
    "sys.exit(entry.run(sys.argv[1:], {'planner': None, 'check_model': lambda home, show: 0}))"
)
PIDS = re.compile(r"(\w+) \(pid (\d+)\)")
KEY = "sk-only-for-the-planner"
SHELL = {
    "TORYO_PLANNER_BASE_URL": "http://127.0.0.1:9/v1",
    "TORYO_PLANNER_MODEL": "small",
    "TORYO_PLANNER_API_KEY": KEY,
}


def up(home: Path, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "up"],
        env={**os.environ, "TORYO_HOME": str(home), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def home(toryo_home: Path) -> Iterator[Path]:
    yield toryo_home
    stop.take_down(Home(toryo_home))


def started(home: Path) -> list[str]:
    return sorted((home / "started").read_text().split())


def pid(home: Path) -> int:
    known = noted(Home(home))
    assert known is not None
    assert known.lives
    return known.pid


def test_without_a_model_no_planner_is_started(home):
    assert "planner" not in up(home)
    assert started(home) == ["coordinator", "daemon"]


def test_a_model_of_the_home_is_enough_for_a_planner(home):
    told = up(home, STAND_IN_MODEL="m")
    assert f", planner (pid {pid(home)})." in told
    assert started(home) == ["coordinator", "daemon", "planner"]


def test_a_shell_that_says_the_same_or_nothing_leaves_the_planner_alone(home):
    up(home, **SHELL)
    first = pid(home)
    up(home, **SHELL)
    up(home)
    assert pid(home) == first


def test_a_shell_with_another_model_starts_the_planner_anew(home):
    up(home, **SHELL)
    first = noted(Home(home))
    up(home, **{**SHELL, "TORYO_PLANNER_MODEL": "large"})
    assert pid(home) != first.pid
    assert not first.lives
    assert started(home).count("planner") == 2


def test_the_key_is_in_the_planners_environment_and_nowhere_else(home):
    up(home, **SHELL)
    parts = {name: int(at) for name, at in PIDS.findall(up(home))}
    holders = [name for name, at in parts.items() if KEY in psutil.Process(at).environ().values()]
    assert (sorted(parts), holders) == (["coordinator", "daemon", "planner"], ["planner"])
    assert KEY not in processes.command_line(parts["planner"])
    assert [file for file in home.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()] == []


def test_down_ends_the_planner_too(home):
    up(home, **SHELL)
    known = noted(Home(home))
    gone = stop.take_down(Home(home))
    assert [part for part, _ in gone.stopped] == ["planner", "coordinator", "daemon"]
    assert not known.lives
    assert noted(Home(home)) is None


REVIVE = (
    "import sys; from toryo.fronts.processes import start as starting; from toryo.fronts.client import Desk;"
    "from toryo.fronts.cli.missions.model import revive_planner;"
    f"starting.PROGRAM = {PROGRAM!r};"
    "revive_planner(Desk({'planner': None}, reads=True, hands=False))"
)


def revive(home: Path) -> None:
    env = {**os.environ, "TORYO_HOME": str(home), **SHELL}
    subprocess.run([sys.executable, "-c", REVIVE], env=env, timeout=60, check=True)


def test_who_waits_starts_a_planner_again_that_was_killed(home):
    up(home, **SHELL)
    first = noted(Home(home))
    revive(home)
    assert noted(Home(home)) == first
    os.kill(first.pid, signal.SIGKILL)
    eventually(lambda: not first.lives)
    revive(home)
    assert pid(home) != first.pid


def test_who_waits_leaves_a_planner_alone_that_was_taken_down(home):
    up(home, **SHELL)
    stop.take_down(Home(home))
    revive(home)
    assert noted(Home(home)) is None
    assert started(home).count("planner") == 1


def planner(home: Path, *words: str, said: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, "planner", *words],
        env={**os.environ, "TORYO_HOME": str(home), **env},
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_model_that_is_chosen_is_in_force_at_once(home):
    up(home)
    assert started(home) == ["coordinator", "daemon"]
    done = planner(home, "use", "claude")
    assert done.returncode == 0, done.stderr
    assert started(home) == ["coordinator", "daemon", "planner"]
    first = pid(home)
    assert planner(home, "use", "claude", **SHELL).returncode == 0
    assert pid(home) != first, "this shell says something else"


def test_a_choice_that_the_planner_does_not_heed_says_so(home):
    up(home, **SHELL)
    assert "count over it: `toryo down && toryo up`" in planner(home, "use", "claude").stdout
    assert (
        "count over it" not in planner(home, "use", "claude", **{**SHELL, "TORYO_PLANNER_MODEL": "x"}).stdout
    )


def test_a_variable_that_names_no_endpoint_is_refused_at_once(home):
    up(home)
    refused = planner(home, "use", "claude", TORYO_PLANNER_BASE_URL="nonsense")
    assert refused.returncode == 1
    assert "TORYO_PLANNER_BASE_URL is no endpoint" in refused.stderr
    assert "unset TORYO_PLANNER_BASE_URL" in refused.stderr


def test_a_key_is_handed_over_where_a_model_is_used_and_starts_nothing_otherwise(home):
    assert planner(home, "key", said="sk-kept\n").returncode == 0
    assert not (home / "started").exists(), "nobody is up"
    up(home, STAND_IN_MODEL="m")
    os.kill(pid(home), signal.SIGKILL)
    eventually(lambda: not noted(Home(home)).lives)
    assert planner(home, "key", said="sk-kept\n").returncode == 0
    assert pid(home)
    assert started(home).count("planner") == 2


def test_a_check_that_went_well_leaves_the_planner_with_the_same_settings(home):
    up(home, **SHELL)
    first = pid(home)
    assert planner(home, "check", **{**SHELL, "TORYO_PLANNER_MODEL": "large"}).returncode == 0
    assert pid(home) != first


def test_up_starts_a_planner_that_is_away(home):
    up(home, STAND_IN_MODEL="m")
    os.kill(pid(home), signal.SIGKILL)
    eventually(lambda: not noted(Home(home)).lives)
    assert "planner (pid" in up(home)
