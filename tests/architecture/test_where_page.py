"""docs/where.md and the maps lead to what is there: every path they name, and every name in it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/toryo"
WHERE = ROOT / "docs/where.md"
MAPS = (ROOT / "docs/architecture.md", ROOT / "AGENTS.md", ROOT / "README.md", ROOT / "README.ja.md")
ROW = re.compile(r"^\| (\d+) \| (.+?) \| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)
NEAR = (ROOT, PACKAGE, *(PACKAGE / room for room in ("workbench", "coordinator", "engine", "store")))
"""Where a path of a map may begin: a chapter that is about a room leaves its name away."""


def test_twenty_questions_are_answered_each_by_a_file_and_a_name_in_it() -> None:
    rows = ROW.findall(WHERE.read_text())
    assert [int(number) for number, *_ in rows] == list(range(1, 21))
    for _, question, path, name in rows:
        assert question.endswith("?")
        assert (PACKAGE / path).is_file(), f"{question} {path} is not there"
        assert re.search(rf"\b{name}\b", (PACKAGE / path).read_text()), f"{question} {path} has no {name}"


def test_every_path_that_a_map_names_exists() -> None:
    missing = []
    for page in (WHERE, *MAPS):
        for path in re.findall(r"`([\w./]+/[\w.]*|[\w/]+\.(?:py|md|toml))`", page.read_text()):
            if path.startswith(".") or "TASK" in path:
                continue
            if not any((base / path).exists() for base in NEAR):
                missing.append(f"{page.name}: {path}")
    assert missing == []


def test_every_link_of_a_document_leads_somewhere() -> None:
    missing = []
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            if not link.startswith("http") and not (page.parent / link).exists():
                missing.append(f"{page.relative_to(ROOT)}: {link}")
    assert missing == []
