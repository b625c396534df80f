"""Shims that wait ahead of their runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from shims import BASE, Runs, exited, sh, state_is
from toryo import processes
from toryo.workbench.runs import records
from toryo.workbench.runs.launch import get_ready, go, launch, reserve
from toryo.workbench.runs.records import Kind
from toryo.workbench.runs.spares import Spare, Spares
from toryo.workbench.runs.stop import stop
from toryo.workbench.runs.watch import Watcher
from waiting import eventually


@pytest.fixture
def spares(tmp_path: Path) -> Iterator[Spares]:
    made = Spares(tmp_path / "spare", BASE, 1)
    yield made
    made.close()


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.close()


def taken(spares: Spares) -> Spare:
    return eventually(spares.take, within_s=20, what="a spare")


class Given(Spares):
    """Gives this one spare, then none."""

    def __init__(self, *given: Spare) -> None:
        self._given = list(given)

    def take(self) -> Spare | None:
        return self._given.pop() if self._given else None


def children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def test_a_run_that_takes_a_spare_is_a_run_like_any_other(runs: Runs, spares: Spares, tmp_path: Path) -> None:
    spare = taken(spares)
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    spec = runs.spec("r1", *sh('echo "$WORD from $(pwd)"; exit 3'), env={"WORD": "hello"})
    assert launch(run_dir, spec, Given(spare)) is spare.ours
    record = exited(run_dir)
    assert (record.exit_code, record.could_not_start) == (3, "")
    assert runs.log("r1").read_text() == f"hello from {tmp_path}\n"
    assert records.read_started(run_dir).shim.pid == spare.pid
    spare.ours.close()


def test_its_end_is_told_on_the_socket_and_then_kept_in_the_file(
    runs: Runs, spares: Spares, tmp_path: Path
) -> None:
    spare = taken(spares)
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    launch(run_dir, runs.spec("r1", *sh("exit 5")), Given(spare))
    told = records.parse_exit(spare.ours.recv(8192))
    assert told is not None
    assert told.exit_code == 5
    assert exited(run_dir) == told
    spare.ours.close()


def test_a_watcher_hears_the_end_from_the_socket(runs: Runs, spares: Spares, tmp_path: Path) -> None:
    ended: list[tuple[str, int | None]] = []
    watcher = Watcher(lambda run, state: ended.append((run, state.exited and state.exited.exit_code)))
    spare = taken(spares)
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    listener = launch(run_dir, runs.spec("r1", *sh("exit 4")), Given(spare))
    assert listener is not None
    watcher.add("r1", run_dir, listener.detach())
    eventually(lambda: ended, within_s=20)
    assert ended == [("r1", 4)]
    watcher.close()


def test_a_watcher_of_a_shim_that_was_killed_falls_back_to_the_files(
    runs: Runs, spares: Spares, tmp_path: Path
) -> None:
    ended: list[Kind] = []
    watcher = Watcher(lambda run, state: ended.append(state.kind))
    spare = taken(spares)
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    listener = launch(run_dir, runs.spec("r1", *sh("echo up; sleep 300")), Given(spare))
    assert listener is not None
    watcher.add("r1", run_dir, listener.detach())
    runs.up("r1")
    os.kill(spare.pid, signal.SIGKILL)
    state_is(run_dir, Kind.ORPHANED)
    stop(run_dir, 0.1)
    eventually(lambda: ended, within_s=20)
    assert ended == [Kind.LOST]
    watcher.close()


def test_a_spare_and_the_process_it_forked_end_with_whoever_made_them(tmp_path: Path) -> None:
    spares = Spares(tmp_path / "spare", BASE, 1)
    spare = taken(spares)
    (child,) = eventually(lambda: children_of(spare.pid), within_s=20, what="it has forked")
    spare.ours.close()
    spares.close()
    eventually(lambda: not processes.is_alive(spare.pid, spare.start), within_s=20)
    eventually(lambda: processes.start_time(child) is None, within_s=20, what="the child left, too")


def test_a_spare_that_died_costs_nothing_but_its_head_start(
    runs: Runs, spares: Spares, tmp_path: Path
) -> None:
    spare = taken(spares)
    os.kill(spare.pid, signal.SIGKILL)
    eventually(lambda: not processes.is_alive(spare.pid, spare.start))
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    launch(run_dir, runs.spec("r1", *sh("echo once")), Given(spare))
    # a socket may take the line although nobody reads it: then it is started like one whose shim died
    eventually(lambda: records.state(run_dir).kind in (Kind.EXITED, Kind.RESERVED), within_s=20)
    if records.state(run_dir).kind is Kind.RESERVED:
        launch(run_dir, runs.spec("r1", *sh("echo once")))
    assert exited(run_dir).exit_code == 0
    assert runs.log("r1").read_text() == "once\n"
    spare.ours.close()


def test_a_stop_that_waits_in_the_directory_keeps_the_agent_from_beginning(
    runs: Runs, spares: Spares, tmp_path: Path
) -> None:
    spare = taken(spares)
    assert stop(tmp_path / "runs" / "r1").asked
    place = reserve(tmp_path / "runs", "r1", 1)
    assert place.may_start
    runs.made.append(place.path)
    launch(place.path, runs.spec("r1", *sh("touch ran")), Given(spare))
    record = exited(place.path)
    assert (record.stopped, record.exit_code) == (True, None)
    assert not (tmp_path / "ran").exists()
    spare.ours.close()


@pytest.mark.parametrize("point", ["shim.locked", "shim.forked", "shim.recorded"])
def test_a_spare_that_is_killed_before_its_barrier_opens_never_execs(
    runs: Runs, spares: Spares, tmp_path: Path, point: str
) -> None:
    spare = taken(spares)
    (child,) = eventually(lambda: children_of(spare.pid), within_s=20)
    run_dir = reserve(tmp_path / "runs", "r1", 1).path
    runs.made.append(run_dir)
    launch(run_dir, runs.spec("r1", *sh("touch ran"), crash=point), Given(spare))
    eventually(lambda: not processes.is_alive(spare.pid, spare.start), within_s=20)
    eventually(lambda: processes.start_time(child) is None, within_s=20)
    assert not (tmp_path / "ran").exists()
    spare.ours.close()


def ready_one(spares: Spares, runs: Runs, name: str, *argv: str) -> tuple[Path, Spare]:
    spare = taken(spares)
    run_dir = reserve(runs.root / "runs", name, 1).path
    runs.made.append(run_dir)
    assert get_ready(run_dir, runs.spec(name, *argv), Given(spare)) is spare
    eventually(lambda: (run_dir / f"started.json.{spare.pid}").exists(), what="it is ready")
    return run_dir, spare


def test_one_that_is_ready_starts_its_program_at_a_word_and_not_before(runs: Runs, spares: Spares) -> None:
    run_dir, spare = ready_one(spares, runs, "r1", *sh("echo begun; exit 6"))
    assert records.state(run_dir).kind is Kind.RESERVED
    assert runs.log("r1").read_text() == ""
    assert go(run_dir, spare)
    assert exited(run_dir).exit_code == 6
    assert runs.log("r1").read_text() == "begun\n"
    assert sorted(path.name for path in run_dir.glob("*.json*")) == [
        "exit.json",
        "launch.json",
        "launched.json",
        "started.json",
    ]
    spare.ours.close()


def test_one_that_is_ready_for_nothing_leaves_nothing(runs: Runs, spares: Spares) -> None:
    run_dir, spare = ready_one(spares, runs, "r1", *sh("touch ran"))
    spare.ours.close()
    eventually(lambda: not processes.is_alive(spare.pid, spare.start), within_s=20)
    assert [path.name for path in run_dir.glob("*.json*")] == ["launch.json"]
    assert records.state(run_dir).kind is Kind.RESERVED
    assert not (runs.root / "ran").exists()


def test_one_that_is_ready_keeps_nobody_else_from_starting_the_run(runs: Runs, spares: Spares) -> None:
    """Its coordinator may stand still; the one that supersedes it starts the run."""
    run_dir, spare = ready_one(spares, runs, "r1", *sh("echo first"))
    launch(run_dir, runs.spec("r1", *sh("echo second")))
    assert exited(run_dir).exit_code == 0
    assert go(run_dir, spare)
    eventually(lambda: not processes.is_alive(spare.pid, spare.start), within_s=20)
    assert runs.log("r1").read_text() == "second\n"
    spare.ours.close()


def test_a_watcher_outlives_a_shim_that_was_killed_before_it_heard_its_last_word(
    runs: Runs, spares: Spares, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it did not read resets the connection; nobody else may go unwatched by that."""
    ended: list[tuple[str, Kind]] = []
    watcher = Watcher(lambda run, state: ended.append((run, state.kind)))
    monkeypatch.setattr(watcher._exits, "watch", lambda pid: None)  # its socket is heard first
    run_dir, spare = ready_one(spares, runs, "r1", *sh("touch ran"))
    os.kill(spare.pid, signal.SIGSTOP)
    assert go(run_dir, spare)
    watcher.add("r1", run_dir, spare.ours.detach())
    os.kill(spare.pid, signal.SIGKILL)
    eventually(lambda: ended, within_s=20)
    assert ended == [("r1", Kind.RESERVED)]
    watcher.add("r2", runs.start("r2", *sh("exit 3")))
    eventually(lambda: len(ended) == 2, within_s=20)
    assert ended[1] == ("r2", Kind.EXITED)
    assert not (runs.root / "ran").exists()
    watcher.close()


def test_files_of_spares_are_for_their_owner_alone(spares: Spares, tmp_path: Path) -> None:
    taken(spares).ours.close()
    for path in (tmp_path / "spare").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
