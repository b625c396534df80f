"""docs/spec.md lists what the code has, and no more: statuses, reasons, orders, facts, words at the edges."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_user_documents import told

from toryo.coordinator.answers.answer import READS as ANSWERED
from toryo.domain.reasons import MEANINGS, About, Reason, turn
from toryo.domain.words import MONITOR_STATUS, OUTSIDE_STATUS, MissionStatus, OrderKind, TaskStatus
from toryo.engine.units.files import EDGE
from toryo.protocol.asks import READ
from toryo.protocol.kinds.table import FACTS, KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/spec.md"
EDGES = {
    "monitor": {"pending", "completed", "error"},
    "children": {"pending", "running", "completed", "error"},
    "mission": {"pending", "running", "completed", "failed"},
}


def table(chapter: str) -> list[dict[str, str]]:
    """The rows of a chapter's one table, by the names of its columns."""
    text = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    (part,) = [one for one in text if one.startswith(chapter + "\n")]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    names, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(names, row, strict=True)) for row in rows]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def column(chapter: str, name: str) -> list[str]:
    return [word for row in table(chapter) for word in words(row[name])]


def test_every_status_stands_there_once_and_no_other() -> None:
    assert sorted(column("States of a task", "status")) == sorted(TaskStatus)
    assert sorted(column("Status words at the edges", "status")) == sorted(TaskStatus)


def test_outside_orchestrators_are_told_the_words_of_the_page() -> None:
    page = {row["status"].strip("`"): row["outside"] for row in table("Status words at the edges")}
    assert page == {str(status): word for status, word in OUTSIDE_STATUS.items()}


def test_monitors_are_told_the_words_of_the_page() -> None:
    page = {row["status"].strip("`"): row["monitor"] for row in table("Status words at the edges")}
    assert page == {str(status): word for status, word in MONITOR_STATUS.items()}


def test_parents_and_missions_are_told_the_words_of_the_page() -> None:
    rows = table("Status words at the edges")
    page = {row["status"].strip("`"): (row["children"], row["mission"]) for row in rows}
    failed = {"error": "failed"}
    assert page == {str(status): (word, failed.get(word, word)) for status, word in EDGE.items()}


def test_at_every_edge_a_status_is_one_of_its_words() -> None:
    rows = table("Status words at the edges")
    assert {edge: {row[edge] for row in rows} for edge in EDGES} == EDGES


def test_every_status_and_reason_of_a_mission_stands_there_once() -> None:
    assert sorted(column("States of a mission", "status")) == sorted(MissionStatus)
    found = {word for row in table("States of a mission") for word in words(row["why"])}
    (everywhere,) = re.findall(r"^Wherever a model is needed: (.*)$", PAGE.read_text(), re.MULTILINE)
    own = {one.value for one, row in MEANINGS.items() if row.about is About.MISSION}
    assert found | set(words(everywhere)) == own | {Reason.CANCELLED.value}


def test_every_kind_of_order_stands_there_once_with_its_facts() -> None:
    rows = {row["order"].strip("`"): row for row in table("Orders")}
    assert sorted(column("Orders", "order")) == sorted(OrderKind)
    for kind in KINDS:
        row = rows[kind.kind]
        assert (set(words(row["ends by"])), set(words(row["on the way"]))) == (
            set(kind.ends_by),
            set(kind.reports),
        ), kind.kind


def test_every_read_of_an_ask_stands_there_once_and_is_answered() -> None:
    known = READ.json_schema()["discriminator"]["mapping"]
    assert sorted(column("Asks", "read")) == sorted(known) == sorted(ANSWERED)


def test_every_fact_stands_there_once_and_no_other() -> None:
    assert sorted(column("Facts", "fact")) == sorted(FACTS)


def test_every_reason_that_a_user_is_told_stands_there_with_its_statuses() -> None:
    page = {
        (status, word)
        for row in table("Reasons")
        for word in words(row["reason"])
        for status in words(row["of"])
    }
    assert page == {(str(status), reason) for status, reason in told() if reason}


def test_every_reason_stands_there_once_with_whose_turn_it_is_at_each_of_its_statuses() -> None:
    rows = {row["reason"].strip("`"): row for row in table("Reasons")}
    assert sorted(rows) == sorted(column("Reasons", "reason"))
    for reason, row in rows.items():
        turns = [turn(TaskStatus(status), reason.rstrip(":")) for status in words(row["of"])]
        assert row["turn"].lower() == ", then ".join(dict.fromkeys(turns)), reason


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(tests/[^`]+)`", PAGE.read_text())
    assert len(named) > 100
    assert [path for path in dict.fromkeys(named) if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize(("chapter", "name"), [("Reasons", "reason"), ("Facts", "fact")])
def test_the_test_that_holds_a_word_speaks_of_it(chapter: str, name: str) -> None:
    for row in table(chapter):
        (word,), (path,) = words(row[name]), words(row["held by"])
        model = word.title().replace("_", "")
        text = (ROOT / path).read_text()
        assert word.rstrip(":") in text or model in text, f"{path} says nothing of {word}"
