"""`status --watch`: on a real terminal it is drawn in place and follows events; elsewhere it prints once."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from test_reading_verbs import STATUS
from wire_peer import HangUp, Peer

from waiting import eventually


class Terminal:
    """A command on a pseudo-terminal of so many rows; keeps all that it wrote."""

    def __init__(self, home: object, rows: int, *words: str) -> None:
        self._own, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toryo", *words],
            env={**os.environ, "TORYO_HOME": str(home), "TERM": "xterm", "NO_COLOR": "1"},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        self.written = ""

    def read(self) -> str:
        while select.select([self._own], [], [], 0)[0]:
            try:
                part = os.read(self._own, 65536)
            except OSError:  # everybody else closed the terminal
                break
            if not part:
                break
            self.written += part.decode()
        return self.written

    def pages(self) -> int:
        """How many were drawn."""
        return self.read().count("\033[?2026l")

    def page(self) -> str:
        """The newest whole page."""
        pages = self.read().split("\033[?2026h\033[H")
        return next((page for page in reversed(pages) if "\033[?2026l" in page), "")

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        code = self.process.wait(30)
        self.read()
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._own)


@pytest.fixture
def watched(toryo_home: object) -> Iterator[Callable[..., Terminal]]:
    made: list[Terminal] = []

    def watch(rows: int = 40, *words: str) -> Terminal:
        made.append(Terminal(toryo_home, rows, "status", "--watch", *words))
        return made[-1]

    yield watch
    for one in made:
        one.close()


def house(peer: Callable[..., Peer], **status: object) -> tuple[Peer, list[int]]:
    """A daemon whose list of event numbers the test may add to; its long poll waits for more."""
    seqs = [7]

    def events(asked: dict[str, Any]) -> dict[str, Any]:
        end = time.monotonic() + float(asked.get("wait_s", 0))
        while seqs[-1] <= int(asked.get("after", 0)) and time.monotonic() < end:
            time.sleep(0.01)
        return {"events": [], "next_after": seqs[-1], "newest": seqs[-1]}

    return peer(get_status={**STATUS, **status}, list_events=events), seqs


def test_the_page_is_drawn_again_in_place_when_something_happened(peer, watched):
    there, seqs = house(peer)
    terminal = watched()
    eventually(lambda: "1 running" in terminal.page(), within_s=30)
    there.answers["get_status"] = {**STATUS, "counts": {"done": 5}}
    seqs.append(8)
    eventually(lambda: "tasks  5 done" in terminal.page(), within_s=30)
    assert "\033[2J" not in terminal.written
    assert terminal.page().count("\n") == terminal.page().count("\033[K\r\n")
    assert terminal.end() == 0


def test_ctrl_c_ends_with_0_and_gives_the_terminal_back(peer, watched):
    house(peer)
    terminal = watched()
    eventually(lambda: "needs you" in terminal.page(), within_s=30)
    assert terminal.end() == 0
    screen = terminal.written.rpartition("\033[?7h\033[?25h\033[?1049l")
    assert screen[0].startswith("\033[?1049h")
    assert "toryo task retry t2" in screen[2]


def test_being_ended_gives_the_terminal_back_too(peer, watched):
    house(peer)
    terminal = watched()
    eventually(lambda: "needs you" in terminal.page(), within_s=30)
    assert terminal.end(signal.SIGTERM) == 0
    assert "\033[?1049l" in terminal.written


def test_the_clocks_tick_without_asking_the_daemon(peer, watched):
    there, _ = house(peer)
    terminal = watched()

    def asked() -> int:
        return sum(tool == "get_status" for tool, _ in there.calls)

    eventually(lambda: terminal.pages() >= asked() + 2, within_s=60, what="pages drawn without asking")
    assert "up 1 min 15 s" not in terminal.page()
    assert terminal.end() == 0


def test_a_daemon_that_goes_away_is_said_so_and_not_started(peer, watched):
    there, _ = house(peer)
    terminal = watched()
    eventually(lambda: "1 running" in terminal.page(), within_s=30)

    def gone(_: dict[str, Any]) -> dict[str, Any]:
        raise HangUp

    told = dict(there.answers)
    there.answers["list_events"] = gone
    there.answers["get_status"] = gone
    eventually(lambda: "the daemon does not answer: `toryo up`" in terminal.page(), within_s=30)
    there.answers.update(told)
    eventually(lambda: "Ctrl-C ends this" in terminal.page(), within_s=30)
    assert terminal.end() == 0


def test_without_a_terminal_it_prints_once(peer, typed):
    there = peer(get_status=STATUS)
    assert typed("status", "--watch").out == typed("status").out
    assert typed("status", "--watch", "--json").out == typed("status", "--json").out
    assert [tool for tool, _ in there.calls] == ["get_status"] * 4


def test_a_low_terminal_keeps_what_runs_and_what_needs_a_person(peer, watched):
    agents = [{**STATUS["agents"][0], "id": f"agent{number}"} for number in range(30)]
    house(peer, agents=agents)
    terminal = watched(12)
    eventually(lambda: "Ctrl-C ends this" in terminal.page(), within_s=30)
    page = terminal.page()
    assert ("● t1" in page, "toryo task retry t2" in page, "agent29" in page) == (True, True, False)
    assert page.count("\r\n") < 12
    assert terminal.end() == 0
