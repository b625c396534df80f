"""Commands that wait, while the daemon is killed, deaf, or taken down by a person."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from house import House, opened_by

from waiting import eventually

MakeHouse = Callable[..., House]


@contextmanager
def command(house: House, *argv: str) -> Iterator[subprocess.Popen[str]]:
    """It does not outlive the test, whatever that finds."""
    with subprocess.Popen(
        [sys.executable, "-m", "toryo", *argv],
        cwd=house.repo,
        env=house.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_waiting_command_starts_a_daemon_again_that_was_killed(make_house: MakeHouse) -> None:
    house = make_house()
    go = house.root / "go"
    house.agent(
        f"while [ ! -e {go} ]; do sleep 0.05; done; echo hello; echo a > a; git add a; git commit -qm a"
    )
    task = house.add("Take your time")
    eventually(lambda: house.started(), within_s=30)
    with (
        command(house, "task", "wait", task, "--timeout", "80") as waits,
        command(house, "log", "-f", task) as follows,
    ):
        daemon, _ = house.pids()
        house.kill(daemon)
        go.touch()
        out, err = waits.communicate(timeout=100)
        assert waits.returncode == 0, out + err + house.story(task)
        text, err = follows.communicate(timeout=60)
        assert follows.returncode == 0, err
        assert [line for line in text.splitlines() if not line.startswith("── ")] == ["hello"]


def test_a_person_who_takes_the_daemon_down_is_not_contradicted_by_a_waiting_command(
    make_house: MakeHouse,
) -> None:
    house = make_house()
    house.agent("sleep 300")
    task = house.add("Never")
    eventually(lambda: house.started(), within_s=30)
    with command(house, "task", "wait", task) as waits:
        eventually(lambda: _is_connected(waits.pid), within_s=30, what="it waits")
        house.ok("down")
        _, err = waits.communicate(timeout=80)
        assert waits.returncode == 1
        assert "away" in err
        assert not (house.home / "up.json").exists()


def test_down_ends_a_daemon_whose_socket_somebody_deleted(make_house: MakeHouse) -> None:
    house = make_house()
    daemon, coordinator = house.pids()
    (house.home / "mcp.sock").unlink()
    said = house.ok("down")
    assert str(daemon) in said
    assert not [pid for pid in (daemon, coordinator) if _runs(pid)]


def _is_connected(pid: int) -> bool:
    """Whether it has a socket: before that it would start a daemon itself."""
    return any(name.startswith("socket:") for name in opened_by(pid))


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
