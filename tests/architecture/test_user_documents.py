"""What users read: every reason is explained, and nothing points into our own books."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from shown_reasons import shown
from toryo.domain.words import TaskStatus

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/howto/when-something-waits.md"
DOCUMENTS = [
    *ROOT.glob("README*"),
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs/howto").glob("*.md"),
    *(ROOT / "docs/from").glob("*.md"),
    *(ROOT / "docs" / name for name in ("contracts.md", "clients.md", "security.md")),
]
OURS = re.compile(r"\bADR\b|\b(?:S\d+|FR|C)-\d+\b")
"""Numbers of decisions and of rows of the specification."""


def told() -> set[tuple[TaskStatus, str]]:
    """What the page's tables are about: `status reason`, and more reasons of that status behind ` / `."""
    found = set()
    for cell in re.findall(r"^\| (`.*?) \|", PAGE.read_text(), re.MULTILINE):
        status = ""
        for words in re.findall(r"`([^`]*)`", cell):
            first, _, rest = words.partition(" ")
            status, reason = (first, rest) if first in set(TaskStatus) else (status, words)
            found.add((TaskStatus(status), re.sub(r":[A-Z]+$", ":", reason)))
    return found


def test_every_reason_that_can_be_shown_is_on_the_page_and_no_other() -> None:
    named = {(status, reason) for status, reason in shown() if reason}
    assert told() - named == set(), "nothing shows this any more"
    assert named - told() == set(), "the page says nothing about this"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_for_users_names_our_own_numbers(path: Path) -> None:
    assert OURS.findall(path.read_text()) == []


def test_no_text_that_a_command_prints_names_them() -> None:
    found = []
    for path in sorted((ROOT / "src/toryo").rglob("*.py")):
        tree = ast.parse(path.read_text())
        notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found += [
            f"{path.name}:{node.lineno} {node.value[:60]}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if id(node) not in notes and OURS.search(node.value)
        ]
    assert found == []
