"""The shim's contract: one exec, an honest record, and a record only when nothing of the run is left."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shims import BASE, Runs, exited, is_gone, number_in, sh, started, state_is
from toryo import disks, processes
from toryo.workbench.runs import compiled, records, shim_parts
from toryo.workbench.runs.launch import launch, reserve
from toryo.workbench.runs.records import Kind
from toryo.workbench.runs.stop import stop
from waiting import eventually

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open('daemon', 'w').write(str(os.getpid()))
        time.sleep(300)
    os._exit(0)
while not os.path.exists('daemon') or not open('daemon').read():
    time.sleep(0.005)
"""


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.close()


# ── the record is honest ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("code", [0, 3, 124])
def test_the_exit_code_is_the_programs_own(runs: Runs, code: int) -> None:
    record = exited(runs.start("r1", *sh(f"exit {code}")))
    assert (record.exit_code, record.signal, record.timed_out, record.stopped) == (code, "", False, False)
    assert record.generation == 1
    assert record.boot == processes.boot_id()


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_a_program_that_dies_by_a_signal_has_its_name_and_no_exit_code(runs: Runs, name: str) -> None:
    record = exited(runs.start("r1", *sh(f"kill -{name.removeprefix('SIG')} $$")))
    assert (record.exit_code, record.signal, record.could_not_start) == (None, name, "")


def test_the_log_takes_both_outputs_and_is_added_to(runs: Runs) -> None:
    runs.log("r1").write_text("before\n")
    exited(runs.start("r1", *sh("echo out; echo err >&2")))
    assert runs.log("r1").read_text().splitlines() == ["before", "out", "err"]


def test_the_program_reads_its_standard_input_from_the_given_file(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "prompt").write_text("日本語 and 'quotes'\n")
    exited(runs.start("r1", "cat", stdin=tmp_path / "prompt"))
    assert runs.log("r1").read_text() == "日本語 and 'quotes'\n"


def test_without_one_the_standard_input_is_empty(runs: Runs) -> None:
    assert exited(runs.start("r1", "cat")).exit_code == 0


def test_the_program_has_its_environment_its_folder_and_a_session_of_its_own(
    runs: Runs, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    seen = "import os; print(os.environ['X'], os.getcwd(), os.getsid(0) == os.getpid())"
    exited(runs.start("r1", sys.executable, "-c", seen, env={"X": "é\udcff"}, cwd=tmp_path / "work"))
    line = runs.log("r1").read_bytes().split()
    assert line == ["é".encode() + b"\xff", os.fsencode(tmp_path / "work"), b"True"]


def test_default_signal_dispositions_are_given_back_to_the_program(runs: Runs) -> None:
    # python ignores SIGPIPE; a program that inherits that never ends in `yes | head`
    assert exited(runs.start("r1", *sh("kill -PIPE $$"))).signal == "SIGPIPE"


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (("no-such-program",), 127, "cannot start no-such-program"),
        (("/no/such/program",), 127, "cannot start /no/such/program: No such file"),
        (("./plain",), 126, "cannot start ./plain: Permission denied"),
    ],
)
def test_a_program_that_cannot_start_says_why(
    runs: Runs, tmp_path: Path, argv: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / "plain").write_text("no program")
    record = exited(runs.start("r1", *argv))
    assert record.exit_code == code
    assert said in record.could_not_start


def test_a_missing_folder_is_not_a_missing_program(runs: Runs, tmp_path: Path) -> None:
    record = exited(runs.start("r1", "true", cwd=tmp_path / "gone"))
    assert record.exit_code == 126
    assert "cannot enter" in record.could_not_start


def test_secrets_of_the_environment_are_neither_on_the_command_line_nor_readable_by_others(
    runs: Runs,
) -> None:
    run_dir = runs.start("r1", "sleep", "300", env={"AGENT_PASSKEY": "hush-hush"})
    shim = started(run_dir).shim
    assert "hush-hush" not in processes.command_line(shim.pid)
    assert "shim" in processes.command_line(shim.pid)
    assert (run_dir / "launch.json").stat().st_mode & 0o777 == 0o600
    assert "hush-hush" in (run_dir / "launch.json").read_text()


