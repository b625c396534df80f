"""What the raw rows say, past every cache: for `doctor --recompute`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from toryo.domain.words import CheckResult
from toryo.reconciler.subjects import CheckFacts
from toryo.store import facts, gates, landings, orders
from toryo.store.engine import Tx
from toryo.store.rows import LandingRow
from toryo.store.schema import facts as facts_table
from toryo.store.schema import landings as landings_table
from toryo.store.schema import orders as orders_table

_PUBLISHED = (
    select(orders_table.c.inputs, facts_table.c.body)
    .join(facts_table, facts_table.c.order == orders_table.c.id)
    .where(
        orders_table.c.project == bindparam("project"),
        facts_table.c.kind == "published",
        facts_table.c.standing == "applied",
    )
)

_MOVES = (
    select(
        facts_table.c.kind,
        orders_table.c.inputs,
        facts_table.c.body,
        landings_table.c.kind.label("follows"),
        landings_table.c.head,
    )
    .select_from(orders_table)
    .join(facts_table, facts_table.c.order == orders_table.c.id)
    .outerjoin(landings_table, landings_table.c.id == orders_table.c.landing)
    .where(
        orders_table.c.project.in_(bindparam("projects", expanding=True)),
        facts_table.c.kind.in_(("adopted", "accepted", "published")),
        facts_table.c.standing == "applied",
    )
    .order_by(facts_table.c.seq)
)


@dataclass(frozen=True)
class Move:
    """A report after which a target's tip or branch may stand somewhere else."""

    kind: str
    """adopted | accepted | published"""
    inputs: Mapping[str, Any]
    """What was ordered."""
    body: Mapping[str, Any]
    landing: str
    """Kind of the landing that it is about; empty if it is about none."""
    head: str
    """That landing's."""


def moves(tx: Tx, project: str) -> list[Move]:
    """In the order in which they were taken."""
    found = tx.conn.execute(_MOVES, {"projects": [project, ""]})  # whoever adopts has no project yet
    told = [
        Move(kind, inputs, body, follows or "", head or "") for kind, inputs, body, follows, head in found
    ]
    return [one for one in told if one.kind != "adopted" or one.body.get("project") == project]


def landing_accepted(tx: Tx, landing: str) -> bool:
    return any(fact.kind == "accepted" and fact.body.get("moved") for fact in facts.of_landing(tx, landing))


def candidate(tx: Tx, row: LandingRow) -> tuple[str, str]:
    """(commit, tree) as they were built; empty before."""
    built = [fact.body for fact in facts.of_landing(tx, row.id) if fact.kind == "candidate_built"]
    return (str(built[-1]["commit"]), str(built[-1]["tree"])) if built else ("", "")


def dead_ends(tx: Tx, row: LandingRow) -> set[str]:
    """`conflict` and `problem`, as far as they were reported."""
    told = [fact.body for fact in facts.of_landing(tx, row.id)]
    return {name for name in ("conflict", "problem") if any(body.get(name) for body in told)}


def was_accepted(tx: Tx, task: str) -> bool:
    return any(landing_accepted(tx, one.id) for one in landings.of_task(tx, task))


def landing_published(tx: Tx, landing: str) -> bool:
    """Whether a reported publish, or the adoption of a branch that held it, covers this landing."""
    row = landings.get(tx, landing)
    if row is None or not landing_accepted(tx, landing):
        return False
    accepted = landings.accepted(tx, row.project, row.target)
    resets = [one.accept_number for one in accepted if _was_reset(tx, one)]
    return any(
        row.accept_number <= upto and not any(row.accept_number < reset <= upto for reset in resets)
        for upto in _published_numbers(tx, row, accepted)
    )


def _was_reset(tx: Tx, row: LandingRow) -> bool:
    """Whether the tip was set back by it: what was accepted before and not published is gone from the tip."""
    return row.kind == "adopt" and any(one.inputs.get("reset") for one in orders.of_landing(tx, row.id))


def _published_numbers(tx: Tx, row: LandingRow, accepted: Sequence[LandingRow]) -> list[int]:
    """Accept numbers up to which the target was published."""
    by_commit = {one.candidate: one.accept_number for one in accepted}  # the newest of the same commit
    adopted = [one for one in accepted if one.kind == "adopt" and landing_accepted(tx, one.id)]
    numbers = [by_commit[one.candidate] for one in adopted]
    for inputs, body in tx.conn.execute(_PUBLISHED, {"project": row.project}):
        if body.get("published") and inputs.get("target") == row.target and inputs.get("new") in by_commit:
            numbers.append(by_commit[inputs["new"]])
    return numbers


def check_facts(tx: Tx, gate: str) -> tuple[CheckFacts, ...]:
    """From the reports themselves; a reused pass has none of its own, its source has."""
    found = []
    for row in gates.checks_of(tx, gate):
        if row.reused_from is not None:
            found.append(CheckFacts(row.command, row.attempt, CheckResult(row.result)))
    by_id = {order.id: order for order in orders.of_gate(tx, gate)}
    for fact in facts.of_gate(tx, gate):
        order = by_id.get(fact.order)
        if fact.kind == "checked" and order is not None:
            inputs, body = order.inputs, fact.body
            result = CheckResult(body["result"])
            found.append(
                CheckFacts(inputs["command"], inputs["attempt"], result, bool(body.get("interrupted")))
            )
    return tuple(found)
