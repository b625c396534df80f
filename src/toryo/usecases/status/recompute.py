"""Recomputation (`doctor --recompute`): the caches against a fresh fold and decision over the raw facts.

Nothing here reads a cached column to judge that same column: runs are folded from their facts, verdicts come
from the reported checks, landings and their ends from the candidate, accept and publish reports, counters
from the dependencies, where a task is worked on from what its runs prepared. Targets: `recompute_targets.py`,
ends of landings and landings of files: `recompute_landings.py`; missions: `recompute_missions.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from toryo.domain.words import Verb
from toryo.engine.context import HeadContext
from toryo.engine.facts.runs import folded, prepared_place, told_of_run
from toryo.protocol.views.status import Difference
from toryo.reconciler.decide import decide_task
from toryo.reconciler.folding import fold_run
from toryo.reconciler.subjects import DROPPED, LandingFacts, Policy, RunFacts, TaskFacts
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, RunRow, TaskRow
from toryo.store.gather import subject_facts
from toryo.store.recompute import raw_rows
from toryo.store.tables import gates, landings, projects, runs, tasks, verbs
from toryo.usecases.status.recompute_landings import compare_files, gate_verdict, landing_end
from toryo.usecases.status.recompute_missions import compare_missions
from toryo.usecases.status.recompute_targets import compare_targets, difference

PAGE = 200
FIRST_PROJECT = -1


def recompute(context: HeadContext, place: int) -> tuple[int, int, list[Difference]]:
    """One piece: the next place (0: done), how many tasks were compared, and every difference.

    A page of tasks after the one with that number; then, below 0, the targets of one project each."""
    with context.store.read() as tx:
        return _tasks(tx, place) if place >= 0 else _targets(context, tx, place)


def _tasks(tx: Tx, after_seq: int) -> tuple[int, int, list[Difference]]:
    page = tasks.page(tx, after_seq=after_seq, limit=PAGE)
    publishes = raw_rows.Publishes(tx)
    found = [one for row in page for one in _task(tx, row, publishes)]
    return (page[-1].seq if len(page) == PAGE else FIRST_PROJECT), len(page), found


def _targets(context: HeadContext, tx: Tx, place: int) -> tuple[int, int, list[Difference]]:
    listed = projects.listing(tx)
    number = FIRST_PROJECT - place
    project = listed[number].id if number < len(listed) else ""
    found: list[Difference] = []
    if project:
        found = [*compare_targets(tx, project), *compare_files(tx, project)]
        found += compare_missions(context, tx, project)
    return (place - 1 if number + 1 < len(listed) else 0), 0, found


def _task(tx: Tx, row: TaskRow, publishes: raw_rows.Publishes) -> list[Difference]:
    found: list[Difference] = []
    facts = subject_facts.task(tx, row.id)
    if facts is None:
        return found
    past = runs.of_task(tx, row.id)
    for run in past:
        found += _run(tx, row, run)
    found += _place(tx, row, past)
    generation = past[-1].generation if past else 0
    if generation != row.generation:
        found.append(_difference(row, "generation", row.generation, generation))
    fresh = replace(facts, runs=_fresh_runs(tx, facts), landings=_fresh_landings(tx, facts, publishes))
    for old, new in zip(facts.landings, fresh.landings, strict=True):
        if old.ended != new.ended:
            told = new.ended or "still verifying"
            found.append(_difference(row, f"landing {old.id} ended", old.ended, told))
        if _landing(old) != _landing(new):
            found.append(_difference(row, f"landing {old.id}", _landing(old), _landing(new)))
    blocked = sum(1 for needed in tasks.needs_of(tx, row.id) if not raw_rows.was_accepted(tx, needed))
    if blocked != row.nblock:
        found.append(_difference(row, "nblock", row.nblock, blocked))
    landed = ""
    for landing in landings.of_task(tx, row.id):
        found += _gate(tx, row, landing.gate)
        found += _candidate(tx, row, landing)
        if raw_rows.landing_accepted(tx, landing.id) and landing.ended != DROPPED:
            landed = raw_rows.candidate(tx, landing)[0]
    if landed != row.landed_commit:
        found.append(_difference(row, "landed_commit", row.landed_commit, landed))
    decision = decide_task(fresh, Policy())
    cached, decided = f"{row.status} {row.reason}".strip(), f"{decision.status} {decision.reason}".strip()
    if cached != decided:
        found.append(_difference(row, "status", cached, decided))
    if row.next_purpose != (decision.purpose or ""):
        found.append(_difference(row, "next_purpose", row.next_purpose, decision.purpose or ""))
    return found


def _run(tx: Tx, task: TaskRow, row: RunRow) -> list[Difference]:
    fresh = folded(tx, row).__dict__
    return [
        _difference(task, f"run {row.id} {name}", getattr(row, name), value)
        for name, value in fresh.items()
        if getattr(row, name) != value
    ]


def _place(tx: Tx, task: TaskRow, past: Sequence[RunRow]) -> list[Difference]:
    """Name, worktree, branch and base, since a person's last retry.

    As the runs prepared them, also if the repository was moved since. Not compared if one was reported as
    prepared after its end: whether that was taken depends on when another run or a retry came, and no fact
    says so. Before its end there can be neither."""
    floor = max((one.generation for one in verbs.of_task(tx, task.id) if one.verb == Verb.RETRY), default=0)
    said = dict.fromkeys(("name", "worktree", "branch", "base_commit"), "")
    for run in past:
        told = told_of_run(tx, run)
        for number, fact in enumerate(told):
            if fact.kind != "prepared" or fact.body.get("problem"):
                continue
            if not fold_run(told[:number]).live:
                return []
            if run.generation > floor:
                said |= prepared_place(run, fact.body, said["name"])
    cached = vars(task)
    return [
        _difference(task, name, cached[name], text) for name, text in said.items() if cached[name] != text
    ]


def _fresh_runs(tx: Tx, facts: TaskFacts) -> tuple[RunFacts, ...]:
    fresh = []
    for known in facts.runs:
        row = runs.get(tx, known.id)
        if row is None:
            continue
        rebuilt = replace(row, **folded(tx, row).__dict__)
        fresh.append(subject_facts.run_facts(rebuilt, known.claim or "", known.unseen))
    return tuple(fresh)


def _fresh_landings(tx: Tx, facts: TaskFacts, publishes: raw_rows.Publishes) -> tuple[LandingFacts, ...]:
    return tuple(
        replace(
            known,
            accepted=raw_rows.landing_accepted(tx, known.id),
            published=publishes.cover(known.id),
            ended=landing_end(tx, known.id, known.ended),
        )
        for known in facts.landings
    )


def _candidate(tx: Tx, task: TaskRow, landing: LandingRow) -> list[Difference]:
    """What was built, and that the gate judged that very tree."""
    commit, tree = raw_rows.candidate(tx, landing)
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


def _gate(tx: Tx, task: TaskRow, gate_id: str) -> list[Difference]:
    row = gates.get(tx, gate_id) if gate_id else None
    if row is None:
        return []
    verdict = gate_verdict(tx, gate_id)
    return [] if verdict == row.verdict else [_difference(task, f"gate {gate_id}", row.verdict, verdict)]


def _landing(facts: LandingFacts) -> str:
    return f"accepted={facts.accepted} published={facts.published}"


def _difference(task: TaskRow, what: str, cached: Any, facts_say: Any) -> Difference:
    return difference(task.project, what, cached, facts_say, task=task.id)
