"""The journal of orders: intent before the effect, outcome after it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from toryo.domain.words import OrderKind
from toryo.place.journal import KEPT_S, Entry, Journal, Outcome
from toryo.protocol.order import Order

ORDER = Order(id="o1", kind=OrderKind.ACCEPT, key="accept/1", inputs={"token": "run_secret"})
OUTCOME = Outcome("accepted", {"moved": True, "tip": "abc"}, {"hash": "text"})


def test_an_order_that_was_never_begun_has_no_entry(tmp_path: Path) -> None:
    assert Journal(tmp_path).find("o1") is None


def test_an_intent_survives_and_says_that_the_outcome_is_unknown(tmp_path: Path) -> None:
    Journal(tmp_path).intend(ORDER)
    assert Journal(tmp_path).find("o1") == Entry(None)


def test_an_outcome_survives_with_its_blobs(tmp_path: Path) -> None:
    Journal(tmp_path).intend(ORDER)
    Journal(tmp_path).conclude(ORDER, OUTCOME)
    assert Journal(tmp_path).find("o1") == Entry(OUTCOME)


@pytest.mark.parametrize(
    "damage", [b"", b'{"outcome": {"fa', b"\xff\xfe", b"[]", b'{"outcome": 3}', b'{"outcome": {"fact": "x"}}']
)
def test_a_half_or_damaged_file_counts_as_an_intent_only(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "o1.json").write_bytes(damage)
    assert Journal(tmp_path).find("o1") == Entry(None)


def test_the_file_is_private_and_holds_no_inputs(tmp_path: Path) -> None:
    Journal(tmp_path).intend(ORDER)
    path = tmp_path / "o1.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert "run_secret" not in path.read_text()
    assert [entry.name for entry in tmp_path.iterdir()] == ["o1.json"]


def test_an_order_id_cannot_name_another_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="order"):
        Journal(tmp_path).find("../operator")


def test_after_seven_days_only_orders_that_nobody_asks_for_are_forgotten(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for name in ("old", "wanted", "fresh"):
        journal.conclude(Order(id=name, kind=OrderKind.ACCEPT, key=name), OUTCOME)
    long_ago = time.time() - KEPT_S - 60
    for name in ("old", "wanted"):
        os.utime(tmp_path / f"{name}.json", (long_ago, long_ago))
    assert journal.forget({"wanted"}) == 1
    assert {path.stem for path in tmp_path.iterdir()} == {"wanted", "fresh"}


def test_an_outcome_is_never_overwritten(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.conclude(ORDER, OUTCOME) == OUTCOME
    assert journal.conclude(ORDER, Outcome("accepted", {"problem": {"code": "bug"}})) == OUTCOME
    journal.intend(ORDER)
    assert journal.find("o1") == Entry(OUTCOME)


def test_a_journal_that_cannot_be_read_says_so_instead_of_that_nothing_was_done(tmp_path: Path) -> None:
    (tmp_path / "o1.json").mkdir()
    with pytest.raises(OSError, match="o1"):
        Journal(tmp_path).find("o1")
