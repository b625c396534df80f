"""The facts that a status stands on, each a row of the store, the newest last, with its age."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toryo.domain.times import iso
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, RunRow, TargetRow, TaskRow
from toryo.store.tables import gates, landings, orders, runs, verbs

Moment = tuple[float, str, str]
"""(when, what, which row)."""


def of_task(tx: Tx, row: TaskRow) -> list[dict[str, Any]]:
    found = [*_task(tx, row)]
    for run in runs.of_task(tx, row.id)[-2:]:
        found += _run(run)
    for landing in landings.of_task(tx, row.id)[-1:]:
        found += _landing(tx, landing)
    for order in orders.pending_of_task(tx, row.project, row.id):
        found.append((order.created_at, f"order {order.kind}: {order.state}", f"order:{order.id}"))
    return aged(tx, found)


def of_run(tx: Tx, run: RunRow) -> list[dict[str, Any]]:
    pending = [
        (order.created_at, f"order {order.kind}: {order.state}", f"order:{order.id}")
        for order in orders.of_run(tx, run.id)
        if order.state in orders.PENDING
    ]
    return aged(tx, [*_run(run), *pending])


def of_target(tx: Tx, target: TargetRow) -> list[dict[str, Any]]:
    found: list[Moment] = []
    gate = gates.get(tx, target.tip_gate) if target.tip_gate else None
    if gate is not None:
        found.append((gate.created_at, f"gate of its tip: {gate.verdict or 'begun'}", f"gate:{gate.id}"))
        found += [
            (check.at, f"check {check.command}: {check.result}"[:200], f"gate:{gate.id}")
            for check in gates.checks_of(tx, gate.id)
        ]
    for landing in landings.queue(tx, target.project, target.name)[:3]:
        found += _landing(tx, landing)
    return aged(tx, found)


def aged(tx: Tx, found: list[Moment]) -> list[dict[str, Any]]:
    return [
        {"what": what, "at": iso(at), "age_s": round(max(0.0, tx.now - at), 1), "row": row}
        for at, what, row in sorted(found, key=lambda one: one[0])
    ]


def _task(tx: Tx, row: TaskRow) -> Iterator[Moment]:
    name = f"task:{row.id}"
    yield row.created_at, "task added", name
    if row.changed_at > row.created_at:
        yield row.changed_at, f"status {row.status}" + (f" ({row.reason})" if row.reason else ""), name
    for verb in verbs.of_task(tx, row.id)[-2:]:
        said = f"a person said {verb.verb}" + (f": {verb.note}" if verb.note else "")
        yield verb.at, said[:200], name


def _run(run: RunRow) -> Iterator[Moment]:
    name = f"run:{run.id}"
    yield run.created_at, f"run {run.id} ({run.purpose}) claimed", name
    if run.started_at is not None:
        yield run.started_at, f"run {run.id} started", name
    silent = (run.signs or {}).get("silent_since")
    if run.live and silent:
        yield float(silent), f"run {run.id} printed its last output", name
    if run.ended_at is not None:
        why = f" ({run.outcome_reason})" if run.outcome_reason else ""
        ended = f"run {run.id} ended: {run.outcome}{why}"
        yield run.ended_at, ended[:200], name


def _landing(tx: Tx, landing: LandingRow) -> Iterator[Moment]:
    name = f"landing:{landing.id}"
    yield landing.created_at, "queued for landing", name
    gate = gates.get(tx, landing.gate) if landing.gate else None
    if gate is not None:
        yield gate.created_at, f"gate on its merge: {gate.verdict or 'begun'}", f"gate:{gate.id}"
    if landing.accepted_at is not None:
        yield landing.accepted_at, f"accepted onto {landing.target}", name
    if landing.published_at is not None:
        yield landing.published_at, f"on {landing.target}", name
