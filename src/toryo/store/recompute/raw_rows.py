"""Recompute queries: what the raw rows say, past every cache, for `doctor --recompute`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from toryo.domain.words import CheckResult
from toryo.reconciler.subjects import DROPPED, CheckFacts
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow
from toryo.store.database.schema import facts as facts_table
from toryo.store.database.schema import landings as landings_table
from toryo.store.database.schema import orders as orders_table
from toryo.store.tables import facts, gates, landings, orders

_PUBLISHED = (
    select(orders_table.c.inputs, facts_table.c.body)
    .join(facts_table, facts_table.c.order == orders_table.c.id)
    .where(
        orders_table.c.project == bindparam("project"),
        facts_table.c.kind == "published",
        facts_table.c.standing == "applied",
    )
)
_ACCEPTED = (
    select(
        landings_table.c.id, landings_table.c.kind, landings_table.c.candidate, landings_table.c.accept_number
    )
    .where(
        landings_table.c.project == bindparam("project"),
        landings_table.c.target == bindparam("target"),
        landings_table.c.accepted_at.is_not(None),
    )
    .order_by(landings_table.c.accept_number)
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


def written(tx: Tx, row: LandingRow) -> tuple[str, bool]:
    """Of a landing of files: the head as it was written, and whether the tip held just that already."""
    told = [fact.body for fact in facts.of_landing(tx, row.id) if fact.kind == "written"]
    if not told:
        return "", False
    return str(told[-1]["commit"]), not told[-1].get("problem") and not told[-1]["changed"]


def dead_ends(tx: Tx, row: LandingRow) -> set[str]:
    """`conflict` and `problem`, as far as they were reported."""
    told = [fact.body for fact in facts.of_landing(tx, row.id)]
    return {name for name in ("conflict", "problem") if any(body.get(name) for body in told)}


def was_accepted(tx: Tx, task: str) -> bool:
    """And is in the tip still: that a person set it back is no report of the landing."""
    held = (one for one in landings.of_task(tx, task) if one.ended != DROPPED)
    return any(landing_accepted(tx, one.id) for one in held)


class Publishes:
    """Which landings the reported publishes cover. What was reported of a target is read once, for as many
    landings as are asked about in one transaction."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._of_target: dict[tuple[str, str], _Published] = {}

    def cover(self, landing: str) -> bool:
        """By a publish, or by the adoption of a branch that held it."""
        row = landings.get(self._tx, landing)
        if row is None or not landing_accepted(self._tx, landing):
            return False
        target = row.project, row.target
        if target not in self._of_target:
            self._of_target[target] = _published(self._tx, *target)
        return self._of_target[target].covers(row.accept_number)


@dataclass(frozen=True)
class _Published:
    """Accept numbers of one target, sorted."""

    upto: Sequence[int]
    """It was published up to these."""
    resets: Sequence[int]
    """By these the tip was set back: what was accepted before and not published is gone from it."""

    def covers(self, number: int) -> bool:
        """Whether it was published before the tip was set back."""
        reached, reset = bisect_left(self.upto, number), bisect_right(self.resets, number)
        if reached == len(self.upto):
            return False
        return reset == len(self.resets) or self.upto[reached] < self.resets[reset]


def _published(tx: Tx, project: str, target: str) -> _Published:
    given = {"project": project, "target": target}
    accepted = prepared.rows(tx.conn, _ACCEPTED, given)[1]
    adopted = [(id, commit, number) for id, kind, commit, number in accepted if kind == "adopt"]
    # the newest of the same commit; what was adopted stood on the branch already, perhaps for the second time
    by_commit = {commit: number for _, kind, commit, number in accepted if kind != "adopt"}
    upto = {number for id, _, number in adopted if landing_accepted(tx, id)}
    for inputs, body in prepared.rows(tx.conn, _PUBLISHED, {"project": project})[1]:
        if body.get("published") and inputs.get("target") == target and inputs.get("new") in by_commit:
            upto.add(by_commit[inputs["new"]])
    resets = [number for id, _, number in adopted if _was_reset(tx, id)]
    return _Published(sorted(upto), sorted(resets))


def _was_reset(tx: Tx, landing: str) -> bool:
    return any(one.inputs.get("reset") for one in orders.of_landing(tx, landing))


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