def test_room_for_the_exit_record_is_taken_before_the_program_runs(runs: Runs) -> None:
    run_dir = runs.start("r1", "sleep", "300")
    half = run_dir / f"exit.json.{started(run_dir).shim.pid}"
    assert half.stat().st_blocks * 512 >= 4096


def test_the_record_is_whole_however_much_was_killed(runs: Runs) -> None:
    many = "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4; do sleep 30$i$j & done; done; exit 0"
    run_dir = runs.start("r1", *sh(many))
    assert exited(run_dir).exit_code == 0
    assert (run_dir / "exit.json").stat().st_size <= 4096


# ── nothing outlives the run ──────────────────────────────────────────────────────────────────────────


def test_a_child_that_outlives_the_program_is_dead_before_the_record(runs: Runs, tmp_path: Path) -> None:
    become = "until ps -o args= -p $! | grep -q ^sleep; do :; done"
    run_dir = runs.start("r1", *sh(f"sleep 301 & {become}; echo $! > child; exit 0"))
    record = exited(run_dir)
    assert is_gone(number_in(tmp_path / "child"))
    assert record.exit_code == 0
    assert record.children_killed == ("sleep 301",)


def test_a_daemon_that_forked_twice_into_its_own_session_is_dead_too(runs: Runs, tmp_path: Path) -> None:
    exited(runs.start("r1", sys.executable, "-S", "-c", DAEMON))
    assert is_gone(number_in(tmp_path / "daemon"))


def test_the_record_is_written_only_when_the_tree_is_empty(runs: Runs, tmp_path: Path) -> None:
    run_dir = runs.start("r1", sys.executable, "-S", "-c", DAEMON, crash="shim.agent_gone")
    state_is(run_dir, Kind.LOST)
    assert is_gone(number_in(tmp_path / "daemon"))
    assert not (run_dir / "exit.json").exists()


def test_without_a_subreaper_the_tree_is_found_by_ps(runs: Runs, tmp_path: Path) -> None:
    """The weaker way of macOS: what stays in the process group, or was seen as a descendant."""
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    text = "sleep 302 & echo $! > child; setsid sleep 303 & echo $! > apart; sleep 300"
    spec = {"argv": sh(text), "cwd": str(tmp_path), "env": BASE, "log": str(tmp_path / "log")}
    weak = {"subreaper": False, "by_ps": True, "limit_s": 1, "grace_s": 0.3}
    (run_dir / "launch.json").write_text(json.dumps(spec | weak))
    (tmp_path / "shim.pyc").write_bytes(compiled.shim())
    argv = [sys.executable, "-I", "-S", str(tmp_path / "shim.pyc"), str(run_dir)]
    processes.spawn_watched(argv, env=BASE, cwd=tmp_path, output=tmp_path / "shim.log")
    assert exited(run_dir).timed_out
    assert is_gone(number_in(tmp_path / "child"))
    assert is_gone(number_in(tmp_path / "apart"))


# ── limits and stops ──────────────────────────────────────────────────────────────────────────────────


def test_a_program_over_its_time_is_terminated_and_recorded_as_124(runs: Runs, tmp_path: Path) -> None:
    record = exited(runs.start("r1", *sh("sleep 304 & echo $! > child; wait"), limit_s=0.7))
    assert (record.exit_code, record.signal, record.timed_out) == (124, "SIGTERM", True)
    assert 0.7 <= record.duration_s < 5
    assert is_gone(number_in(tmp_path / "child"))


def test_a_program_that_ignores_the_request_is_killed_after_the_grace(runs: Runs) -> None:
    stubborn = "trap '' TERM; while :; do sleep 0.05; done"
    record = exited(runs.start("r1", *sh(stubborn), limit_s=0.7, grace_s=0.3))
    assert (record.exit_code, record.signal, record.timed_out) == (124, "SIGKILL", True)
    assert record.duration_s >= 1


