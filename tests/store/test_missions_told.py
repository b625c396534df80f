"""A mission looks again when something became of its files, or a scan of its repository is there."""

from __future__ import annotations

from typing import Any

import pytest
from store_filling import add_project, an_order

from toryo.domain import subjects
from toryo.domain.words import FilesPurpose
from toryo.engine.facts.files import apply_scanned
from toryo.engine.facts.landings import apply_accepted, apply_candidate, apply_published, apply_written
from toryo.engine.subjects.files import land_files
from toryo.engine.subjects.queue import look_at_queue
from toryo.protocol.kinds.files import Scanned, Written
from toryo.protocol.kinds.landing import Accepted, CandidateBuilt, Published
from toryo.reconciler.subjects import Policy
from toryo.store.database.engine import Store, Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import OrderRow
from toryo.store.tables import landings, marks, missions, orders, projects

NEW = "c1"
NAMES = ("n1", "n2", "n3")


def a_mission(tx: Tx, id: str = "n1", **facts: Any) -> MissionRow:
    whole = {"project": "p1", "target": "main", "text": "do it", "created_at": 1.0, "changed_at": 1.0}
    row = MissionRow(**{"id": id, "status": "active", **whole, **facts})
    missions.insert(tx, row)
    return row


def told(tx: Tx) -> set[str]:
    """The missions that are marked; then nobody is."""
    found = {name for name in NAMES if marks.is_marked(tx, subjects.mission(name))}
    marks.clear(tx, [subjects.mission(name) for name in NAMES])
    return found


def look(tx: Tx) -> None:
    look_at_queue(tx, "p1", "main", Policy())


@pytest.fixture
def landing(store: Store) -> str:
    with store.change() as tx:
        add_project(tx)
        projects.update_target(tx, "p1", "main", trusted_tree="tree0", seen="c0", seen_tree="tree0")
        mission = a_mission(tx)
        id = land_files(tx, mission, FilesPurpose.SPEC, 1, [("s.md", "x")], "docs: s")
        assert told(tx) == {"n1"}
        return id


def order_of(tx: Tx, kind: str) -> OrderRow:
    (landing,) = [one for one in landings.of_mission(tx, "n1") if not one.ended]
    return [one for one in orders.of_landing(tx, landing.id) if one.kind == kind][-1]


def written(tx: Tx, **facts: Any) -> None:
    look(tx)
    look(tx)
    told(tx)
    apply_written(tx, order_of(tx, "write"), Written(commit=NEW, tree=NEW, **facts).model_dump(mode="json"))


def test_of_a_write_that_could_not_be_made_and_of_its_end(store: Store, landing: str) -> None:
    with store.change() as tx:
        written(tx, problem={"code": "path_taken", "message": "x"})
        assert told(tx) == {"n1"}
        look(tx)
        row = landings.get(tx, landing)
        assert (row.ended if row else "", told(tx)) == ("problem", {"n1"})


def test_of_a_tip_that_held_them_already(store: Store, landing: str) -> None:
    with store.change() as tx:
        written(tx, changed=False)
        told(tx)
        look(tx)
        row = landings.get(tx, landing)
        assert row is not None
        assert (row.ended, row.published_at == tx.now, told(tx)) == ("landed", True, {"n1"})


def test_of_an_accept_and_of_a_publish(store: Store, landing: str) -> None:
    with store.change() as tx:
        written(tx)
        look(tx)
        built = CandidateBuilt(commit=NEW, tree=NEW)
        apply_candidate(tx, order_of(tx, "candidate"), built.model_dump(mode="json"))
        landings.update(tx, landing, gate="g1", verdict="green")
        look(tx)
        order = order_of(tx, "accept")
        told(tx)
        apply_accepted(tx, order, Accepted(moved=True, tip=NEW).model_dump(mode="json"))
        assert told(tx) == {"n1"}
        publish = an_order("o9", kind="publish", project="p1", inputs={"target": "main", "new": NEW})
        apply_published(tx, publish, Published(published=True, commit=NEW).model_dump(mode="json"))
        row = landings.get(tx, landing)
        assert row is not None
        assert (row.published_at == tx.now, told(tx)) == (True, {"n1"})


def test_of_a_scan_all_that_have_not_ended(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        add_project(tx, "p2")
        a_mission(tx)
        a_mission(tx, "n2", status="completed")
        a_mission(tx, "n3", project="p2")
        order = an_order("o1", kind="scan", project="p1", inputs={"commit": "c0"})
        apply_scanned(tx, order, Scanned(text="a" * 64).model_dump(mode="json"))
        assert told(tx) == {"n1"}
