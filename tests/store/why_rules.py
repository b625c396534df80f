"""What must hold of `toryo why` in a simulated house, whatever happened in it before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulated_house import House

from toryo.domain.reasons import About, Turn, meaning
from toryo.domain.words import TaskStatus, is_at_rest
from toryo.engine import next_task
from toryo.store.database.rows import TargetRow
from toryo.store.tables import projects, runs, tasks
from toryo.usecases.status import attention_page
from toryo.usecases.targets import targets
from toryo.usecases.tasks import waits_for
from toryo.usecases.why import explain

Row = dict[str, Any]
TABLES = {
    "task": "tasks",
    "run": "runs",
    "landing": "landings",
    "gate": "gates",
    "order": "orders",
    "mission": "missions",
}
ANYWHERE = ("account",)
"""Named, and no row: it stands for what its runs' facts say."""
DEAD = (TaskStatus.FAILED, TaskStatus.CANCELLED)


def check_why(house: House, tables: dict[str, list[Row]]) -> None:
    """Every fact it names is a row, and its chain ends at a person, a clock, an account, a running process
    or a dead end."""
    known = {f"{kind}:{row['id']}" for kind, table in TABLES.items() for row in tables[table]}
    known |= {f"project:{row['id']}" for row in tables["projects"]}
    known |= {f"target:{row['name']}" for row in tables["targets"]}
    now = house.clock.now
    marks = {str(one["subject"]) for one in house.rows("marks")}
    with house.context.store.read() as tx:
        needs, _ = attention_page.page(tx, None, tasks.counts(tx))
        for row in tasks.page(tx, limit=100):
            told = explain.of_task(house.context, tx, row)
            _names_only(told, known)
            _ends_somewhere(told, row, tables, now, marks)
            _is_news(told, row, needs)
            ready = waits_for.found_of(house.context, tx, row)
            if ready is not None and ready.code == "turn" and f"task:{row.id}" not in marks:
                found = next_task.pick(tx, row.agent, row.project)
                assert found.task is not None, (
                    f"{row.id} waits for its turn, and a claim: {found.waiting_for}"
                )
        for run in tables["runs"]:
            found = runs.get(tx, run["id"])
            assert found is not None
            _names_only(explain.of_run(house.context, tx, found), known)
        for project in projects.listing(tx):
            told = explain.of_project(tx, project)
            _names_only(told, known)
            _offers_something(told)
            waits = project.status != "active" or any(one["project"] == project.id for one in needs)
            assert (told["turn"] == Turn.PERSON) is waits, f"{told} and {needs}"
            assert not waits or told["waits_for"] or project.status != "active", told
            for target in projects.targets_of(tx, project.id):
                told = explain.of_target(tx, project, target)
                _names_only(told, known)
                _offers_something(told)
                shown = targets.target_line(tx, project, target)
                assert (told["reason"], told["actions"]) == (shown["reason"], shown["actions"])
                assert (told["turn"] == Turn.PERSON) is (told["status"] != "moving"), told
                if told["turn"] == Turn.PERSON and project.status == "active":
                    _is_told(told, target, needs, tables)


def _names_only(told: Row, known: set[str]) -> None:
    named = {fact["row"] for fact in told["facts"]} | {
        one["subject"] for one in told["waits_for"] if one["subject"].partition(":")[0] not in ANYWHERE
    }
    assert named <= known, f"{told['subject']} names what is no row: {named - known}"
    assert all(fact["age_s"] >= 0 for fact in told["facts"]), told["facts"]
    assert told["facts"] == sorted(told["facts"], key=lambda fact: fact["at"])


def _is_news(told: Row, row: Any, needs: Sequence[Any]) -> None:
    """A failure waits for a person exactly while attention names it for itself."""
    if row.status == TaskStatus.FAILED:
        mine = [one for one in needs if one["subject"] == f"task:{row.id}"]
        named = bool(mine) and "dead-blocked behind it" not in mine[0]["why"]
        assert named is (told["turn"] == Turn.PERSON), f"{told}, and in attention: {mine}"


def _is_told(told: Row, target: TargetRow, needs: Sequence[Any], tables: dict[str, list[Row]]) -> None:
    """What only a person moves on is in attention: a target, or a task of it; of a repository once."""
    is_away = meaning(told["reason"]).about is About.PROJECT
    spoken = {
        f"task:{one['id']}"
        for one in tables["tasks"]
        if one["project"] == target.project and (is_away or one["target"] == target.name)
    }
    spoken |= {
        f"queue:{one['project']}/{one['name']}"
        for one in tables["targets"]
        if one["project"] == target.project and (is_away or one["name"] == target.name)
    }
    about = {one["subject"] for one in needs if one["reason"] == told["reason"]}
    assert len(needs) >= attention_page.PAGE or about & spoken, f"nobody is told of {told}: {about}"


def _offers_something(told: Row) -> None:
    assert told["turn"] != Turn.PERSON or told["actions"], f"a person's turn, and nothing to do: {told}"


def _goes_on(told: Row, row: Any, tables: dict[str, list[Row]], marks: set[str]) -> bool:
    """Whether something is to be done for it, or for what it waits for: an order, a look, a run, a claim; of
    a landing that queues also for one of the same target, which is tried first."""
    behind = {one["subject"].removeprefix("task:") for one in told["waits_for"]} | {row.id}
    rows = [one for one in tables["tasks"] if one["id"] in behind]
    queues = {f"queue:{one['project']}/{one['target']}" for one in rows}
    where = {one["project"] for one in rows}
    pending = [one for one in tables["orders"] if one["project"] in where and one["ended_at"] is None]
    lines = {(one["project"], one["target"]) for one in rows}
    in_line = {one["id"] for one in tables["landings"] if (one["project"], one["target"]) in lines}
    return (
        any(one["task"] in behind or not one["task"] or one["landing"] in in_line for one in pending)
        or any(run["live"] and run["project"] in where for run in tables["runs"])
        or any(one["status"] == "ready" for one in rows)
        or bool(marks & (queues | {f"task:{one}" for one in behind}))
    )


def _ends_somewhere(told: Row, row: Any, tables: dict[str, list[Row]], now: float, marks: set[str]) -> None:
    status = {one["id"]: one["status"] for one in tables["tasks"]}
    if told["dead"]:
        assert status[told["dead_at"]] in DEAD, told
        assert told["turn"] == Turn.PERSON, told
        assert told["dead_at"] in {one["subject"] for one in told["actions"]}, told
        return
    assert told["dead_at"] is None
    match told["turn"]:
        case Turn.PERSON:
            _offers_something(told)
        case Turn.AGENT:
            live = {f"run:{run['id']}" for run in tables["runs"] if run["live"]}
            behind = {one["subject"].removeprefix("task:") for one in told["waits_for"]} | {row.id}
            working = {f"run:{run['id']}" for run in tables["runs"] if run["live"] and run["task"] in behind}
            assert live & working, f"an agent's turn, and no run lives: {told}"
        case Turn.SERVICE:
            parked = [run["parked_until"] for run in tables["runs"] if run["parked_until"] is not None]
            assert any(until > now - 3600 for until in parked), f"a service's turn, and no end: {told}"
        case Turn.NOBODY:
            assert is_at_rest(TaskStatus(row.status), row.reason) or row.status == TaskStatus.DONE, told
        case Turn.TORYO:
            assert row.status not in (*DEAD, TaskStatus.DONE, TaskStatus.OPEN), told
            assert _goes_on(told, row, tables, marks), f"Toryo's turn, and nothing is to be done: {told}"
