"""Windows on our own tmux server: one per run, with a log, a real terminal, and no fact lost with them."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stage_of_windows import PATIENCE_S, Stage
from toryo.domain.errors import Refused
from toryo.workbench.runs import records
from toryo.workbench.runs.stop import stop
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.door import NoWindow, TmuxMissing, own_server
from toryo.workbench.terminals.windows import Window, windows
from waiting import eventually


@pytest.fixture
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    # a short path: a socket's name has room for about a hundred bytes
    made = Stage(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


def held(stage: Stage) -> str:
    """A shell program that goes on until `stage` has the file `go`."""
    return f"while [ ! -e {stage.folder}/go ]; do sleep 0.05; done"


def test_a_window_shows_what_an_agent_in_the_background_prints(stage):
    stage.shows_log("r1", "sh", "-c", f"echo hello; {held(stage)}")
    stage.sees("r1", "hello")
    assert stage.log("r1").read_text() == "hello\n"


def test_a_window_that_shows_a_log_goes_with_its_run(stage):
    stage.shows_log("r1", "sh", "-c", f"echo hello; {held(stage)}")
    stage.sees("r1", "hello")
    (stage.folder / "go").touch()
    assert stage.exited("r1").exit_code == 0
    stage.windows.ended("r1")
    eventually(lambda: not stage.window("r1").is_there(), within_s=PATIENCE_S)


def test_an_agent_in_a_window_has_a_terminal_and_its_output_is_in_the_log(stage):
    program = "import os,sys; print('tty', *[os.isatty(n) for n in (0, 1, 2)], os.environ['TERM'])"
    stage.on_screen("r1", sys.executable, "-c", program, ready=("never",))
    assert stage.exited("r1").exit_code == 0
    eventually(
        lambda: stage.log("r1").read_bytes() == b"tty True True True screen-256color\r\n", within_s=PATIENCE_S
    )


def test_keys_that_interrupt_reach_the_agent_and_not_its_shim(stage):
    stage.on_screen(
        "r1", "sh", "-c", f"trap 'echo caught; exit 7' INT; echo up; {held(stage)}", ready=("never",)
    )
    stage.sees("r1", "up")
    stage.window("r1").keys("C-c")
    assert stage.exited("r1").exit_code == 7


def test_an_agent_in_a_window_gets_only_its_own_environment(stage, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_COORDINATOR", "x")
    stage.on_screen("r1", "env", ready=("never",))
    stage.exited("r1")
    eventually(lambda: b"TERM=" in stage.log("r1").read_bytes(), within_s=PATIENCE_S)
    names = {line.split(b"=")[0] for line in stage.log("r1").read_bytes().split(b"\r\n") if line}
    assert names == {b"PATH", b"LC_ALL", b"TERM", b"TORYO_RUN"}


def test_two_runs_have_two_windows_that_are_listed(stage):
    for run in ("r1", "r2"):
        stage.on_screen(run, "sh", "-c", f"echo I am {run}; {held(stage)}", ready=("never",))
    stage.sees("r1", "I am r1")
    stage.sees("r2", "I am r2")
    assert windows(stage.tmux) == {"r1", "r2"}


def test_a_window_ends_with_its_program_and_the_server_with_its_last_window(stage):
    stage.on_screen("r1", "true", ready=("never",))
    stage.exited("r1")
    eventually(lambda: windows(stage.tmux) == frozenset(), within_s=PATIENCE_S)
    stage.on_screen("r2", "sh", "-c", f"echo again; {held(stage)}", ready=("never",))
    stage.sees("r2", "again")


def test_a_launch_that_is_repeated_finds_the_window_of_the_first(stage):
    window = stage.window("r1")
    first = window.open(("sleep", "60"), stage.folder)
    assert window.open(("sleep", "60"), stage.folder) == first


def test_a_program_that_cannot_start_is_told_by_its_record(stage):
    stage.on_screen("r1", "/no/such/program", ready=("never",))
    assert "no/such/program" in stage.exited("r1").could_not_start


def test_stopping_a_run_in_a_window_ends_its_whole_tree(stage):
    stage.on_screen("r1", "sh", "-c", f"sleep 600 & echo up; {held(stage)}", ready=("never",))
    stage.sees("r1", "up")
    stop(stage.run_dir("r1"), grace_s=5)
    record = stage.exited("r1")
    assert (record.stopped, record.signal) == (True, "SIGTERM")


def server_pid(stage: Stage) -> int:
    return int(stage.tmux.do("display-message", "-p", "#{pid}"))


@pytest.mark.parametrize("how", ["kill-server", "SIGKILL"])
def test_a_lost_server_ends_a_run_in_a_window_with_its_record(stage, how):
    stage.on_screen("r1", "sh", "-c", f"echo up; {held(stage)}", ready=("never",))
    stage.sees("r1", "up")
    if how == "SIGKILL":
        os.kill(server_pid(stage), signal.SIGKILL)
    else:
        stage.tmux.do("kill-server")
    record = stage.exited("r1")
    assert (record.terminal_lost, record.signal, record.stopped) == (True, "SIGHUP", False)


def test_an_agent_that_survives_the_loss_of_its_terminal_goes_on_and_ends_as_a_fact(stage):
    program = f"trap '' HUP; echo up; {held(stage)}; exit 3"
    stage.on_screen("r1", "sh", "-c", program, ready=("never",))
    stage.sees("r1", "up")
    os.kill(server_pid(stage), signal.SIGKILL)
    eventually(
        lambda: [one.source for one in spool.signals(stage.run_dir("r1"))] == ["terminal_lost"],
        within_s=PATIENCE_S,
    )
    assert records.state(stage.run_dir("r1")).kind is records.Kind.RUNNING
    (stage.folder / "go").touch()
    record = stage.exited("r1")
    assert (record.terminal_lost, record.exit_code) == (True, 3)


def test_a_lost_server_costs_a_run_in_the_background_nothing(stage):
    stage.shows_log("r1", "sh", "-c", f"echo one; {held(stage)}; echo two")
    stage.sees("r1", "one")
    stage.tmux.do("kill-server")
    again = stage.windows.window("r1")
    eventually(lambda: "one" in again.look(), within_s=PATIENCE_S)
    (stage.folder / "go").touch()
    assert stage.exited("r1").exit_code == 0
    assert stage.log("r1").read_text() == "one\ntwo\n"


def test_who_asks_for_the_window_of_a_run_that_has_none_is_told_what_to_do(stage):
    stage.start("r1", stage.spec("r1", "sh", "-c", held(stage)))
    with pytest.raises(NoWindow) as plain:
        stage.windows.window("r1")
    assert "toryo log -f r1" in plain.value.hint
    (stage.folder / "go").touch()
    stage.exited("r1")
    with pytest.raises(NoWindow, match="over"):
        stage.windows.window("r1")


def test_the_command_to_attach_names_the_window_and_our_own_server(stage):
    stage.on_screen("r1", "sh", "-c", f"echo up; {held(stage)}", ready=("never",))
    stage.sees("r1", "up")
    argv = stage.windows.window("r1").attach_argv()
    assert argv[-3:] == ("attach-session", "-t", "=r1")
    assert str(stage.tmux.socket) in argv


def test_two_people_look_at_two_runs_without_disturbing_each_other(stage):
    for run in ("r1", "r2"):
        stage.on_screen(run, "sh", "-c", f"echo I am {run}; cat", ready=("never",))
        stage.sees(run, f"I am {run}")
    people = {run: Person(stage.windows.window(run).attach_argv()) for run in ("r1", "r2")}
    try:
        for run, person in people.items():
            person.sees(f"I am {run}")
            person.types(f"words for {run}\r")
        for run in people:
            stage.sees(run, f"words for {run}\nwords for {run}")
        assert "words for r2" not in stage.look("r1")
    finally:
        for person in people.values():
            person.leave()
    assert windows(stage.tmux) == {"r1", "r2"}


class Person:
    """Somebody at a terminal of their own, attached."""

    def __init__(self, argv: tuple[str, ...]) -> None:
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv, {"TERM": "xterm", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})
        os.set_blocking(self.screen, False)
        self.seen = b""

    def sees(self, text: str) -> None:
        def found() -> bool:
            with contextlib.suppress(BlockingIOError):
                self.seen += os.read(self.screen, 65536)
            return text.encode() in self.seen

        eventually(found, within_s=PATIENCE_S, what=text)

    def types(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def leave(self) -> None:
        """By the keys that a person would use."""
        self.types("\x02d")

        def is_gone() -> bool:
            with contextlib.suppress(OSError):
                self.seen += os.read(self.screen, 65536)
            return os.waitpid(self.pid, os.WNOHANG)[0] == self.pid

        try:
            eventually(is_gone, within_s=PATIENCE_S, what="leaving")
        finally:
            os.close(self.screen)


def test_windows_of_runs_that_ended_meanwhile_are_closed_at_the_next_start(stage):
    stage.shows_log("r1", "sh", "-c", f"echo up; {held(stage)}")
    stage.sees("r1", "up")
    stage.windows.close()
    (stage.folder / "go").touch()
    stage.exited("r1")
    assert stage.window("r1").is_there()
    stage.windows = type(stage.windows)(stage.folder)
    stage.windows.attend_all([])
    assert not stage.window("r1").is_there()


def test_a_folder_with_a_long_name_gets_its_server_in_a_short_one(tmp_path_factory, monkeypatch):
    short = tmp_path_factory.mktemp("s")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    far = short / ("d" * 100)
    tmux = own_server(far)
    assert len(os.fsencode(tmux.socket)) < 104
    assert tmux.socket.parent.parent == short
    assert own_server(far) == tmux
    tmux.make_place()
    tmux.socket.parent.chmod(0o755)
    with pytest.raises(Refused):
        Window(tmux, "r1").open(("true",), short)


def test_without_tmux_a_run_with_a_window_says_that_tmux_is_required(stage, monkeypatch, tmp_path):
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        with pytest.raises(TmuxMissing, match="tmux is required"):
            stage.shows_log("r1", "true")
    assert records.state(stage.run_dir("r1")).kind is records.Kind.RESERVED


def test_tmux_reads_nothing_of_the_users_configuration(stage, monkeypatch):
    (Path(os.environ["HOME"]) / ".tmux.conf").write_text("set -g history-limit 7\n")
    stage.on_screen("r1", "sh", "-c", f"echo up; {held(stage)}", ready=("never",))
    stage.sees("r1", "up")
    assert stage.tmux.do("show-options", "-gv", "history-limit").strip() == b"20000"