def test_a_program_may_use_the_grace_to_leave_in_order(runs: Runs) -> None:
    tidy = "trap 'echo tidied; exit 0' TERM; while :; do sleep 0.02; done"
    record = exited(runs.start("r1", *sh(tidy), limit_s=0.7, grace_s=5))
    assert (record.exit_code, record.signal, record.timed_out) == (124, "", True)
    assert "tidied" in runs.log("r1").read_text()


def test_a_stop_is_recorded_with_the_real_end(runs: Runs) -> None:
    run_dir = runs.start("r1", *sh("echo up; exec sleep 300"))
    runs.up("r1")
    answer = stop(run_dir, 5)
    assert (answer.asked, answer.gone) == (True, False)
    record = exited(run_dir)
    assert (record.exit_code, record.signal, record.stopped, record.timed_out) == (
        None,
        "SIGTERM",
        True,
        False,
    )
    assert stop(run_dir, 5).gone


def test_the_grace_of_the_stop_is_the_one_that_was_asked_for(runs: Runs) -> None:
    run_dir = runs.start("r1", *sh("trap '' TERM; echo up; while :; do sleep 0.05; done"), grace_s=60)
    runs.up("r1")
    stop(run_dir, 0.2)
    assert exited(run_dir).signal == "SIGKILL"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_to_the_shim_asks_for_a_stop(runs: Runs, number: int) -> None:
    run_dir = runs.start("r1", "sleep", "300")
    os.kill(started(run_dir).shim.pid, number)
    assert exited(run_dir).stopped


def test_a_stop_file_alone_is_enough(runs: Runs) -> None:
    run_dir = runs.start("r1", "sleep", "300")
    started(run_dir)
    (run_dir / "stop").touch()
    assert exited(run_dir).stopped


def test_a_run_that_is_stopped_before_it_began_never_begins(runs: Runs, tmp_path: Path) -> None:
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    assert stop(run_dir, 1).asked
    record = exited(runs.start("r1", *sh("touch ran")))
    assert record.stopped
    assert record.exit_code is None
    assert record.could_not_start
    assert not (tmp_path / "ran").exists()


def test_a_lost_terminal_is_noted_and_the_run_goes_on(runs: Runs, tmp_path: Path) -> None:
    run_dir = runs.start("r1", *sh("while [ ! -e go ]; do sleep 0.01; done; exit 7"))
    shim = started(run_dir).shim
    os.kill(shim.pid, signal.SIGHUP)
    (tmp_path / "go").touch()
    record = exited(run_dir)
    assert (record.exit_code, record.terminal_lost, record.stopped) == (7, True, False)


# ── a shim that dies ──────────────────────────────────────────────────────────────────────────────────


def test_a_killed_shim_leaves_the_agent_working_and_the_run_ends_as_lost(runs: Runs, tmp_path: Path) -> None:
    text = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two"
    run_dir = runs.start("r1", *sh(text))
    runs.up("r1")
    os.kill(started(run_dir).shim.pid, signal.SIGKILL)
    orphaned = state_is(run_dir, Kind.ORPHANED)
    assert orphaned.alive == started(run_dir).agent
    (tmp_path / "go").touch()
    lost = state_is(run_dir, Kind.LOST)
    assert runs.log("r1").read_text() == "one\ntwo\n"
    assert lost.exited is None
    assert lost.lost_fact().boot_changed is False


def test_what_the_agent_left_keeps_a_run_without_shim_from_being_lost(runs: Runs, tmp_path: Path) -> None:
    run_dir = runs.start("r1", *sh("setsid sleep 305 & echo $! > child; sleep 300"))
    child = number_in(tmp_path / "child")
    os.kill(started(run_dir).shim.pid, signal.SIGKILL)
    os.kill(started(run_dir).agent.pid, signal.SIGKILL)
    eventually(lambda: not started(run_dir).agent.is_alive())
    assert state_is(run_dir, Kind.ORPHANED).alive is not None
    assert stop(run_dir, 2).gone
    assert is_gone(child)
    assert records.state(run_dir).kind is Kind.LOST


