"""Calls that take long: they hold up no page, and end with the browser that made them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from served_page import Served, scripted

from fronts.wire_peer import HangUp
from waiting import eventually

SOON_S = 5.0


class Gate:
    """Answers that wait until the test lets them go."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.begun: list[dict[str, Any]] = []

    def answer(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.begun.append(arguments)
        if not self.opened.wait(60):
            raise HangUp
        return {"task": arguments.get("task", ""), "verified": True}


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.opened.set()


@pytest.fixture
def served(gate: Gate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    slow = dict.fromkeys(("verify_task", "remove_project", "get_task"), gate.answer)
    with scripted(tmp_path_factory.mktemp("h") / "t", slow) as made:
        yield made


class Browsers:
    """Each asks on a connection of its own, and is not yet answered."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.lines: list[http.client.HTTPConnection] = []

    def ask(self, method: str, path: str) -> http.client.HTTPConnection:
        line = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=30)
        line.request(method, path, headers=self.served.bearer)
        self.lines.append(line)
        return line

    def is_answered_soon(self, path: str) -> bool:
        begun = time.monotonic()
        return status(self.ask("GET", path)) == 200 and time.monotonic() - begun < SOON_S


@pytest.fixture
def browsers(served: Served) -> Iterator[Browsers]:
    made = Browsers(served)
    yield made
    for one in made.lines:
        one.close()


def status(line: http.client.HTTPConnection) -> int:
    with line.getresponse() as answer:
        answer.read()
        return answer.status


def test_a_page_is_answered_while_twenty_tasks_are_checked_again(browsers: Browsers, gate: Gate) -> None:
    waiting = [browsers.ask("POST", f"/api/tasks/t{number}/verify") for number in range(20)]
    eventually(lambda: gate.begun, what="the first check began")
    assert browsers.is_answered_soon("/api/status")
    gate.opened.set()
    assert [status(one) for one in waiting] == [200] * 20


def test_what_takes_minutes_does_not_wait_for_what_takes_an_hour(browsers: Browsers, gate: Gate) -> None:
    waiting = [browsers.ask("POST", f"/api/tasks/t{number}/verify") for number in range(5)]
    waiting.append(browsers.ask("POST", "/api/projects/p1/remove"))
    eventually(lambda: any("project" in one for one in gate.begun), what="the removal began")
    gate.opened.set()
    assert [status(one) for one in waiting] == [200] * 6


def test_events_come_while_every_other_call_waits(served: Served, browsers: Browsers, gate: Gate) -> None:
    with served.channel() as channel:
        waiting = [browsers.ask("GET", f"/api/tasks/t{number}") for number in range(30)]
        eventually(lambda: len(gate.begun) >= 16, what="all turns are taken")
        served.store.add(1)
        messages = (json.loads(channel.recv(timeout=SOON_S)) for _ in range(5))
        assert any(one["type"] == "task_update" for one in messages)
        gate.opened.set()
        assert {status(one) for one in waiting} == {200}


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/tasks/{}/verify"), ("GET", "/api/tasks/{}")])
def test_a_call_ends_with_the_browser_that_made_it(
    browsers: Browsers, gate: Gate, method: str, path: str
) -> None:
    left = [browsers.ask(method, path.format(f"t{number}")) for number in range(16)]
    eventually(lambda: gate.begun, what="the first of them began")
    for one in left:
        one.close()
    stays = browsers.ask(method, path.format("stays"))
    eventually(lambda: {"task": "stays"} in gate.begun, what="the one that stays has its turn")
    gate.opened.set()
    assert status(stays) == 200


def test_a_change_is_made_though_its_browser_left(browsers: Browsers, gate: Gate) -> None:
    browsers.ask("POST", "/api/projects/p1/remove").close()
    eventually(lambda: any("project" in one for one in gate.begun), what="the removal began")
