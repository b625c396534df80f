"""Project removal: refused while work of it is under way; the fact of the hands archives it.

What is in the repository is the hands' to judge. The record stays: tasks, runs and evidence are read as ever.
"""

from __future__ import annotations

from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused
from toryo.domain.words import OrderKind
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub
from toryo.protocol.kinds.repository import UnadoptInputs
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, ProjectRow
from toryo.store.recompute import raw_rows
from toryo.store.tables import orders, projects, runs, tasks
from toryo.usecases.finding import the_project
from toryo.usecases.runs.remote_reads import insert_once

WROTE_EXTENSION = "config: extensions.worktreeConfig=true"
BESIDE = (OrderKind.SURVEY, OrderKind.UNADOPT)
"""Orders that change nothing there, and this one itself."""


def order_unadopt(context: HeadContext, text: str, path: str, *, dry_run: bool) -> tuple[str, str]:
    """The order, and the project's id."""
    with context.store.change() as tx:
        row = the_project(tx, text, path)
        for known in orders.of_target(tx, row.id, (OrderKind.UNADOPT,)):
            if known.inputs["dry_run"] == dry_run:
                return known.id, row.id  # its caller went away; the answer is the same
        _refuse_busy(tx, row)
        inputs = UnadoptInputs(
            repo=row.path,
            project=row.id,
            installation=context.installation,
            bundle=str(context.home.path / "removed" / f"{row.id}.bundle"),
            extension=any(
                WROTE_EXTENSION in move.body.get("wrote", ()) for move in raw_rows.moves(tx, row.id)
            ),
            dry_run=dry_run,
        )
        if not dry_run:
            _archive(tx, row)  # nothing new is started while it is taken out
        return insert_once(tx, OrderKind.UNADOPT, hub(row), inputs, project=row.id), row.id


def _refuse_busy(tx: Tx, row: ProjectRow) -> None:
    live = runs.live_of_project(tx, row.id)
    if live:
        named = ", ".join(run.id for run in live[:5])
        raise Refused(
            f"Agents work in {row.name}: {named}.",
            hint=f"`toryo run stop {live[0].id}` ends one; `toryo status` shows all.",
        )
    waiting = [target for target in projects.targets_of(tx, row.id) if target.waiting]
    if waiting:
        paths = ", ".join(map(str, waiting[0].waiting[:5]))
        raise Refused(
            f"Accepted work waits for your checkout of {waiting[0].name}: {paths}.",
            hint="Commit or stash these, or take the work back: `toryo status` has the lines.",
        )
    busy = [one for one in orders.of_target(tx, row.id, OrderKind) if one.kind not in BESIDE]
    if busy:
        raise Refused(
            f"Something is still under way in {row.name}: {busy[0].kind}.",
            hint="Again in a moment; `toryo status` shows it.",
        )


def apply_unadopted(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """Also where nobody waits for the answer any more."""
    row = projects.get(tx, str(order.inputs["project"]))
    if row is None or order.inputs["dry_run"]:
        return
    if body.get("problem") or not body["done"]:  # it stays, and nothing new is started there
        tx.emit("project_archived", {"name": row.name}, project=row.id)
        return
    projects.update(tx, row.id, status=projects.REMOVED)
    tasks.mark_of_project(tx, row.id)
    tx.emit("project_removed", {"name": row.name, "path": row.path, "bundle": body["bundle"]}, project=row.id)


def _archive(tx: Tx, row: ProjectRow) -> None:
    if row.status != "active":
        return
    projects.update(tx, row.id, status="archived")
    tasks.mark_of_project(tx, row.id)
    tx.mark(subjects.queue(row.id, row.base))
