"""From the previous schema to the current one, on both databases, with the data that was there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, text

from toryo.domain import subjects
from toryo.domain.errors import UserError
from toryo.store.database import migrations, opening
from toryo.store.database.engine import Store
from toryo.store.database.rows import CheckRow, VerbRow
from toryo.store.gather import ready, subject_facts
from toryo.store.tables import agents, events, facts, gates, landings, marks, meta, orders, runs, tasks, verbs

HERE = Path(__file__).parent


OLDER = (1, 2, 3)


def load(url: str | Path, version: int = 1) -> None:
    kind = "postgresql" if isinstance(url, str) else "sqlite"
    tables, data = HERE / f"version_{version}.{kind}.sql", HERE / f"version_{version}.data.sql"
    script = tables.read_text() + data.read_text()
    engine = create_engine(url if isinstance(url, str) else f"sqlite:///{url}")
    with engine.begin() as conn:
        for statement in script.split(";\n"):
            if statement.strip():
                conn.exec_driver_sql(statement)
    engine.dispose()


@pytest.fixture(params=OLDER)
def version(request: pytest.FixtureRequest) -> int:
    found: int = request.param
    return found


@pytest.fixture
def migrated(url: str | Path, version: int) -> Iterator[Store]:
    load(url, version)
    store = Store.open(url)
    yield store
    store.close()


def condition(index: Mapping[str, Any]) -> str:
    """Which rows it is of; empty: all."""
    told = {name: str(value) for name, value in index.get("dialect_options", {}).items()}
    return next((value for name, value in told.items() if name.endswith("_where")), "")


def shape(url: str | Path) -> dict[str, object]:
    """Columns, indexes and keys of every table, whatever the order of columns."""
    engine = create_engine(url if isinstance(url, str) else f"sqlite:///{url}")
    looker = inspect(engine)
    found = {
        table: (
            sorted((one["name"], str(one["type"]), one["nullable"]) for one in looker.get_columns(table)),
            sorted(
                (str(one["name"]), tuple(one["column_names"]), condition(one))
                for one in looker.get_indexes(table)
            ),
            looker.get_pk_constraint(table)["constrained_columns"],
        )
        for table in looker.get_table_names()
    }
    engine.dispose()
    return found


def test_a_database_of_an_older_version_opens_as_the_current_one(migrated: Store) -> None:
    with migrated.read() as tx:
        assert meta.get(tx, "schema_version") == str(migrations.CURRENT)
        assert meta.get(tx, "installation") == "i1"


def test_what_an_older_version_held_is_still_there(migrated: Store) -> None:
    with migrated.read() as tx:
        assert [one.title for one in tasks.page(tx)] == ["First", "Second"]
        assert tasks.needs_of(tx, "t2") == ["t1"]
        assert [one.id for one in ready.next_ready(tx, "p1", "ann")] == ["t2"]
        assert [one.exit_code for one in runs.of_task(tx, "t1")] == [0]
        assert landings.of_task(tx, "t1")[0].accepted_at == 18
        assert [one.kind for one in events.after(tx, 0, 10)] == ["task_added", "task_done"]
        assert marks.due(tx, 1) == ["task:t2"]


def test_older_checks_were_not_interrupted_and_new_ones_can_be(migrated: Store) -> None:
    with migrated.change() as tx:
        row = CheckRow(gate="g1", project="p1", tree="t", command="x", attempt=1, result="failed", at=1)
        gates.add_check(tx, replace(row, interrupted=True))
        facts = subject_facts.gate(tx, "g1")
    assert facts is not None
    assert [one.interrupted for one in facts.results] == [False, True]


def test_older_runs_said_nothing_and_wait_for_nothing_and_new_ones_can(migrated: Store) -> None:
    with migrated.change() as tx:
        (old,) = runs.of_task(tx, "t1")
        runs.update(tx, "r1", said={"result": "none"}, parked_until=tx.now + 60)
        new = runs.get(tx, "r1")
        assert [run.id for run in runs.parked(tx, "m1", "command")] == ["r1"]
    assert (old.said, old.parked_until) == (None, None)
    assert new is not None
    assert (new.said, new.parked_until is not None) == ({"result": "none"}, True)


def test_older_agents_have_no_skills_and_can_be_given_some(migrated: Store) -> None:
    with migrated.change() as tx:
        (old,) = agents.listing(tx)
        agents.update(tx, "ann", skills={"tidy": "# Tidy"})
        (new,) = agents.listing(tx)
    assert (dict(old.skills), dict(new.skills)) == ({}, {"tidy": "# Tidy"})


ASKED = (
    "INSERT INTO orders (seq, id, kind, key, place, state, inputs, limit_s, created_at, project, task, run,"
    " landing, gate, generation, taken_by, version) VALUES (99, 'o99', 'read', 'read/99', 'm1', 'taken',"
    " '{}', 60, 7, 'p1', 't1', 'r1', '', '', 0, 'm1', 1)",
    'INSERT INTO facts (seq, kind, "order", project, task, run, landing, gate, generation, coordinator,'
    " incarnation, standing, body, at) VALUES (99, 'answered', 'o99', 'p1', 't1', 'r1', '', '', 0, 'm1', 1,"
    " 'applied', '{}', 7)",
)


def test_orders_to_read_are_asks_now_and_are_not_kept(url: str | Path, version: int) -> None:
    load(url, version)
    engine = create_engine(url if isinstance(url, str) else f"sqlite:///{url}")
    with engine.begin() as conn:
        for statement in ASKED:
            conn.exec_driver_sql(statement)
    engine.dispose()
    store = Store.open(url)
    with store.read() as tx:
        assert orders.get(tx, "o99") is None
        assert facts.of_order(tx, "o99") == []
        assert facts.of_run(tx, "r1"), "others stay"
    store.close()


SPOKEN = (
    "INSERT INTO verbs (task, verb, generation, landing_seq, reason, note, at)"
    " VALUES ('t1', 'approve', 1, 0, 'scope', 'fine', 7)"
)


def test_an_older_verb_is_about_its_task_and_an_older_event_about_the_narrowest(
    url: str | Path, version: int
) -> None:
    load(url, version)
    engine = create_engine(url if isinstance(url, str) else f"sqlite:///{url}")
    with engine.begin() as conn:
        conn.exec_driver_sql(SPOKEN)
    engine.dispose()
    store = Store.open(url)
    with store.change() as tx:
        (old,) = verbs.of_task(tx, "t1")
        about = subjects.target("p1", "main")
        verbs.add(tx, VerbRow(subject=about, verb="retry", at=9))
        (new,) = verbs.of(tx, about)
        assert {one.subject for one in events.after(tx, 0, 10)} == {"task:t1"}
    store.close()
    assert (old.subject, old.verb, old.reason, old.note) == ("task:t1", "approve", "scope", "fine")
    assert (new.verb, new.generation) == ("retry", 0)
    assert new.seq > old.seq


def test_a_migrated_schema_is_the_created_one(url: str | Path, version: int, tmp_path: Path) -> None:
    load(url, version)
    Store.open(url).close()
    migrated = shape(url)
    if isinstance(url, str):
        engine = create_engine(url)
        with engine.begin() as conn:
            conn.execute(text("DROP SCHEMA public CASCADE"))
            conn.execute(text("CREATE SCHEMA public"))
        engine.dispose()
        fresh: str | Path = url
    else:
        fresh = tmp_path / "fresh.db"
    Store.open(fresh).close()
    assert migrated == shape(fresh)


def test_the_fixture_really_is_an_older_schema(url: str | Path, version: int) -> None:
    load(url, version)
    before = shape(url)
    Store.open(url).close()
    assert before != shape(url)


def test_a_backup_of_the_old_version_is_made_before_the_first_step(tmp_path: Path) -> None:
    load(tmp_path / "toryo.db")
    Store.open(tmp_path / "toryo.db", backups=tmp_path / "kept").close()
    (backup,) = (tmp_path / "kept").iterdir()
    assert backup.stat().st_mode & 0o777 == 0o600
    conn = sqlite3.connect(backup)
    assert conn.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone() == ("1",)
    assert conn.execute("SELECT count(*) FROM tasks").fetchone() == (2,)
    conn.close()


def test_opening_a_current_database_makes_no_backup(tmp_path: Path) -> None:
    Store.open(tmp_path / "toryo.db").close()
    Store.open(tmp_path / "toryo.db").close()
    assert not (tmp_path / "backups").exists()


def test_a_step_that_fails_leaves_the_old_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(tmp_path / "toryo.db")
    before = shape(tmp_path / "toryo.db")

    def half(conn: object) -> None:
        migrations.STEPS[0](conn)  # type: ignore[arg-type]
        raise OSError("the disk is full")

    monkeypatch.setattr(opening, "STEPS", (half,))
    with pytest.raises(OSError, match="disk is full"):
        Store.open(tmp_path / "toryo.db")
    assert shape(tmp_path / "toryo.db") == before


def test_a_newer_schema_is_refused_with_a_way_out(url: str | Path) -> None:
    store = Store.open(url)
    with store.change() as tx:
        meta.put(tx, "schema_version", str(migrations.CURRENT + 1))
    store.close()
    with pytest.raises(UserError, match=f"version {migrations.CURRENT + 1}") as refused:
        Store.open(url)
    assert "TORYO_HOME" in refused.value.hint


DEFINED = "UPDATE projects SET settings_files = '{\"agents/ann.yaml\": \"name: ann\"}' WHERE id = 'p1'"


def test_an_agent_that_its_only_project_defines_becomes_the_projects_own(
    url: str | Path, version: int
) -> None:
    load(url, version)
    engine = create_engine(url if isinstance(url, str) else f"sqlite:///{url}")
    with engine.begin() as conn:
        conn.exec_driver_sql(DEFINED)
    engine.dispose()
    store = Store.open(url)
    with store.read() as tx:
        assert [(one.id, one.project, one.command) for one in agents.listing(tx)] == [
            ("ann", "p1", "sh agent.sh")
        ]
        assert ready.ready_pairs(tx) == [("p1", "ann")]
    store.close()


def test_an_agent_that_no_file_defines_stays_the_installations(migrated: Store) -> None:
    with migrated.read() as tx:
        assert [(one.id, one.project) for one in agents.listing(tx)] == [("ann", "")]
        assert ready.ready_pairs(tx) == [("p1", "ann")]
