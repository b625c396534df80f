"""Runs as people see and end them."""

from __future__ import annotations

from toryo.domain.errors import Refused
from toryo.domain.words import OrderKind
from toryo.engine.context import HeadContext
from toryo.engine.evidence import run_facts
from toryo.engine.facts.runs import note_stop, own_fact
from toryo.engine.orders.compose import insert_wish
from toryo.protocol.views import runs as views
from toryo.reconciler.decisions import OrderWish
from toryo.store.tables import coordinators, orders, runs
from toryo.usecases.accounts import end_waiting
from toryo.usecases.finding import the_project, the_run, the_task


def list_runs(context: HeadContext, task: str, project: str, limit: int) -> views.ListedRuns:
    with context.store.read() as tx:
        rows = runs.page(
            tx,
            task=the_task(tx, task).id if task else None,
            project=the_project(tx, project).id if project else None,
            limit=limit,
        )
        return {"success": True, "runs": [run_facts(tx, row) for row in rows]}


def get_run(context: HeadContext, text: str) -> views.OneRun:
    with context.store.read() as tx:
        return {"success": True, "run": run_facts(tx, the_run(tx, text))}


def stop_run(context: HeadContext, text: str) -> views.StoppedRun:
    """Ask it to leave; the exit record will say how it went."""
    with context.store.change() as tx:
        run = the_run(tx, text)
        if not run.live:
            raise Refused(f"{run.id} has ended already.", hint=f"See `toryo run show {run.id}`.")
        if not run.coordinator:
            own_fact(tx, run, "released", {"by": "operator"})
            tx.emit("run_stop_asked", {}, project=run.project, task=run.task, run=run.id)
        elif run.started_at is None:
            raise Refused(f"{run.id} has not started yet.", hint=f"toryo task cancel {run.task}")
        else:
            key = f"stop/{run.id}/{run.generation}"
            number = sum(1 for order in orders.of_run(tx, run.id) if order.kind == OrderKind.STOP)
            wish = OrderWish(OrderKind.STOP, f"{key}/{number}" if number else key, run=run.id)
            insert_wish(tx, wish, run.project)
            note_stop(tx, run)
    return {"success": True, "run": run.id}


def release_run(context: HeadContext, text: str) -> views.ReleasedRun:
    """A person says that nothing of this run lives any more: slot, task and worktree are free.

    Of a parked run: that its account need not wait any longer."""
    with context.store.change() as tx:
        run = the_run(tx, text)
        if run.parked_until is not None and run.parked_until > tx.now:
            end_waiting(tx, run.coordinator.rpartition("/")[0], run.client)
            return {"success": True, "run": run.id, "waiting_ended": True}
        if not run.live:
            raise Refused(f"{run.id} has ended already.", hint=f"See `toryo run show {run.id}`.")
        holder = coordinators.get(tx, run.coordinator) if run.coordinator else None
        if holder and not holder.unseen:
            raise Refused(
                f"{run.id} is watched by the coordinator {holder.name}: its end will be seen.",
                hint=f"toryo run stop {run.id}",
            )
        own_fact(tx, run, "released", {"by": "operator"})
    return {"success": True, "run": run.id}
