"""Trees of one mission are told apart by the ids of their units; tasks of a plan by having no parent."""

from __future__ import annotations

from store_filling import a_task, add_project

from toryo.domain.words import TaskStatus
from toryo.store.database.engine import Store, Tx
from toryo.store.gather import mission_facts
from toryo.store.tables import missions, tasks
from toryo.store.tables.units import units

UNITS = ("t001_log", "t001_log-a", "t001_log-a-b", "t001_log_2", "t001_log_2-a")


def add_units(tx: Tx) -> None:
    """Two trees of one mission, and a plain task of its plan; the last unit is done."""
    add_project(tx)
    tasks.insert(tx, a_task("plain", mission="n1", planned="T002", status=TaskStatus.READY))
    for unit in UNITS:
        status = TaskStatus.DONE if unit == UNITS[-1] else TaskStatus.RUNNING
        parent = unit.rpartition("-")[0]
        tasks.insert(tx, a_task(unit, unit=unit, parent=parent, mission="n1", status=status))


def test_a_tree_is_its_uppermost_unit_and_all_below_it(store: Store) -> None:
    with store.change() as tx:
        add_units(tx)
        for unit, tree in (("t001_log-a-b", UNITS[:3]), ("t001_log_2", UNITS[3:])):
            row = tasks.get(tx, unit)
            assert row is not None
            assert [one.unit for one in units.tree_of(tx, row)] == list(tree)
        assert units.tree_counts(tx, row) == {"running": 1, "done": 1}


def test_the_newest_tree_is_known_by_its_uppermost_unit(store: Store) -> None:
    with store.change() as tx:
        assert units.newest_top(tx) is None
        add_units(tx)
        for found in (units.newest_top(tx), units.newest_top(tx, "p1")):
            assert found is not None
            assert found.unit == "t001_log_2"
        assert units.newest_top(tx, "elsewhere") is None


def test_what_units_divided_is_no_task_of_the_plan(store: Store) -> None:
    with store.change() as tx:
        add_units(tx)
        assert [one.id for one in missions.planned_of(tx, "n1")] == ["plain", "t001_log", "t001_log_2"]
        counts = mission_facts.counts_of(tx, "n1")
        assert (counts.total, counts.done, counts.moving) == (3, 0, 5)
