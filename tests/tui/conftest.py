"""One shop for each test: a daemon with hands and a planner whose answers the test chooses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import MissionShop

from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    (tmp_path / "front").mkdir()
    try:
        yield opened
    finally:
        opened.daemon.close()


@pytest.fixture
def model(shop: MissionShop) -> MissionShop:
    """The shop with a model that is configured; nobody is asked."""
    shop.daemon.person("set_config", key="planner.base_url", value="http://127.0.0.1:9/v1")
    shop.daemon.person("set_config", key="planner.model", value="tea")
    return shop
