"""Parked accounts: they wait for a usage limit or an outage to end, by time or by a person; asked by the
claim.

An account is a client on a machine. When it waits is folded from its runs' own facts; a mark wakes whoever
could start something once it is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toryo.domain import subjects
from toryo.domain.ids import RunId
from toryo.domain.times import iso
from toryo.domain.words import Outcome
from toryo.engine.facts.runs import interrupted_before, own_fact
from toryo.engine.missions import planner_parking
from toryo.protocol.kinds.run import Usage
from toryo.protocol.views import status as views
from toryo.reconciler import run_ends
from toryo.reconciler.parking import described
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow
from toryo.store.tables import runs

PLANS = ("claude", "codex")
"""CLIs that may plan, too."""
UNPARKED = "unparked"
MOVED = "parking_moved"


def waits_for(tx: Tx, machine: str, client: str) -> str:
    """What an account waits for, as `usage limit of claude until …`; empty: it may start something."""
    found = runs.parked(tx, machine, client)
    planner = planner_parking.of_account(tx, machine, client) if client in PLANS else []
    if planner and (not found or planner[-1].until > (found[-1].parked_until or 0)):
        return described(planner_parking.USAGE_LIMIT, client, planner[-1].until)
    return _described(found[-1]) if found else ""


def ends_at(tx: Tx, machine: str, client: str) -> float | None:
    """When it may start something again; None: at once."""
    ends = [run.parked_until for run in runs.parked(tx, machine, client) if run.parked_until]
    ends += [one.until for one in planner_parking.of_account(tx, machine, client)]
    return max(ends, default=None)


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
    """Its time is over, unless a person was quicker: long polls for orders are woken."""
    run = runs.get(tx, run_id)
    if run is None or run.parked_until is None:
        return
    if run.parked_until > tx.now:
        tx.mark(subjects.parked(run.id), run.parked_until)
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
    return {**last.told, "parked": run_ends.read(last.outcome, last.outcome_reason).cause}


def accounts(tx: Tx) -> list[views.ParkedAccount]:
    """For status: each account that waits, until when, why, and the tasks that were stopped by it."""
    found: dict[tuple[str, str], views.ParkedAccount] = {}
    for run in runs.all_parked(tx):  # the longest last: it is the one that counts
        machine = run.coordinator.rpartition("/")[0]
        end = run_ends.read(run.outcome, run.outcome_reason)
        earlier = found.get((machine, run.client))
        stopped = earlier["tasks"] if earlier else []
        found[machine, run.client] = {
            "tasks": stopped if run.task in stopped else [*stopped, run.task],
            "machine": machine,
            "client": run.client,
            "why": end.cause,
            "message": end.words,
            "until": iso(run.parked_until),
            "run": run.id,
        }
    for one in planner_parking.parked(tx):
        known = found.get((one.machine, one.client))
        if known is None or (known["until"] or "") < (iso(one.until) or ""):
            found[one.machine, one.client] = {
                "tasks": known["tasks"] if known else [],
                "machine": one.machine,
                "client": one.client,
                "why": planner_parking.USAGE_LIMIT,
                "message": one.message,
                "until": iso(one.until),
                "run": known["run"] if known else RunId(""),
            }
    return list(found.values())


def _described(run: RunRow) -> str:
    return described(run_ends.read(run.outcome, run.outcome_reason).cause, run.client, run.parked_until)
