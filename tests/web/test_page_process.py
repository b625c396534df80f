"""The page's process: one of it, its port, its token, its end, and what `status` and `doctor` say of it."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_client import PageClient, a_house
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from journeys.house import House
from waiting import eventually


@pytest.fixture(scope="module")
def alone() -> Iterator[House]:
    """An installation whose page comes and goes."""
    with a_house() as made:
        yield made


def pid_of(house: House) -> int:
    return int(json.loads((house.home / "web.json").read_text())["pid"])


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
    except FileNotFoundError:
        return True


def test_a_second_web_prints_the_same_address_of_the_same_process(alone: House) -> None:
    first = alone.ok("web", "--no-open")
    pid = pid_of(alone)
    again = [
        subprocess.Popen(
            [sys.executable, "-m", "toryo", "web"],
            cwd=alone.repo,
            env=alone.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert {one.communicate(timeout=60)[0] for one in again} == {first}
    assert pid_of(alone) == pid
    assert first.splitlines()[0].startswith("http://127.0.0.1:")


def test_many_at_once_on_a_stopped_page_start_one(alone: House) -> None:
    alone.ok("web", "--stop")
    command = [sys.executable, "-m", "toryo", "web", "--no-open"]
    begun = [
        subprocess.Popen(command, cwd=alone.repo, env=alone.env, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert len({one.communicate(timeout=90)[0] for one in begun}) == 1
    mark = f"TORYO_HOME={alone.home}".encode()
    serving = [
        entry.parent.name
        for entry in Path("/proc").glob("[0-9]*/cmdline")
        if b"web-server" in _read(entry) and mark in _read(entry.parent / "environ")
    ]
    assert serving == [str(pid_of(alone))]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_the_port_stays_until_another_is_named(alone: House) -> None:
    before = PageClient(alone)
    alone.ok("web", "--stop")
    assert PageClient(alone).address == before.address
    free = _free_port()
    moved = PageClient(alone, "--port", str(free))
    assert (moved.port, moved.token) == (free, before.token)
    alone.ok("web", "--stop")
    assert PageClient(alone).port == free


def test_a_port_that_is_taken_is_said_or_passed_over(alone: House) -> None:
    before = PageClient(alone).port
    alone.ok("web", "--stop")
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # its last connections still linger
        other.bind(("127.0.0.1", before))
        other.listen()
        refused = alone.toryo("web", "--no-open", "--port", str(before))
        assert (refused.returncode, f"Port {before} is taken." in refused.stderr) == (1, True), refused.stderr
        assert PageClient(alone).port != before


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_new_token_shuts_out_what_knew_the_old_one(alone: House) -> None:
    before = PageClient(alone)
    cookie = before.cookie()
    with before.channel() as channel:
        after = PageClient(alone, "--rotate")
        with pytest.raises(ConnectionClosed):
            all_of(channel)
    assert (after.port, after.token == before.token) == (before.port, False)
    assert before.ask("GET", "/api/tasks", before.bearer).status == 401
    assert before.ask("GET", "/api/tasks", cookie).status == 401
    assert after.get("/api/tasks") == {}


def all_of(channel: ClientConnection) -> None:
    while True:
        channel.recv(timeout=30)


def test_stop_ends_the_page_alone_and_down_ends_it_too(alone: House) -> None:
    page = PageClient(alone)
    pid = pid_of(alone)
    with page.channel() as channel:
        assert channel.recv(timeout=30)
        assert alone.ok("web", "--stop") == f"Stopped the page (pid {pid}).\n"
    assert is_gone(pid)
    assert alone.ok("web", "--stop") == "The page was not running.\n"
    assert alone.read("status")["daemon"]["pid"]
    PageClient(alone)
    pid = pid_of(alone)
    assert f"the page (pid {pid})" in alone.ok("down")
    assert is_gone(pid)


def test_a_page_that_was_killed_is_started_again(alone: House) -> None:
    page = PageClient(alone)
    alone.kill(pid_of(alone))
    assert PageClient(alone).address == page.address


def test_status_and_doctor_know_the_page(alone: House) -> None:
    page = PageClient(alone)
    assert page.origin in alone.ok("status")
    assert page.origin in alone.ok("doctor")
    assert page.token not in alone.ok("status") + alone.ok("doctor")
    alone.ok("web", "--stop")
    assert page.origin not in alone.ok("status")


def test_the_page_of_another_installation_has_its_own_token_and_port(alone: House) -> None:
    one = PageClient(alone)
    with a_house() as second:
        other = PageClient(second)
        assert (other.port == one.port, other.token == one.token) == (False, False)
        assert other.ask("GET", "/api/tasks", one.bearer).status == 401
        assert other.ask("GET", "/api/tasks", one.cookie()).status == 401
        assert one.cookie()["Cookie"].partition("=")[0] != other.cookie()["Cookie"].partition("=")[0]


@pytest.mark.skipif(not Path("/proc/self/net").is_dir(), reason="reads sockets from /proc")
def test_it_listens_on_this_machine_alone(alone: House) -> None:
    page = PageClient(alone)
    pid = pid_of(alone)
    mine = {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir()}
    listening = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in mine:
                listening.append(fields[1])
    assert listening == [f"0100007F:{page.port:04X}"]


def test_a_browser_is_opened_by_the_name_of_a_private_file(alone: House) -> None:
    """Everybody on the machine can read its arguments."""
    said, browser = alone.root / "opened", alone.root / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {said}.new && mv {said}.new {said}\n')
    browser.chmod(0o755)
    terminal, end = pty.openpty()
    env = {**alone.env, "DISPLAY": ":0", "BROWSER": f"{browser} %s"}
    command = [sys.executable, "-m", "toryo", "web"]
    subprocess.run(command, cwd=alone.repo, env=env, stdout=end, timeout=60, check=True)
    os.close(end)
    os.close(terminal)
    named = eventually(lambda: said.exists() and said.read_text().strip(), what="the browser was opened")
    page = PageClient(alone)
    assert page.token not in named
    file = Path(named.removeprefix("file://"))
    assert (file.stat().st_mode & 0o777, page.address in file.read_text()) == (0o600, True)


def test_stop_goes_with_nothing_else(alone: House) -> None:
    refused = alone.toryo("web", "--stop", "--rotate")
    assert (refused.returncode, "`--stop` goes with no other option" in refused.stderr) == (2, True)
    assert alone.toryo("web", "--port", "0").returncode == 2


def test_a_run_may_not_open_the_page(alone: House) -> None:
    out = alone.root / "said"
    alone.agent(f"toryo web --no-open > {out} 2>&1\n", "curious")
    alone.rest(alone.add("look", "--agent", "curious"))
    said = eventually(out.read_text, what="what the run was told")
    assert "This is inside the run" in said
    assert "token=" not in said
