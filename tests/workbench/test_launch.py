"""Launching, watching and the crash hook: one start however often it is asked for, one report of the end."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shims import Runs, exited, sh, started, state_is
from toryo import processes, settings
from toryo.domain.words import Access, Purpose
from toryo.protocol.kinds.run import Exited
from toryo.workbench.contexts.environment import run_environment, write_run_file
from toryo.workbench.runs import records
from toryo.workbench.runs.launch import BadRunName, launch, reserve
from toryo.workbench.runs.records import Kind, RunState
from toryo.workbench.runs.stop import stop
from toryo.workbench.runs.watch import Watcher
from waiting import eventually


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.close()


@pytest.fixture
def ends() -> queue.Queue[tuple[str, RunState]]:
    return queue.Queue()


@pytest.fixture
def watcher(ends: queue.Queue[tuple[str, RunState]]) -> Iterator[Watcher]:
    made = Watcher(lambda run_id, state: ends.put((run_id, state)))
    yield made
    made.close()


# ── reserving ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_new_directory_may_be_started_and_a_started_one_is_attached_to(runs: Runs, tmp_path: Path) -> None:
    assert records.state(tmp_path / "runs" / "r1").kind is Kind.ABSENT
    assert reserve(tmp_path / "runs", "r1", 1).may_start
    assert reserve(tmp_path / "runs", "r1", 1).may_start
    run_dir = runs.start("r1", "sleep", "300")
    assert not reserve(tmp_path / "runs", "r1", 1).may_start
    state_is(run_dir, Kind.RUNNING)
    assert not reserve(tmp_path / "runs", "r1", 1).may_start


def test_launching_a_run_that_has_ended_changes_nothing(runs: Runs, tmp_path: Path) -> None:
    run_dir = runs.start("r1", *sh("echo ran >> runs.txt"))
    first = exited(run_dir)
    launch(run_dir, runs.spec("r1", *sh("echo ran >> runs.txt")))
    assert records.read_exit(run_dir) == first
    assert (tmp_path / "runs.txt").read_text() == "ran\n"


@pytest.mark.parametrize("name", ["", "../r1", "a/b", ".hidden"])
def test_a_run_is_named_by_one_plain_folder_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRunName):
        reserve(tmp_path / "runs", name, 1)


def test_run_directories_are_for_their_owner_only(tmp_path: Path) -> None:
    run = reserve(tmp_path / "runs", "r1", 1)
    assert run.path.stat().st_mode & 0o777 == 0o700


# ── crashes of the launcher ───────────────────────────────────────────────────────────────────────────

LAUNCHER = """
import sys
from pathlib import Path
from toryo.workbench.runs.launch import LaunchSpec, launch, reserve
root = Path(sys.argv[1])
run = reserve(root / "runs", "r1", 1)
if run.may_start:
    text = "echo ran >> runs.txt; while [ ! -e go ]; do sleep 0.01; done"
    launch(run.path, LaunchSpec(("sh", "-c", text), root, {"PATH": sys.argv[2]}, root / "log"))
