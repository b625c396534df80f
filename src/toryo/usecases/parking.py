"""Accounts that wait for a usage limit or an outage to end: asked by the claim, ended by time or by a person.

An account is a client on a machine. When it waits is folded from its runs' own facts; a mark wakes whoever
could start something once it is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toryo.domain.times import iso
from toryo.domain.words import Outcome
from toryo.protocol.parts import Usage
from toryo.reconciler.parking import described
from toryo.store import runs
from toryo.store.engine import Tx
from toryo.store.rows import RunRow
from toryo.usecases.facts_of_runs import interrupted_before, own_fact

UNPARKED = "unparked"
MOVED = "parking_moved"


def waits_for(tx: Tx, machine: str, client: str) -> str:
    """What an account waits for, as `usage limit of claude until …`; empty: it may start something."""
    found = runs.parked(tx, machine, client)
    return _described(found[-1]) if found else ""


def end_waiting(tx: Tx, machine: str, client: str) -> list[str]:
    """A person says that the account may go on: the runs that were parked by it."""
    found = runs.parked(tx, machine, client)
    for run in found:
        own_fact(tx, run, UNPARKED, {"by": "operator"})
    return [run.id for run in found]


def move_waiting(tx: Tx, by: float) -> None:
    """The clock was set back: a wait that we chose lasts as long as before; a moment that was named stays."""
    for run in runs.all_parked(tx):
        if not ((run.said or {}).get("limited") or {}).get("resets_at"):
            own_fact(tx, run, MOVED, {"by": by})


def look_at_parked(tx: Tx, run_id: str) -> None:
    """Its time is over, unless a person was quicker: whoever waits for orders is told to look."""
    run = runs.get(tx, run_id)
    if run is None or run.parked_until is None:
        return
    if run.parked_until > tx.now:
        tx.mark(f"parked:{run.id}", run.parked_until)
        return
    tx.emit("run_parking_over", {"client": run.client}, project=run.project, task=run.task, run=run.id)


@dataclass(frozen=True)
class Before:
    """What a run goes on with: the conversation of its agent that was parked or asked just before it."""

    conversation: str = ""
    used: Usage | None = None


def before(tx: Tx, run: RunRow) -> Before:
    conversation, used = "", dict[str, float]()
    for one in interrupted_before(tx, run):
        if one.client != run.client or one.agent != run.agent:
            break
        said = one.said or {}
        conversation = conversation or str(said.get("conversation") or "")
        for name, number in (said.get("usage") or {}).items():
            used[name] = used.get(name, 0) + (number or 0)
    return Before(conversation, Usage.model_validate(used) if conversation and used else None)


def told_again(tx: Tx, task_id: str) -> dict[str, Any]:
    """Why there is another run after a parked one: what that one was told, and that it was stopped."""
    mine = runs.of_task(tx, task_id)
    last = mine[-1] if mine else None
    if last is None or last.outcome != Outcome.PARKED:
        return {}
    return {**last.told, "parked": last.outcome_reason.partition(":")[0]}


def accounts(tx: Tx) -> list[dict[str, Any]]:
    """For status: each account that waits, until when, why, and the tasks that were stopped by it."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for run in runs.all_parked(tx):  # the longest last: it is the one that counts
        machine = run.coordinator.rpartition("/")[0]
        one = found.setdefault((machine, run.client), {"tasks": []})
        why, _, message = run.outcome_reason.partition(":")
        one |= {"machine": machine, "client": run.client, "why": why, "message": message}
        one |= {"until": iso(run.parked_until), "run": run.id}
        if run.task not in one["tasks"]:
            one["tasks"].append(run.task)
    return list(found.values())


def _described(run: RunRow) -> str:
    return described(run.outcome_reason.partition(":")[0], run.client, run.parked_until)
