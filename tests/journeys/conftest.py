"""One house per test; it is closed whatever happens."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from house import House, build


@pytest.fixture
def make_house() -> Iterator[Callable[..., House]]:
    # not tmp_path: its long names would not leave room for a socket's path
    roots: list[Path] = []
    houses: list[House] = []

    def make(files: dict[str, str] | None = None, *, branch: str = "side", init: bool = True) -> House:
        roots.append(Path(tempfile.mkdtemp(prefix="tj")))
        house = build(roots[-1], files, branch=branch)
        houses.append(house)
        if init:
            house.ok("init", "--yes", "--base", "main")
        return house

    yield make
    for house in houses:
        house.close()
    for root in roots:
        shutil.rmtree(root, ignore_errors=True)
