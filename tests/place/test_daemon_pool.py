"""Connection pool to the daemon: one connection serves many questions, and outlives a restart."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scripted_daemon import ScriptedDaemon
from toryo.place.daemon_client import Daemon
from toryo.place.daemon_pool import MOST, DaemonPool
from toryo.protocol.wire import ToolFailed, WireError
from waiting import eventually


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    made = ScriptedDaemon(tmp_path / "mcp.sock").start()
    made.texts["h"] = "words"
    yield made
    if made.running:
        made.stop()


@pytest.fixture
def pool(daemon: ScriptedDaemon) -> Iterator[DaemonPool]:
    made = DaemonPool(lambda: Daemon(daemon.path, "coord_x", timeout_s=5))
    yield made
    made.close()


def test_one_connection_answers_question_after_question(daemon: ScriptedDaemon, pool: DaemonPool) -> None:
    for _ in range(5):
        assert pool.ask(lambda line: line.fetch_blob("h")) == "words"
    assert len(daemon.connections) == 1


def test_a_line_that_broke_while_nobody_used_it_is_no_failure(
    daemon: ScriptedDaemon, pool: DaemonPool
) -> None:
    pool.ask(lambda line: line.fetch_blob("h"))
    daemon.stop()
    with pytest.raises(WireError):
        pool.ask(lambda line: line.fetch_blob("h"))
    daemon.start()
    assert pool.ask(lambda line: line.fetch_blob("h")) == "words"


def test_a_refusal_is_told_and_the_next_question_is_answered(
    daemon: ScriptedDaemon, pool: DaemonPool
) -> None:
    daemon.refuse["fetch_blob"] = "no"
    with pytest.raises(ToolFailed):
        pool.ask(lambda line: line.fetch_blob("h"))
    daemon.refuse.clear()
    assert pool.ask(lambda line: line.fetch_blob("h")) == "words"


def test_many_askers_at_once_leave_few_lines_open(daemon: ScriptedDaemon, pool: DaemonPool) -> None:
    with ThreadPoolExecutor(12) as askers:
        told = list(askers.map(lambda _: pool.ask(lambda line: line.fetch_blob("h")), range(60)))
    assert told == ["words"] * 60
    eventually(lambda: len(daemon.connections) <= MOST, what="the others are closed")
