"""`doctor --recompute`: the caches against a fresh fold and decision over the raw facts.

Nothing here reads a cached column to judge that same column: runs are folded from their facts, verdicts come
from the reported checks, landings and their ends from the candidate, accept and publish reports, counters
from the dependencies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toryo.domain.words import Verdict
from toryo.reconciler.decide import decide_task
from toryo.reconciler.subjects import DROPPED, LandingFacts, Policy, RunFacts, TaskFacts
from toryo.reconciler.verification import decide_gate
from toryo.store import gates, gather, landings, raw, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import LandingRow, RunRow, TaskRow
from toryo.usecases.context import HeadContext
from toryo.usecases.facts_of_runs import folded

PAGE = 200
LANDED, CONFLICT, PROBLEM = "landed", "conflict", "problem"
REPORTED = (CONFLICT, PROBLEM, *(verdict.value for verdict in Verdict))
"""Ends of a landing that only a report can bring."""


def recompute(context: HeadContext, after_seq: int) -> tuple[int, int, list[dict[str, Any]]]:
    """One page of tasks: the next place (0: done), how many were compared, and every difference."""
    found: list[dict[str, Any]] = []
    with context.store.read() as tx:
        page = tasks.page(tx, after_seq=after_seq, limit=PAGE)
        for row in page:
            found += _task(tx, row)
    return (page[-1].seq if len(page) == PAGE else 0), len(page), found


def _task(tx: Tx, row: TaskRow) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    facts = gather.task(tx, row.id)
    if facts is None:
        return found
    for run in runs.of_task(tx, row.id):
        found += _run(tx, row, run)
    fresh = replace(facts, runs=_fresh_runs(tx, facts), landings=_fresh_landings(tx, facts))
    for old, new in zip(facts.landings, fresh.landings, strict=True):
        if old.ended != new.ended:
            told = new.ended or "still verifying"
            found.append(_difference(row, f"landing {old.id} ended", old.ended, told))
        if _landing(old) != _landing(new):
            found.append(_difference(row, f"landing {old.id}", _landing(old), _landing(new)))
    blocked = sum(1 for needed in tasks.needs_of(tx, row.id) if not raw.was_accepted(tx, needed))
    if blocked != row.nblock:
        found.append(_difference(row, "nblock", row.nblock, blocked))
    landed = ""
    for landing in landings.of_task(tx, row.id):
        found += _gate(tx, row, landing.gate)
        found += _candidate(tx, row, landing)
        if raw.landing_accepted(tx, landing.id) and landing.ended != DROPPED:
            landed = raw.candidate(tx, landing)[0]
    if landed != row.landed_commit:
        found.append(_difference(row, "landed_commit", row.landed_commit, landed))
    decision = decide_task(fresh, Policy())
    cached, decided = f"{row.status} {row.reason}".strip(), f"{decision.status} {decision.reason}".strip()
    if cached != decided:
        found.append(_difference(row, "status", cached, decided))
    if row.next_purpose != (decision.purpose or ""):
        found.append(_difference(row, "next_purpose", row.next_purpose, decision.purpose or ""))
    return found


def _run(tx: Tx, task: TaskRow, row: RunRow) -> list[dict[str, Any]]:
    fresh = folded(tx, row).__dict__
    return [
        _difference(task, f"run {row.id} {name}", getattr(row, name), value)
        for name, value in fresh.items()
        if getattr(row, name) != value
    ]


def _fresh_runs(tx: Tx, facts: TaskFacts) -> tuple[RunFacts, ...]:
    fresh = []
    for known in facts.runs:
        row = runs.get(tx, known.id)
        if row is None:
            continue
        rebuilt = replace(row, **folded(tx, row).__dict__)
        fresh.append(gather.run_facts(rebuilt, known.claim or "", known.unseen))
    return tuple(fresh)


def _fresh_landings(tx: Tx, facts: TaskFacts) -> tuple[LandingFacts, ...]:
    return tuple(
        replace(
            known,
            accepted=raw.landing_accepted(tx, known.id),
            published=raw.landing_published(tx, known.id),
            ended=_ended(tx, known),
        )
        for known in facts.landings
    )


def _ended(tx: Tx, known: LandingFacts) -> str:
    """The end that the reports stand for; a person's word and a moved tip have no report of the landing."""
    if raw.landing_accepted(tx, known.id):
        return known.ended if known.ended == DROPPED else LANDED
    row = landings.get(tx, known.id)
    if row is None or known.ended not in REPORTED:
        return "" if known.ended == LANDED else known.ended
    if known.ended in (CONFLICT, PROBLEM):
        return known.ended if known.ended in raw.dead_ends(tx, row) else ""
    return known.ended if _verdict(tx, row.gate) == known.ended else ""


def _candidate(tx: Tx, task: TaskRow, landing: LandingRow) -> list[dict[str, Any]]:
    """What was built, and that the gate judged that very tree."""
    commit, tree = raw.candidate(tx, landing)
    gate = gates.get(tx, landing.gate) if landing.gate else None
    compared = [("candidate", landing.candidate, commit), ("tree", landing.tree, tree)]
    found = [
        _difference(task, f"landing {landing.id} {name}", cached, said)
        for name, cached, said in compared
        if cached != said
    ]
    if gate and gate.tree != tree:
        found.append(_difference(task, f"gate {gate.id} tree", gate.tree, tree))
    return found


def _gate(tx: Tx, task: TaskRow, gate_id: str) -> list[dict[str, Any]]:
    row = gates.get(tx, gate_id) if gate_id else None
    if row is None:
        return []
    verdict = _verdict(tx, gate_id)
    return [] if verdict == row.verdict else [_difference(task, f"gate {gate_id}", row.verdict, verdict)]


def _verdict(tx: Tx, gate_id: str) -> str:
    """Empty: none yet."""
    known = gather.gate(tx, gate_id) if gate_id else None
    if known is None:
        return ""
    return decide_gate(replace(known, results=raw.check_facts(tx, gate_id))).verdict or ""


def _landing(facts: LandingFacts) -> str:
    return f"accepted={facts.accepted} published={facts.published}"


def _difference(task: TaskRow, what: str, cached: Any, facts_say: Any) -> dict[str, Any]:
    return {"task": task.id, "what": what, "cached": str(cached), "facts_say": str(facts_say)}
