"""`doctor --recompute` reads what was reported, not what was made of it: a bent cache is always told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from whole_daemon import MERGED, Shop

from toryo.domain.words import CheckResult
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.landing import CandidateBuilt, Conflict
from toryo.store.database.engine import Tx
from toryo.store.tables import gates, landings, tasks

OTHER = "9" * 40
FAILED = Checked(result=CheckResult.FAILED, exit_code=1)


def differences(shop: Shop) -> list[str]:
    shop.daemon.settle()
    found = shop.daemon.person("recompute")["differences"]
    return [f"{one['what'].split()[0]} {one['what'].split()[-1]}: {one['facts_say']}" for one in found]


def worked(shop: Shop, **wishes: Any) -> str:
    """A task whose run has ended well and was collected."""
    task = shop.add_task(**wishes)
    shop.hands.claim("dev", shop.project, f"request-{task}")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    return task


@pytest.fixture
def landed(shop: Shop) -> Shop:
    worked(shop)
    shop.hands.build()
    shop.hands.land()
    assert differences(shop) == []
    return shop


def bend(tx: Tx, what: str) -> None:
    """Of everything there is."""
    for task in tasks.page(tx, after_seq=0, limit=9):
        if what in ("landed_commit", "next_purpose"):
            tasks.update(tx, task.id, **{what: OTHER})
        for landing in landings.of_task(tx, task.id):
            if what == "gate":
                gates.update(tx, landing.gate, tree=OTHER)
            elif what in ("candidate", "tree"):
                landings.update(tx, landing.id, **{what: OTHER})
            elif what in ("red", "conflict", "could_not_run", "problem", ""):
                landings.update(tx, landing.id, ended=what)


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("landed_commit", f"landed_commit landed_commit: {MERGED}"),
        ("next_purpose", "next_purpose next_purpose: "),
        ("candidate", f"landing candidate: {MERGED}"),
        ("tree", f"landing tree: {MERGED}"),
        ("gate", f"gate tree: {MERGED}"),
        ("red", "landing ended: landed"),
        ("", "landing ended: landed"),
    ],
)
def test_what_was_landed_is_compared_with_what_was_reported(landed: Shop, what: str, told: str) -> None:
    landed.daemon.change(bend, what)
    assert told in differences(landed)


@pytest.mark.parametrize("ended", ["red", "conflict", "could_not_run", "problem"])
def test_an_end_that_no_report_stands_for_decides_nothing(shop: Shop, ended: str) -> None:
    """The status follows from the reports: by the cached end the task would be failed or with a person."""
    worked(shop, checks=["true"])
    shop.hands.build()
    shop.hands.order("check")
    shop.daemon.change(bend, ended)
    assert "landing ended: still verifying" in differences(shop)


def red(shop: Shop) -> None:
    shop.hands.build()
    for _ in range(2):
        shop.hands.report(shop.hands.order("check"), "checked", FAILED)


def conflict(shop: Shop) -> None:
    built = CandidateBuilt(conflict=Conflict(paths=["a.txt"], partner="", task=""))
    shop.hands.report(shop.hands.order("candidate"), "candidate_built", built)


@pytest.mark.parametrize("end", [red, conflict])
def test_an_end_that_was_reported_is_no_difference(shop: Shop, end: Callable[[Shop], None]) -> None:
    task = worked(shop, checks=["true"])
    end(shop)
    assert shop.state(task) == {"red": "ready checks_failed", "conflict": "ready conflict"}[end.__name__]
    assert differences(shop) == []