@pytest.mark.parametrize("moment", ["locked", "forked"])
def test_a_shim_killed_before_its_record_never_execs_and_the_run_may_start_again(
    runs: Runs, tmp_path: Path, moment: str
) -> None:
    run_dir = runs.start("r1", *sh("echo ran >> runs.txt"), crash=f"shim.{moment}")
    state_is(run_dir, Kind.RESERVED)
    assert not (tmp_path / "runs.txt").exists()
    assert reserve(tmp_path / "runs", "r1", 1).may_start
    launch(run_dir, runs.spec("r1", *sh("echo ran >> runs.txt")))
    assert exited(run_dir).exit_code == 0
    assert (tmp_path / "runs.txt").read_text() == "ran\n"


def test_a_shim_killed_between_record_and_barrier_never_execs_and_never_will(
    runs: Runs, tmp_path: Path
) -> None:
    run_dir = runs.start("r1", *sh("touch ran"), crash="shim.recorded")
    state_is(run_dir, Kind.LOST)
    assert not reserve(tmp_path / "runs", "r1", 1).may_start
    launch(run_dir, runs.spec("r1", *sh("touch ran")))
    (tmp_path / "shim.pyc").write_bytes(compiled.shim())
    argv = [sys.executable, "-I", "-S", str(tmp_path / "shim.pyc"), str(run_dir)]
    assert processes.run(argv, limit_s=20).code == 0
    assert not (tmp_path / "ran").exists()


def test_five_shims_at_once_exec_once(runs: Runs, tmp_path: Path) -> None:
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    spec = runs.spec("r1", *sh("echo ran >> runs.txt; while [ ! -e go ]; do sleep 0.01; done"))
    together = threading.Barrier(5)

    def start() -> None:
        together.wait()
        launch(run_dir, spec)

    threads = [threading.Thread(target=start) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    started(run_dir)
    eventually(lambda: len(processes._children) <= 1 or processes.reap(), what="the other shims leave")
    (tmp_path / "go").touch()
    assert exited(run_dir).exit_code == 0
    assert (tmp_path / "runs.txt").read_text() == "ran\n"


# ── pids are names only with their start time ─────────────────────────────────────────────────────────


def _pretend(run_dir: Path, **changes: object) -> None:
    """A start record that names this very test process, with another life's details."""
    me = os.getpid()
    record = {"version": 1, "shim_pid": me, "shim_start": "1", "pid": me, "pid_start": "2"}
    record |= {"boot": processes.boot_id(), "generation": 1, "started_at": "2026-01-01T00:00:00.000Z"}
    (run_dir / "started.json").write_text(json.dumps(record | changes))


def test_a_reused_pid_is_nobody_and_is_never_signalled(tmp_path: Path) -> None:
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    _pretend(run_dir)
    assert records.state(run_dir).kind is Kind.LOST
    # SIGUSR1 or SIGTERM would end this test process
    assert stop(run_dir, 0.1).gone


def test_after_another_boot_the_run_is_lost_whoever_has_its_pid(tmp_path: Path) -> None:
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    own = processes.start_time(os.getpid())
    _pretend(run_dir, boot="another", shim_start=own, pid_start=own)
    found = records.state(run_dir)
    assert (found.kind, found.boot_changed) == (Kind.LOST, True)
    assert stop(run_dir, 0.1).gone


def test_a_start_record_torn_by_a_power_cut_is_lost_and_not_started_again(tmp_path: Path) -> None:
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    (run_dir / "started.json").write_bytes(b"")
    assert records.state(run_dir).kind is Kind.LOST
    assert not reserve(tmp_path / "runs", "r1", 1).may_start


def test_what_a_full_disk_is_is_said_once() -> None:
    assert shim_parts.SCARCE == disks.SCARCE
    assert shim_parts.is_full("/nowhere at all") is False
