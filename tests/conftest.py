"""Fixtures of every test: the real home, git identity and installation are unreachable."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import leftovers
from waiting import eventually

# whoever starts the tests in the background has them ignore Ctrl-C, and so would every program they start
signal.signal(signal.SIGINT, signal.default_int_handler)
leftovers.mark()  # before a module keeps the environment as it found it


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """No test leaves a tmux server, a daemon, an agent or any other process."""
    yield
    try:
        eventually(lambda: not leftovers.alive(), within_s=15, what="the end of all that the tests started")
    except pytest.fail.Exception:
        left = leftovers.alive()
        leftovers.end(left)
        pytest.fail("\n".join(["The tests left processes behind:", *map(str, left.items())]), pytrace=False)


@pytest.fixture(autouse=True)
def unreachable_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("TORYO_HOME", "TORYO_RUN", "TORYO_RUN_FILE", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return home