"""


def _launcher(root: Path, crash_at: str) -> int:
    (root / "crash").write_text(crash_at + "\n")
    env = dict(settings.environment()) | {"TORYO_CRASH_FILE": str(root / "crash")}
    return processes.run([sys.executable, "-c", LAUNCHER, str(root), env["PATH"]], env=env).code


@pytest.mark.parametrize(
    "crash_at", ["launch.before_mkdir", "launch.after_mkdir", "launch.written", "launch.after_exec"]
)
def test_a_launcher_killed_anywhere_and_repeated_starts_the_program_once(
    runs: Runs, tmp_path: Path, crash_at: str
) -> None:
    run_dir = tmp_path / "runs" / "r1"
    runs.made.append(run_dir)
    assert _launcher(tmp_path, crash_at) == -signal.SIGKILL
    assert _launcher(tmp_path, "nowhere") == 0
    started(run_dir)
    (tmp_path / "go").touch()
    assert exited(run_dir).exit_code == 0
    assert (tmp_path / "runs.txt").read_text() == "ran\n"


def test_a_step_may_crash_at_its_second_time(tmp_path: Path) -> None:
    text = "from toryo.steps import step; step('a'); print('one', flush=True); step('a'); print('two')"
    (tmp_path / "crash").write_text("a@2\n")
    env = dict(settings.environment()) | {"TORYO_CRASH_FILE": str(tmp_path / "crash")}
    done = processes.run([sys.executable, "-c", text], env=env)
    assert (done.code, done.text) == (-signal.SIGKILL, "one\n")


def test_the_crash_hook_reaches_into_the_shim(runs: Runs, tmp_path: Path) -> None:
    run_dir = tmp_path / "runs" / "r1"
    runs.made.append(run_dir)
    assert _launcher(tmp_path, "shim.forked") == 0
    state_is(run_dir, Kind.RESERVED)
    assert not (tmp_path / "runs.txt").exists()


# ── watching ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_end_of_a_run_is_told_once(
    runs: Runs, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    watcher.add("r1", runs.start("r1", *sh("exit 5")))
    run_id, state = ends.get(timeout=10)
    assert (run_id, state.kind) == ("r1", Kind.EXITED)
    assert state.exited is not None
    assert Exited.model_validate(state.exited.fact()).exit_code == 5
    assert Exited.model_validate(state.exited.fact()).model_dump(mode="json") == state.exited.fact()
    watcher.add("r2", runs.start("r2", "true"))
    assert ends.get(timeout=10)[0] == "r2"
    assert ends.empty()


def test_a_run_that_ended_before_it_was_watched_is_told_too(
    runs: Runs, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    run_dir = runs.start("r1", "true")
    exited(run_dir)
    watcher.add("r1", run_dir)
    assert ends.get(timeout=10)[1].kind is Kind.EXITED


def test_many_runs_are_watched_at_once(
    runs: Runs, tmp_path: Path, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    names = {f"r{number}" for number in range(12)}
    for name in names:
        watcher.add(name, runs.start(name, *sh("while [ ! -e go ]; do sleep 0.05; done")))
    assert ends.empty()
    (tmp_path / "go").touch()
    assert {ends.get(timeout=10)[0] for _ in names} == names


def test_a_run_whose_shim_was_killed_is_lost_only_when_its_agent_is_gone(
    runs: Runs, tmp_path: Path, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    run_dir = runs.start("r1", *sh("echo up; while [ ! -e go ]; do sleep 0.01; done"))
    watcher.add("r1", run_dir)
    runs.up("r1")
    os.kill(started(run_dir).shim.pid, signal.SIGKILL)
    state_is(run_dir, Kind.ORPHANED)
    assert ends.empty()
    (tmp_path / "go").touch()
    assert ends.get(timeout=10)[1].kind is Kind.LOST


def test_what_a_run_left_behind_without_shim_and_agent_is_told_once_and_holds_its_end(
    runs: Runs, tmp_path: Path, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    abandoned: queue.Queue[str] = queue.Queue()
    watcher = Watcher(lambda run_id, state: ends.put((run_id, state)), abandoned.put)
    try:
        run_dir = runs.start("r1", *sh("setsid sleep 300 & echo up; while [ ! -e go ]; do sleep 0.01; done"))
        watcher.add("r1", run_dir)
        runs.up("r1")
        os.kill(started(run_dir).shim.pid, signal.SIGKILL)
        state_is(run_dir, Kind.ORPHANED)
        assert abandoned.empty()
        (tmp_path / "go").touch()
        assert abandoned.get(timeout=10) == "r1"
        assert ends.empty()
        assert stop(run_dir, grace_s=1).gone
        assert ends.get(timeout=10)[1].kind is Kind.LOST
        assert abandoned.empty()
    finally:
        watcher.close()


def test_a_step_may_stand_still_until_it_is_let_go(tmp_path: Path) -> None:
    text = "from toryo.steps import step; step('a'); step('b'); print('through', flush=True)"
    (tmp_path / "crash").write_text("b stop\n")
    env = dict(settings.environment()) | {"TORYO_CRASH_FILE": str(tmp_path / "crash")}
    with subprocess.Popen([sys.executable, "-c", text], env=env, stdout=subprocess.PIPE) as child:
        stat = Path(f"/proc/{child.pid}/stat")
        eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", what="it stands still")
        assert (tmp_path / "crash.passed").read_text() == "a\n"
        child.send_signal(signal.SIGCONT)
        assert child.communicate(timeout=10)[0] == b"through\n"
    assert (tmp_path / "crash.passed").read_text() == "a\nb\n"


def test_a_run_of_a_boot_before_is_lost_although_a_process_has_its_number(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORYO_BOOT_ID", "this boot")
    processes.boot_id.cache_clear()
    run_dir = runs.start("r1", *sh("echo up; sleep 300"))
    runs.up("r1")
    assert records.state(run_dir).kind is Kind.RUNNING
    monkeypatch.setenv("TORYO_BOOT_ID", "the next boot")
    processes.boot_id.cache_clear()
    try:
        assert records.state(run_dir).lost_fact().boot_changed
    finally:
        monkeypatch.delenv("TORYO_BOOT_ID")
        processes.boot_id.cache_clear()


def test_a_run_that_died_unstarted_is_told_as_such(
    runs: Runs, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    watcher.add("r1", runs.start("r1", "true", crash="shim.forked"))
    assert ends.get(timeout=10)[1].kind is Kind.RESERVED


def test_a_removed_run_is_not_told(
    runs: Runs, tmp_path: Path, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    wait = sh("while [ ! -e go ]; do sleep 0.01; done")
    first, second = runs.start("r1", *wait), runs.start("r2", *wait)
    watcher.add("r1", first)
    watcher.add("r2", second)
    watcher.remove("r1")
    (tmp_path / "go").touch()
    exited(first)
    assert ends.get(timeout=10)[0] == "r2"
    assert ends.empty()


def test_a_listener_that_fails_does_not_blind_the_watcher(
    runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    def listen(run_id: str, state: RunState) -> None:
        told.append(run_id)
        if run_id == "r1":
            raise ValueError("no")

    watcher = Watcher(listen)
    watcher.add("r1", runs.start("r1", "true"))
    eventually(lambda: told == ["r1"])
    watcher.add("r2", runs.start("r2", "true"))
    eventually(lambda: told == ["r1", "r2"])
    watcher.close()
    assert "could not be told" in caplog.text


def test_ended_shims_leave_no_zombies(
    runs: Runs, watcher: Watcher, ends: queue.Queue[tuple[str, RunState]]
) -> None:
    run_dir = runs.start("r1", "true")
    watcher.add("r1", run_dir)
    ends.get(timeout=10)
    shim = started(run_dir).shim.pid

    def reaped() -> bool:
        processes.reap()
        return not Path(f"/proc/{shim}").exists()

    eventually(reaped)


# ── the environment of a run ──────────────────────────────────────────────────────────────────────────

OUTER = {"PATH": "/bin", "TORYO_HOME": "/h", "TORYO_RUN": "outer", "GIT_DIR": "/g", "AGENT_PASSKEY": "old"}


def _environment(access: Access, has_identity: bool = True, **more: str) -> dict[str, str]:
    return run_environment(
        OUTER,
        agent="alice",
        project="p1",
        worktree=Path("/w"),
        run="r1",
        purpose=Purpose.FIX,
        access=access,
        token_file=Path("/t"),
        passkey="run_x",
        has_identity=has_identity,
        **more,  # type: ignore[arg-type]
    )


def test_a_sealed_run_knows_who_and_where_it_is_and_holds_no_credential() -> None:
    assert _environment(Access.SEALED) == {
        "PATH": "/bin",
        "AGENT_ID": "alice",
        "PROJECT_ID": "p1",
        "WORKING_DIRECTORY": "/w",
        "TORYO_RUN": "r1",
        "TORYO_PURPOSE": "fix",
    }


def test_a_connected_run_has_its_token_besides() -> None:
    more = dict(_environment(Access.CONNECTED).items() - _environment(Access.SEALED).items())
    assert more == {"AGENT_PASSKEY": "run_x", "TORYO_RUN_FILE": "/t"}


def test_a_missions_run_finds_its_spec_as_spec_kit_does() -> None:
    env = _environment(Access.SEALED, feature_directory="specs/SPEC-1")
    more = dict(env.items() - _environment(Access.SEALED).items())
    assert more == {"SPECIFY_FEATURE_DIRECTORY": "specs/SPEC-1"}


def test_an_agent_stands_in_as_author_only_where_git_knows_none() -> None:
    assert not [name for name in _environment(Access.SEALED) if name.startswith("GIT_")]
    env = _environment(Access.SEALED, has_identity=False)
    assert env["GIT_AUTHOR_NAME"] == env["GIT_COMMITTER_NAME"] == "alice"
    assert env["GIT_AUTHOR_EMAIL"] == env["GIT_COMMITTER_EMAIL"] == "alice@localhost"


def test_the_credential_file_is_for_its_owner_only(tmp_path: Path) -> None:
    write_run_file(tmp_path / "run.json", Path("/s"), "run_x")
    assert (tmp_path / "run.json").stat().st_mode & 0o777 == 0o600
    assert "run_x" in (tmp_path / "run.json").read_text()
