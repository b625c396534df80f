"""One daemon per home, whatever the one before left; and its end."""

from __future__ import annotations

import os
import signal
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from little_daemon import LittleDaemon
from raw_client import RawClient

from toryo.daemon import life
from toryo.domain.errors import Refused
from toryo.protocol.wire import WireError, call
from toryo.settings import Home
from waiting import eventually

Start = Callable[..., LittleDaemon]


def test_a_second_daemon_for_a_home_says_so_and_exits_1(start_daemon: Start, tmp_path: Path) -> None:
    first = start_daemon().wait_until_it_answers()
    second = start_daemon()
    assert second.process.wait(30) == 1
    said = (tmp_path / "output").read_text()
    assert f"a daemon is already running for this home (pid {first.process.pid})" in said
    assert first.call("health_check")["pid"] == first.process.pid


def test_of_several_started_at_once_one_stays(start_daemon: Start) -> None:
    daemons = [start_daemon() for _ in range(4)]
    eventually(lambda: sum(one.process.poll() is None for one in daemons) == 1, within_s=40)
    (winner,) = [one for one in daemons if one.process.poll() is None]
    assert winner.wait_until_it_answers().call("health_check")["pid"] == winner.process.pid
    assert [one.process.returncode for one in daemons if one is not winner] == [1, 1, 1]


def test_a_killed_daemon_leaves_a_socket_that_the_next_one_replaces(start_daemon: Start) -> None:
    first = start_daemon().wait_until_it_answers()
    count = first.call("add")["count"]
    first.kill()
    assert first.home.socket.exists()
    second = start_daemon().wait_until_it_answers()
    assert second.call("add")["count"] == count + 1


def test_a_daemon_that_lost_its_lock_file_is_not_robbed(start_daemon: Start, tmp_path: Path) -> None:
    first = start_daemon().wait_until_it_answers()
    (first.home.path / "daemon.lock").unlink()
    assert start_daemon().process.wait(30) == 1
    assert f"(pid {first.process.pid})" in (tmp_path / "output").read_text()
    assert first.call("health_check")["status"] == "ok"


def test_a_silent_listener_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "PROBE_S", 0.1)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "mcp.sock"))
        silent.listen()
        with pytest.raises(Refused, match="does not answer"):
            life.clear_stale(tmp_path / "mcp.sock")
    assert (tmp_path / "mcp.sock").exists()


def test_a_file_in_the_sockets_place_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "mcp.sock").write_text("precious")
    with pytest.raises(Refused, match="not a socket"):
        life.clear_stale(tmp_path / "mcp.sock")
    assert (tmp_path / "mcp.sock").read_text() == "precious"


def test_a_home_with_a_long_path_gets_a_short_socket(start_daemon: Start, tmp_path: Path) -> None:
    home = Home(tmp_path / ("long" * 30) / "home")
    daemon = start_daemon(home).wait_until_it_answers()
    short = home.socket_in_use()
    assert len(os.fsencode(short)) <= 104
    assert not home.socket.exists()
    assert stat.S_IMODE(short.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(short.stat().st_mode) == 0o600
    assert call(home.socket, "health_check", {}, "")["pid"] == daemon.process.pid
    assert start_daemon(home).process.wait(30) == 1
    assert daemon.end() == 0
    assert not short.parent.exists()
    assert not home.socket_pointer.exists()


def test_a_killed_daemon_with_a_long_path_is_replaced_and_its_directory_removed(
    start_daemon: Start, tmp_path: Path
) -> None:
    home = Home(tmp_path / ("long" * 30) / "home")
    first = start_daemon(home).wait_until_it_answers()
    old = home.socket_in_use()
    first.kill()
    second = start_daemon(home).wait_until_it_answers()
    assert not old.parent.exists()
    assert second.end() == 0


def test_a_home_moved_to_a_short_path_forgets_the_pointer(start_daemon: Start, tmp_path: Path) -> None:
    home = Home(tmp_path / "home").make()
    home.socket_pointer.write_text(str(tmp_path / "gone" / "mcp.sock"))
    daemon = start_daemon(home).wait_until_it_answers()
    assert home.socket_in_use() == home.socket
    assert daemon.end() == 0


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_long_polls_answer_and_leaves_no_socket(
    start_daemon: Start, name: signal.Signals
) -> None:
    daemon = start_daemon().wait_until_it_answers()
    with RawClient(daemon.home.socket, daemon.operator) as client:
        arguments = {"seen": 10, "wait_s": 30}
        client.send(client.request(1, "tools/call", {"name": "wait_for_count", "arguments": arguments}))
        client.send(client.request(2, "tools/call", {"name": "health_check"}))
        assert client.read()["id"] == 2
        daemon.process.send_signal(name)
        assert client.read()["result"]["structuredContent"] == {"success": True, "count": 0}
        assert client.is_at_end()
    assert daemon.process.wait(20) == 0
    assert not daemon.home.socket.exists()


def test_a_large_answer_still_goes_out_while_the_daemon_ends(start_daemon: Start) -> None:
    daemon = start_daemon().wait_until_it_answers()
    with RawClient(daemon.home.socket, daemon.operator) as client:
        client.send(client.request(1, "tools/call", {"name": "big", "arguments": {"size": 3_000_000}}))
        client.send(client.request(2, "tools/call", {"name": "shutdown"}))
        answers = {answer["id"]: answer for answer in (client.read(), client.read())}
        assert len(answers[1]["result"]["structuredContent"]["text"]) == 3_000_000
        assert answers[2]["result"]["structuredContent"]["success"] is True
    assert daemon.process.wait(20) == 0


def test_shutdown_answers_first_and_ends_then(start_daemon: Start) -> None:
    daemon = start_daemon().wait_until_it_answers()
    assert daemon.call("shutdown") == {"success": True, "pid": daemon.process.pid}
    assert daemon.process.wait(20) == 0
    with pytest.raises(WireError):
        daemon.call("health_check")


def test_calls_from_many_threads_survive_the_daemons_end_without_hanging(start_daemon: Start) -> None:
    daemon = start_daemon().wait_until_it_answers()
    ended: list[bool] = []

    def hammer() -> None:
        try:
            while True:
                daemon.call("add")
        except WireError:
            ended.append(True)

    threads = [threading.Thread(target=hammer) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert daemon.end() == 0
    for thread in threads:
        thread.join(20)
    assert ended == [True] * 5


def test_a_home_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.path.mkdir(mode=0o755)
    life.make_private(home)
    assert stat.S_IMODE(home.path.stat().st_mode) == 0o700


def test_the_lock_is_free_again_when_its_holder_is_gone(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").make()
    lock = life.take_lock(home)
    assert lock.left_at is None
    with pytest.raises(life.AlreadyRunning, match=f"pid {os.getpid()}"):
        life.take_lock(home)
    lock.release()
    again = life.take_lock(home)
    assert again.left_at is not None
    again.release()


def test_a_home_that_is_a_file_is_refused_in_words(start_daemon: Start, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("precious")
    assert start_daemon().process.wait(30) == 1
    said = (tmp_path / "output").read_text()
    assert f"The home {tmp_path / 'home'} cannot be used" in said
    assert "Traceback" not in said
