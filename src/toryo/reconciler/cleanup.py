"""Collect and clean orders: what a run left is collected before it is judged, then retired. Pure."""

from __future__ import annotations

from toryo.domain.words import OrderKind, OrderState, Purpose
from toryo.reconciler.decisions import OrderWish
from toryo.reconciler.subjects import RunFacts, TaskFacts


def preparation_is_untold(task: TaskFacts, run: RunFacts) -> bool:
    """A short run may end before it is told where it worked: nothing is judged without that."""
    pending = (OrderState.OPEN, OrderState.TAKEN)
    return any(
        order.kind is OrderKind.PREPARE and order.run == run.id and order.state in pending
        for order in task.orders
    )


def retired(run: RunFacts | None) -> tuple[OrderWish, ...]:
    """A worktree goes once its run has ended and all it held was collected."""
    if run is None or not run.ended or run.collected is None or run.purpose is Purpose.REVERT:
        return ()
    return (OrderWish(OrderKind.CLEAN, f"clean/{run.id}", run=run.id),)


def uncollected(task: TaskFacts) -> tuple[OrderWish, ...]:
    """Every run that had a worktree is collected, whatever became of it: nothing is lost."""
    return tuple(
        OrderWish(OrderKind.REVERT, f"revert/{run.id}", run=run.id)
        if run.purpose is Purpose.REVERT
        else OrderWish(OrderKind.COLLECT, f"collect/{run.id}/1", run=run.id)
        for run in task.runs
        if run.ended and run.collected is None and (run.prepared or run.purpose is Purpose.REVERT)
    )


def left_by_hand(task: TaskFacts) -> tuple[OrderWish, ...]:
    """A retry of a worktree with a person's work in it: that is collected first, then the worktree goes."""
    last = task.runs[-1] if task.runs else None
    return retired(last) if last and last.purpose is Purpose.SUBMIT else ()
