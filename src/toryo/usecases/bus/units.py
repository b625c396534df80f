"""Units that a message names: `unit:ID`, the bare id, or the id of the unit's task."""

from __future__ import annotations

from toryo.domain.errors import NotFound, Refused, UserError
from toryo.reconciler.bus.validation import Member
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow, TaskRow
from toryo.store.tables import missions, runs, tasks
from toryo.store.tables.units import units
from toryo.usecases.finding import the_project, the_task
from toryo.usecases.sessions.agent_calls import session

PREFIX = "unit:"


class NotAUnit(UserError):
    """Only a unit sends messages, and only a unit is sent any."""

    way_out = "`toryo task show ID` says what it is; words for any running agent: `toryo task say ID TEXT`."


def bare(text: str) -> str:
    return text.strip().removeprefix(PREFIX)


def member(row: TaskRow) -> Member:
    return Member(row.id, row.unit, row.parent)


def own_unit(tx: Tx, run: str, token: str) -> tuple[RunRow, TaskRow]:
    """The run that speaks, by its credential or else by its session, and its unit."""
    named = run or session(tx, token).run
    row = runs.get(tx, named) if named else None
    if row is None:
        raise NotAUnit("This session has no task yet.", hint="Call get_my_task first.")
    if not row.live:
        raise Refused(
            f"{row.id} has ended.", hint="End here: its unit goes on in another run, or not at all."
        )
    task = tasks.get(tx, row.task)
    if task is None or not task.unit:
        raise NotAUnit(f"The task {row.task} is no unit: it has neither parent nor children.")
    return row, task


def is_named(task: TaskRow, text: str) -> bool:
    """Whether the text names that very unit; empty: it is meant anyway."""
    return bare(text) in ("", task.unit, task.id)


def in_tree(tx: Tx, task: TaskRow, text: str) -> TaskRow:
    """The unit of that name in the same tree: the newest, where one was spawned again."""
    name = bare(text)
    for row in reversed(missions.tasks_of(tx, task.mission)):
        if row.unit and name in (row.unit, row.id):
            return row
    raise NotFound(f"There is no unit {name!r} in this tree.", hint="`toryo unit tree` has their ids.")


def the_unit(tx: Tx, text: str, project: str, path: str) -> TaskRow:
    """For a person: of the newest tree here that has one of that name, or by its task."""
    name = bare(text).partition("@")[0]
    here = the_project(tx, project) if project else None
    row = units.newest_named(tx, name, here.id) if here else None
    row = row or the_task(tx, text, path)
    if not row.unit:
        raise NotAUnit(f"The task {row.id} is no unit.")
    return row
