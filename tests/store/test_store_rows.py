"""The dataclasses of rows say the same as the tables."""

from __future__ import annotations

from dataclasses import MISSING, fields

import pytest
from store_filling import a_task, add_project

from toryo.store.database import rows, schema
from toryo.store.database.engine import Store
from toryo.store.tables import tasks

ROWS = {
    "projects": rows.ProjectRow,
    "agents": rows.AgentRow,
    "targets": rows.TargetRow,
    "tasks": rows.TaskRow,
    "verbs": rows.VerbRow,
    "runs": rows.RunRow,
    "orders": rows.OrderRow,
    "facts": rows.FactRow,
    "landings": rows.LandingRow,
    "gates": rows.GateRow,
    "checks": rows.CheckRow,
    "evidence": rows.EvidenceRow,
    "claims": rows.ClaimRow,
    "tokens": rows.TokenRow,
    "coordinators": rows.CoordinatorRow,
    "events": rows.EventRow,
}


@pytest.mark.parametrize("table", ROWS)
def test_a_row_has_the_columns_of_its_table(table: str) -> None:
    columns = set(schema.metadata.tables[table].columns.keys())
    assert {one.name for one in fields(ROWS[table])} == columns


@pytest.mark.parametrize("table", ROWS)
def test_a_row_has_the_defaults_of_its_table(table: str) -> None:
    given = {one.name: one.default for one in fields(ROWS[table]) if one.default is not MISSING}
    for column in schema.metadata.tables[table].columns:
        if column.default is not None:
            assert given[column.name] == column.default.arg, column.name


def test_a_row_comes_back_as_it_went_in(store: Store) -> None:
    row = a_task(
        "t1", write=["src/", "ü"], checks=["make test"], held=True, changed_at=2.5, description="棟梁"
    )
    with store.change() as tx:
        add_project(tx)
        seq = tasks.insert(tx, row)
    with store.read() as tx:
        found = tasks.get(tx, "t1")
    assert found == rows.TaskRow(**{**row.values(), "seq": seq})


def test_text_that_a_database_refuses_is_stored_with_replacements(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("t1", title="a\udc80b", checks=["c\udc80\0"]))
        tasks.update(tx, "t1", detail="nul\0nul")
        found = tasks.get(tx, "t1")
    assert found is not None
    assert (found.title, found.detail, found.checks) == ("a?b", "nul?nul", ["c\udc80\0"])


def test_no_write_scope_and_an_empty_one_are_two_things(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("t1", write=None))
        tasks.insert(tx, a_task("t2", write=[]))
    with store.read() as tx:
        assert [one.write for one in tasks.page(tx)] == [None, []]
