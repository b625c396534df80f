"""Recomputation of landings: how one ended by what was reported, and all that is cached of those of files."""

from __future__ import annotations

from dataclasses import replace

from toryo.domain.words import Verdict
from toryo.protocol.views.status import Difference
from toryo.reconciler.subjects import DROPPED, REMOVED, UNWANTED
from toryo.reconciler.verification import decide_gate
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow
from toryo.store.gather import subject_facts
from toryo.store.recompute import raw_rows
from toryo.store.tables import gates, landings
from toryo.usecases.status.recompute_targets import difference

LANDED, CONFLICT, PROBLEM = "landed", "conflict", "problem"
REPORTED = (CONFLICT, PROBLEM, *(verdict.value for verdict in Verdict))
"""Ends of a landing that only a report can bring."""


def landing_end(tx: Tx, id: str, known: str) -> str:
    """The end that the reports stand for; a person's word and a moved tip have no report of the landing."""
    if raw_rows.landing_accepted(tx, id):
        return known if known in (DROPPED, REMOVED, UNWANTED) else LANDED
    row = landings.get(tx, id)
    if row is None or known not in REPORTED:
        return "" if known == LANDED else known
    if known in (CONFLICT, PROBLEM):
        return known if known in raw_rows.dead_ends(tx, row) else ""
    return known if gate_verdict(tx, row.gate) == known else ""


def gate_verdict(tx: Tx, gate_id: str) -> str:
    """Empty: none yet."""
    known = subject_facts.gate(tx, gate_id) if gate_id else None
    if known is None:
        return ""
    return decide_gate(replace(known, results=raw_rows.check_facts(tx, gate_id))).verdict or ""


def compare_files(tx: Tx, project: str) -> list[Difference]:
    """Landings without a task: nobody else compares them."""
    publishes = raw_rows.Publishes(tx)
    return [one for row in landings.of_files(tx, project) for one in _files(tx, row, publishes)]


def _files(tx: Tx, row: LandingRow, publishes: raw_rows.Publishes) -> list[Difference]:
    head, unchanged = raw_rows.written(tx, row)
    cached = {"head": row.head, "unchanged": row.unchanged}
    said: dict[str, object] = {"head": head, "unchanged": unchanged}
    if not unchanged:  # else the tip stands for it, and has reports of its own
        candidate, tree = raw_rows.candidate(tx, row)
        gate = gates.get(tx, row.gate) if row.gate else None
        cached |= {"candidate": row.candidate, "tree": row.tree, "gate": gate.verdict if gate else ""}
        cached |= {"accepted": row.accepted_at is not None, "published": row.published_at is not None}
        said |= {"candidate": candidate, "tree": tree, "gate": gate_verdict(tx, row.gate)}
        said |= {"accepted": raw_rows.landing_accepted(tx, row.id), "published": publishes.cover(row.id)}
        cached["ended"], said["ended"] = row.ended, landing_end(tx, row.id, row.ended)
    return [
        difference(row.project, f"landing {row.id} {name}", cached[name], said[name])
        for name in cached
        if cached[name] != said[name]
    ]
