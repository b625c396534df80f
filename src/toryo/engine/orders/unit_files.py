"""Files about a unit's children, kept up to date in the worktree where the unit's run lives."""

from __future__ import annotations

from toryo.domain.units import BREAKDOWN, STATUS
from toryo.domain.words import OrderKind
from toryo.engine.orders.compose import worktree_of
from toryo.engine.orders.insertion import insert
from toryo.engine.units.files import breakdown_text, status_text
from toryo.protocol.kinds.units import RefreshInputs, UnitFile
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.tables import orders, projects, runs, texts


def refresh(tx: Tx, unit: TaskRow) -> None:
    """One order at a time: what changes meanwhile is looked at when that one was reported."""
    run = next((one for one in reversed(runs.of_task(tx, unit.id)) if one.live), None)
    project = projects.get(tx, unit.project)
    if project is None or run is None or not (run.coordinator and run.started_at and run.worktree):
        return
    before = [one for one in orders.of_run(tx, run.id) if one.kind == OrderKind.REFRESH]
    if any(one.state in orders.PENDING for one in before):
        return
    wanted = {STATUS: status_text(tx, unit), BREAKDOWN: breakdown_text(tx, unit)}
    inputs = RefreshInputs(
        run=run.id,
        repo=project.path,
        worktree=worktree_of(project, run),
        branch=unit.branch,
        files=tuple(UnitFile(path=path, blob=texts.put(tx, text)) for path, text in wanted.items()),
    )
    if before and before[-1].inputs["files"] == inputs.model_dump(mode="json")["files"]:
        return
    insert(
        tx,
        OrderKind.REFRESH,
        f"refresh/{run.id}/{len(before) + 1}",
        run.coordinator,
        inputs,
        project=unit.project,
        task=unit.id,
        run=run.id,
        generation=run.generation,
    )
