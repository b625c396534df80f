"""An open store for each test, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import postgresql_server
import pytest

from toryo.store.database.engine import Store

_numbers = count(1)


@pytest.fixture(scope="session")
def postgresql_socket() -> Iterator[Path]:
    with postgresql_server.server() as socket:
        yield socket


@pytest.fixture
def postgresql_url(postgresql_socket: Path) -> Iterator[str]:
    """A new, empty database."""
    with postgresql_server.database(postgresql_socket, f"test{next(_numbers)}") as url:
        yield url


@pytest.fixture(scope="session")
def postgresql_shared(postgresql_socket: Path) -> Iterator[str]:
    """A database with the current tables, for all tests that want them empty: a new one takes 0.3 s."""
    with postgresql_server.database(postgresql_socket, "shared") as url:
        Store.open(url).close()
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a new database may be made."""
    if request.param == "sqlite":
        return tmp_path / "toryo.db"
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where the tables are, or will be, and are empty."""
    if request.param == "sqlite":
        return tmp_path / "toryo.db"
    found: str = request.getfixturevalue("postgresql_shared")
    postgresql_server.empty(found)
    return found


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(store_url: str | Path, clock: Callable[[], float]) -> Iterator[Store]:
    opened = Store.open(store_url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_store(tmp_path: Path, clock: Callable[[], float]) -> Iterator[Store]:
    opened = Store.open(tmp_path / "toryo.db", clock=clock)
    yield opened
    opened.close()
