from __future__ import annotations

from collections.abc import Iterator

import pytest
from campaign_ground import Ground


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.close()
