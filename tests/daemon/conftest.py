"""A real daemon with toy tools, shared by the tests that do not hurt it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from little_daemon import LittleDaemon
from real_daemon import RealDaemon
from whole_daemon import Shop

from toryo.settings import Home


@pytest.fixture(scope="session")
def little_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LittleDaemon]:
    folder = tmp_path_factory.mktemp("daemon")
    daemon = LittleDaemon(Home(folder / "home"), log=folder / "output")
    try:
        yield daemon.wait_until_it_answers()
    finally:
        assert daemon.end() == 0, (folder / "output").read_text()


@pytest.fixture
def start_daemon(tmp_path: Path) -> Iterator[Callable[..., LittleDaemon]]:
    """Daemons of one test; whatever is left of them is killed at its end."""
    started: list[LittleDaemon] = []

    def start(home: Home | None = None) -> LittleDaemon:
        daemon = LittleDaemon(home or Home(tmp_path / "home"), log=tmp_path / "output")
        started.append(daemon)
        return daemon

    yield start
    for daemon in started:
        daemon.kill()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A whole daemon of its own, with hands, an agent and a project."""
    opened = Shop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


@pytest.fixture(scope="module")
def real_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealDaemon]:
    """`toryo daemon` as it is, for a whole file; at the end it leaves as if nothing had happened."""
    daemon = RealDaemon(Home(tmp_path_factory.mktemp("real") / "home"))
    try:
        yield daemon
        daemon.end()
    finally:
        daemon.close()
