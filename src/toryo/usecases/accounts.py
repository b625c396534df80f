"""Accounts as people see and release them: a client on a machine, and what parks it until when.

When an account waits is folded from its runs' facts (`engine/parking.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toryo.domain import subjects
from toryo.domain.client_names import OUTSIDE, PROGRAMS
from toryo.domain.errors import NotFound, Refused, UserError
from toryo.domain.words import TaskStatus, Verb
from toryo.engine import parking
from toryo.engine.context import HeadContext
from toryo.engine.missions import planner_parking
from toryo.protocol.views.status import ParkedAccount
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow, VerbRow
from toryo.store.tables import agents, projects, tasks, verbs

MOST_TASKS = 1000
NEVER_PARKED = ("", OUTSIDE, *PROGRAMS)
"""Clients without an account: they know no limits."""
FREE = {"why": None, "message": None, "until": None, "run": None}


def list_accounts(context: HeadContext) -> dict[str, Any]:
    """Those that wait first; then those that agents of active projects would use."""
    with context.store.read() as tx:
        return {"success": True, "accounts": [*_parked(tx), *_free(tx)]}


def release(context: HeadContext, client: str, machine: str) -> dict[str, Any]:
    """The account may go on at once: whoever waits for it is started."""
    with context.store.change() as tx:
        account = _the_parked(tx, client, machine)
        about = subjects.account(account["machine"], client)
        verbs.add(tx, VerbRow(subject=about, verb=Verb.RELEASE, reason=account["why"] or "", at=tx.now))
        runs = end_waiting(tx, account["machine"], client)
    return {"success": True, "client": client, "machine": account["machine"], "runs": runs}


def end_waiting(tx: Tx, machine: str, client: str) -> list[str]:
    """A person says that the account may go on; the runs that it was parked by."""
    ended = parking.end_waiting(tx, machine, client)
    if planner_parking.release(tx, machine, client) or ended:
        about = subjects.account(machine, client)
        tx.emit("account_released", {"machine": machine, "client": client, "runs": ended}, subject=about)
    return ended


def of_task(tx: Tx, row: TaskRow) -> tuple[str, str]:
    """(machine, client) of the task's next run."""
    project, agent = projects.get(tx, row.project), agents.get(tx, row.agent, row.project)
    return project.machine if project else "", agent.client if agent else ""


def _parked(tx: Tx) -> list[dict[str, Any]]:
    return [
        one | {"parked": True, "tasks": _waiting_tasks(tx, one["machine"], one["client"])}
        for one in parking.accounts(tx)
    ]


def _free(tx: Tx) -> Iterator[dict[str, Any]]:
    waiting = {(one["machine"], one["client"]) for one in parking.accounts(tx)}
    for machine, client in sorted(_used(tx) - waiting):
        yield {"machine": machine, "client": client, "parked": False, **FREE, "tasks": []}


def _used(tx: Tx) -> set[tuple[str, str]]:
    active = projects.listing(tx, only_active=True)
    return {
        (project.machine, agent.client)
        for project in active
        for agent in projects.agents_of(tx, project.id, only_active=True)
        if agent.client not in NEVER_PARKED
    }


def _waiting_tasks(tx: Tx, machine: str, client: str) -> list[str]:
    """The ready tasks whose next run is of that account, by number."""
    ready = [
        row
        for project in projects.listing(tx, only_active=True)
        for row in tasks.newest(tx, TaskStatus.READY, project=project.id, limit=MOST_TASKS)
        if of_task(tx, row) == (machine, client)
    ]
    return [row.id for row in sorted(ready, key=lambda row: row.seq)]


def _the_parked(tx: Tx, client: str, machine: str) -> ParkedAccount:
    waiting = parking.accounts(tx)
    found = [one for one in waiting if one["client"] == client and machine in ("", one["machine"])]
    if len(found) == 1:
        return found[0]
    if found:
        named = ", ".join(one["machine"] for one in found)
        raise UserError(
            f"{client} waits on {len(found)} machines: {named}.",
            hint=f"toryo account release {client} --machine {found[0]['machine']}",
        )
    known = {*_used(tx), *((one["machine"], one["client"]) for one in waiting)}
    if any(name == client and machine in ("", where) for where, name in known):
        raise Refused(
            f"The account of {client} waits for nothing: it may start runs.", hint="See `toryo account list`."
        )
    there = ", ".join(sorted({name for where, name in known if machine in ("", where)}))
    on = f" on {machine}" if machine else ""
    raise NotFound(f"There is no account of {client!r}{on}.", hint=f"There are: {there or 'none'}.")
