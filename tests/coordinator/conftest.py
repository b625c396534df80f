from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from crew import Crew

from repositories import make_repository


@pytest.fixture
def crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    # a short path: a socket's name has room for about a hundred bytes
    crew = Crew(tmp_path_factory.mktemp("c"))
    yield crew
    crew.close()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Adopted as `p1`."""
    made = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    (made / ".git" / "toryo").mkdir()
    (made / ".git" / "toryo" / "project").write_text("p1\n")
    return made
