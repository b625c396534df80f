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


def rooms(folder: Path) -> set[str]:
    return {path.parent.name for path in folder.glob("*/__init__.py")}


def test_every_room_stands_on_the_map() -> None:
    architecture = (ROOT / "docs/architecture.md").read_text()
    (row,) = re.findall(r"^\| `usecases/` \| one folder a noun: (.*) \|$", architecture, re.MULTILINE)
    assert set(row.split(", ")) == rooms(PACKAGE / "usecases")
    for page in ("README.md", "README.ja.md", "docs/architecture.md"):
        told = set(re.findall(r"\w+", (ROOT / page).read_text()))
        assert rooms(PACKAGE) <= told, f"{page}: {rooms(PACKAGE) - told}"


def test_a_reader_is_through_the_first_pages_and_the_heart_of_the_code_in_five_minutes() -> None:
    pages = ("README.md", "docs/architecture.md", "tests/reconciler/test_decide.py")
    code = ("coordinator/loop.py", "reconciler/decide.py")
    read = [*(ROOT / page for page in pages), *(PACKAGE / path for path in code)]
    assert sum(len(path.read_text().splitlines()) for path in read) < 400


def test_every_decision_stands_once_in_the_index_under_its_own_title() -> None:
    index = (ROOT / "docs/adr/README.md").read_text()
    listed = re.findall(r"^- \[(\d{4})\]\((\S+)\) (.+)$", index, re.MULTILINE)
    heads = [(path, path.read_text().splitlines()[0]) for path in (ROOT / "docs/adr").glob("0*.md")]
    assert sorted((f"{int(number)}. {title}", name) for number, name, title in listed) == sorted(
        (head.removeprefix("# "), path.name) for path, head in heads
    )


def test_every_link_of_a_document_leads_somewhere() -> None:
    missing = []
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            if not link.startswith("http") and not (page.parent / link).exists():
                missing.append(f"{page.relative_to(ROOT)}: {link}")
    assert missing == []
