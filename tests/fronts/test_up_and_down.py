"""Starting and stopping: one of each however many ask, nothing from inside a run, agents left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toryo import processes
from toryo.fronts.processes import start, stop
from toryo.fronts.processes.started import noted
from toryo.settings import Home
from waiting import eventually

HERE = Path(__file__).parent
PROGRAM = (sys.executable, str(HERE / "stand_in.py"))
COMMAND = (
    "import sys; from toryo.fronts.processes import start as starting; from toryo.fronts.cli import entry;"
    f"starting.PROGRAM = {PROGRAM!r};"
    "sys.exit(entry.run(sys.argv[1:], {}))"
)


def start_command(home: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words],
        env={**os.environ, "TORYO_HOME": str(home), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def command(home: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    begun = start_command(home, *words, **env)
    out, err = begun.communicate(timeout=60)
    return subprocess.CompletedProcess(words, begun.returncode, out, err)


@pytest.fixture
def home(toryo_home: Path) -> Iterator[Path]:
    yield toryo_home
    stop.take_down(Home(toryo_home))


def started(home: Path) -> list[str]:
    return sorted((home / "started").read_text().split())


def test_up_starts_both_and_says_their_pids_and_a_second_up_finds_them(home):
    first = command(home, "up")
    assert (first.returncode, first.stderr) == (0, "starting toryo…\n")
    known = noted(Home(home))
    expected = f"daemon (pid {known['daemon'][0]}), coordinator (pid {known['coordinator'][0]}).\n"
    assert first.stdout == f"Toryo is up: {expected}"
    second = command(home, "up")
    assert (second.returncode, second.stdout, second.stderr) == (0, f"Toryo was already up: {expected}", "")
    assert started(home) == ["coordinator", "daemon"]


def test_ten_commands_at_once_start_one_daemon_and_one_coordinator(home):
    begun = [start_command(home, "up") for _ in range(10)]
    ended = [one.communicate(timeout=120) for one in begun]
    assert [one.returncode for one in begun] == [0] * 10, ended
    assert started(home) == ["coordinator", "daemon"]


def test_a_persons_verb_starts_what_is_missing_and_then_does_its_work(home):
    result = command(home, "status", "--json")
    assert (result.returncode, result.stderr) == (0, "starting toryo…\n")
    assert '"running": 2' in result.stdout
    assert started(home) == ["coordinator", "daemon"]


def test_a_coordinator_that_died_is_started_again_beside_the_same_daemon(home):
    assert command(home, "up").returncode == 0
    before = noted(Home(home))
    os.kill(before["coordinator"][0], 9)
    eventually(lambda: not processes.is_alive(*before["coordinator"]))
    result = command(home, "up")
    after = noted(Home(home))
    assert result.stdout.startswith("Toryo is up: ")
    assert after["daemon"] == before["daemon"]
    assert started(home) == ["coordinator", "coordinator", "daemon"]


def test_down_stops_both_and_says_that_agents_go_on(home):
    assert command(home, "up").returncode == 0
    known = noted(Home(home))
    result = command(home, "down")
    assert result.returncode == 0
    assert result.stdout.splitlines() == [
        f"Stopped the coordinator (pid {known['coordinator'][0]}) and the daemon (pid {known['daemon'][0]}).",
        "2 agents keep running; `toryo up` takes their results in.",
    ]
    assert not any(processes.is_alive(*one) for one in known.values())
    assert command(home, "down").stdout == "Toryo was not running.\n"


def test_down_ends_a_coordinator_whose_daemon_is_gone(home):
    assert command(home, "up").returncode == 0
    known = noted(Home(home))
    os.kill(known["daemon"][0], 9)
    eventually(lambda: not processes.is_alive(*known["daemon"]))
    result = command(home, "down")
    assert result.stdout.splitlines()[0] == f"Stopped the coordinator (pid {known['coordinator'][0]})."
    assert not processes.is_alive(*known["coordinator"])


def test_down_ends_a_coordinator_that_was_started_and_never_registered(home):
    assert command(home, "up").returncode == 0
    waiting = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        start.note(Home(home), {start.UNREGISTERED: waiting.pid})  # as an `up` that was killed left it
        assert f"Stopped the coordinator (pid {waiting.pid}) and" in command(home, "down").stdout
        assert waiting.wait(10) == -signal.SIGTERM
    finally:
        waiting.communicate(b"\n", timeout=10)


def test_down_never_signals_a_process_that_only_has_the_noted_number(home):
    innocent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        home.mkdir(parents=True)
        (home / "up.json").write_text(f'{{"coordinator": [{innocent.pid}, "12"]}}')
        assert command(home, "down").stdout == "Toryo was not running.\n"
        assert innocent.poll() is None
    finally:
        innocent.communicate(b"\n", timeout=10)


def test_a_daemon_that_ends_at_once_is_reported_with_what_it_said(home):
    result = command(home, "up", STAND_IN="refuse")
    assert result.returncode == 1
    assert "Error: The daemon ended at once: the database is broken\n" in result.stderr
    assert "Hint: `toryo daemon --foreground`" in result.stderr


def test_up_in_the_foreground_stays_and_takes_both_along_when_asked_to_leave(home):
    staying = start_command(home, "up", "--foreground")
    assert staying.stdout is not None
    if not (first := staying.stdout.readline()).startswith("Toryo is up: "):
        pytest.fail(f"{first!r} {staying.communicate(timeout=60)}")
    known = noted(Home(home))
    staying.terminate()
    out, err = staying.communicate(timeout=60)
    assert (staying.returncode, out.startswith("Stopped the coordinator")) == (0, True), err
    assert not any(processes.is_alive(*one) for one in known.values())


@pytest.mark.parametrize(
    "words",
    [
        "up",
        "down",
        "init --yes",
        "daemon",
        "coordinator",
        "task add x",
        "task cancel t1",
        "agent add a --client c",
        "run stop r1",
        "run release r1",
        "verify t1",
        "restore t1",
        "task update t1 --status done",
        "project archive",
        "agent disable a",
        "worker command t1",
        "session start t1 --agent a",
        "memory add x -d y",
    ],
)
def test_inside_a_run_a_persons_verb_is_refused_and_nothing_starts(typed, toryo_home, monkeypatch, words):
    monkeypatch.setenv("TORYO_RUN", "r7")
    result = typed(*words.split())
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: This is inside the run r7: only a person may do that")
    assert not toryo_home.exists()


def test_inside_a_sealed_run_nothing_is_asked_and_nothing_starts(typed, toryo_home, monkeypatch):
    monkeypatch.setenv("TORYO_RUN", "r7")
    result = typed("status")
    assert (result.code, result.err.splitlines()[0]) == (
        1,
        "Error: The run r7 is sealed: it has no way to the daemon.",
    )
    assert not toryo_home.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"socket": "/s",\n "token": run_secret}', ", line 2, column 11: it is no JSON"),
        ("[" * 60_000, ": it is nested too deeply."),
        ('{"socket": "/s", "token": ["run_secret"]}', ": token: must be text."),
    ],
    ids=["broken", "deep", "wrong"],
)
def test_a_run_file_that_cannot_be_used_is_named_with_what_is_wrong(typed, monkeypatch, tmp_path, text, said):
    file = tmp_path / "run.json"
    file.write_text(text)
    monkeypatch.setenv("TORYO_RUN", "r7")
    monkeypatch.setenv("TORYO_RUN_FILE", str(file))
    result = typed("task", "show", "t1")
    assert result.code == 1
    assert result.err.startswith(f"Error: {file}{said}")
    assert "Hint: " in result.err
    assert "run_secret" not in result.err


def test_inside_a_connected_run_only_the_runs_token_speaks(peer, typed, monkeypatch, tmp_path, toryo_home):
    there = peer(get_task={"id": "t1", "title": "x", "status": "running"})
    file = tmp_path / "run.json"
    file.write_text(f'{{"socket": "{toryo_home / "mcp.sock"}", "token": "run_r7_secret"}}')
    monkeypatch.setenv("TORYO_RUN", "r7")
    monkeypatch.setenv("TORYO_RUN_FILE", str(file))
    assert typed("task", "show", "t1").code == 0
    assert there.credentials == ["run_r7_secret"]
    there.close()
    result = typed("task", "show", "t1")
    assert (result.code, result.err.splitlines()[0]) == (1, "Error: The daemon is not running.")
