"""Queue and gate subjects: gather, decide, and write what was decided."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import count
from typing import Any

from toryo.domain import subjects
from toryo.domain.ids import GateId, LandingId, ProjectId
from toryo.domain.subjects import Subject
from toryo.domain.words import CheckResult, OrderKind, OrderState
from toryo.engine.evidence import write_evidence
from toryo.engine.goals import judged, unmet
from toryo.engine.ids import new_id
from toryo.engine.orders.compose import insert_wish
from toryo.engine.project_settings import settings_of
from toryo.engine.subjects.files import land_again
from toryo.reconciler.decisions import EndedLanding, GateWish, NewLanding, OrderWish
from toryo.reconciler.gate_spec import (
    HISTORY,
    REUSE_S,
    CheckWish,
    GateSpec,
    is_taken,
    may_pass_again,
    with_task_checks,
)
from toryo.reconciler.queueing import FILES, FOLLOWING, LANDED, decide_queue
from toryo.reconciler.subjects import Policy, QueueFacts
from toryo.reconciler.verification import decide_gate
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CheckRow, GateRow, LandingRow, ProjectRow
from toryo.store.gather import subject_facts
from toryo.store.tables import gates, landings, orders, projects, runs, tasks


def look_at_queue(tx: Tx, project_id: ProjectId, target: str, policy: Policy) -> None:
    queue, project = subject_facts.queue(tx, project_id, target), projects.get(tx, project_id)
    if queue is None or project is None or project.status != "active" or queue.closed:
        return
    if orders.of_target(tx, project_id, (OrderKind.SURVEY,)):
        return  # the settings that a gate would be made of are being read; their report marks this queue
    decision = decide_queue(queue, policy, tx.now)
    if decision.stopped != queue.stopped:
        projects.update_target(tx, project_id, target, stopped=decision.stopped)
        tx.emit(
            "queue_stopped" if decision.stopped else "queue_resumed",
            {"why": decision.stopped, "target": target},
            subject=subjects.target(project_id, target),
            project=project_id,
        )
        tasks.mark_of_target(tx, project_id, target)
    for withdrawn in filter(None, (orders.get(tx, one) for one in decision.withdraw)):
        orders.set_state(tx, withdrawn, OrderState.WITHDRAWN)
    if decision.withdraw:
        projects.update_target(tx, project_id, target, waiting=[], waiting_why="")
        tasks.mark_of_target(tx, project_id, target)
    for gate in decision.gates:
        _begin_gate(tx, project, target, gate)
    for landing in decision.create:
        _create(tx, queue, landing)
    for ended in decision.end:
        _end(tx, queue, ended)
    if decision.begin:
        _begin(tx, queue, decision.begin)
    for wish in decision.orders:
        if wish.kind is OrderKind.ACCEPT:
            _keep_evidence(tx, wish.landing)
        insert_wish(tx, wish, project_id, target)
    if decision.create or decision.end or decision.begin or decision.gates:
        tx.mark(subjects.queue(project_id, target))
    elif queue.retry_at > tx.now:  # of two marks only the earlier one is kept, and it led to this look
        tx.mark(subjects.queue(project_id, target), queue.retry_at)


def _keep_evidence(tx: Tx, landing_id: str) -> None:
    """An accept order names the evidence it stands on: write that first."""
    landing = landings.get(tx, landing_id)
    if landing and not landing.evidence:
        landings.update(tx, landing_id, evidence=write_evidence(tx, landing))


def look_at_gate(tx: Tx, gate_id: str) -> None:
    facts, row = subject_facts.gate(tx, gate_id), gates.get(tx, gate_id)
    if facts is None or row is None:
        return
    decision = decide_gate(facts)
    if decision.order:
        known = _known(tx, row, decision.order)
        if known:
            gates.add_check(tx, replace(known, seq=0, gate=GateId(gate_id), reused_from=known.seq))
            tx.mark(subjects.gate(GateId(gate_id)))
        else:
            insert_wish(tx, decision.order, row.project)
    verdict = decision.verdict or ""
    if verdict != row.verdict:
        gates.update(tx, gate_id, verdict=verdict)
        told = {"gate": gate_id, "verdict": verdict, "tree": row.tree}
        tx.emit("gate_verdict", told, subject=subjects.gate(GateId(gate_id)), project=row.project)
        tx.mark(subjects.queue(row.project, row.target))
        target = projects.target(tx, row.project, row.target)
        if target and target.tip_gate == gate_id:
            tasks.mark_of_target(tx, row.project, row.target)
        for landing in landings.queue(tx, row.project, row.target):
            if landing.gate == gate_id:
                landings.update(tx, landing.id, verdict=verdict)
                mark_owner(tx, landing)


def about(landing: LandingRow) -> Subject | None:
    """What an event of a landing of files is about; None: its task, or the project."""
    return subjects.mission(landing.mission) if landing.mission else None


def mark_owner(tx: Tx, landing: LandingRow) -> None:
    """Whoever it lands for looks again: a task, or the mission whose files it brings."""
    if landing.task:
        tx.mark(subjects.task(landing.task))
    elif landing.mission:
        tx.mark(subjects.mission(landing.mission))


def _known(tx: Tx, gate: GateRow, wish: OrderWish) -> CheckRow | None:
    """A pass of the same command on the same tree, setup and kind of machine, not a day old."""
    if wish.attempt != 1 or any(one["reads"] == HISTORY for one in gate.checks):
        return None
    fingerprint = gates.newest_fingerprint(tx, gate.project)
    known = gates.reusable(tx, gate.project, gate.tree, wish.command, fingerprint, tx.now - REUSE_S)
    source = gates.get(tx, known.gate) if known else None
    if known is None or source is None or source.setup != gate.setup or source.exclude != gate.exclude:
        return None
    earlier = [row.result for row in gates.checks_of(tx, source.id) if row.command == known.command]
    return known if may_pass_again(earlier) else None


def _begin_gate(tx: Tx, project: ProjectRow, target: str, wish: GateWish) -> None:
    landing = landings.get(tx, wish.landing) if wish.landing else None
    gate = _gate_of(tx, project, target, wish, _spec(tx, project, landing))
    if landing:
        landings.update(tx, landing.id, gate=gate.id, verdict=gate.verdict)
    else:
        projects.update_target(tx, project.id, target, tip_gate=gate.id)
        tasks.mark_of_target(tx, project.id, target)


def _spec(tx: Tx, project: ProjectRow, landing: LandingRow | None) -> GateSpec:
    settings = settings_of(project.settings)
    task = tasks.get(tx, landing.task) if landing and landing.task else None
    limit_s = settings.dod.timeout
    mine = (
        CheckWish(check.type, check.command, check.timeout or limit_s, check.reads)
        for check in settings.dod.checks
    )
    return GateSpec(
        checks=with_task_checks(mine, task.checks if task else (), limit_s),
        goals=tuple(_goals(tx, project, task.type if task else "", landing)),
        setup={"commands": list(settings.setup), "inputs": list(settings.setup_inputs)},
        exclude=tuple(settings.scope.exclude),
        flaky=settings.dod.flaky,
    )


def _gate_of(tx: Tx, project: ProjectRow, target: str, wish: GateWish, spec: GateSpec) -> GateRow:
    for number in count(1):
        key = spec.key(project.id, wish.tree, wish.commit, number)
        gate = gates.by_key(tx, key)
        if gate is None:
            break
        if is_taken(gate.verdict, gate.created_at, tx.now):
            return gate
    gate = GateRow(
        id=GateId(new_id("g")),
        key=key,
        project=project.id,
        target=target,
        commit=wish.commit,
        tree=wish.tree,
        checks=[asdict(check) for check in spec.checks],
        goals=[dict(goal) for goal in spec.goals],
        setup=dict(spec.setup or {}),
        exclude=list(spec.exclude),
        flaky=spec.flaky,
        created_at=tx.now,
    )
    gates.insert(tx, gate)
    tx.mark(subjects.gate(gate.id))
    return gate


def _goals(tx: Tx, project: ProjectRow, kind: str, landing: LandingRow | None) -> list[dict[str, Any]]:
    """S4-36: what a type of task must have touched, judged on the changed files of the run."""
    rule = settings_of(project.settings).task_types.get(kind)
    run = runs.get(tx, landing.run) if landing and landing.run else None
    if rule is None or run is None:
        return []
    return judged(rule, run.collected or {})


def _create(tx: Tx, queue: QueueFacts, wish: NewLanding) -> None:
    landing = LandingRow(
        id=LandingId(new_id("l")),
        project=ProjectId(queue.project),
        target=queue.target,
        kind=wish.kind,
        head=wish.head,
        trusted=queue.seen_tree == queue.trusted_tree,
        priority=0,
        created_at=tx.now,
    )
    landings.insert(tx, landing)
    moved = not queue.unwanted or queue.seen_relation in FOLLOWING or not queue.seen_contains_published
    tx.emit(
        "target_moved" if moved else "work_taken_off",
        {"target": queue.target, "commit": wish.head, "as": wish.kind},
        subject=subjects.target(queue.project, queue.target),
        project=queue.project,
    )


def _begin(tx: Tx, queue: QueueFacts, landing_id: str) -> None:
    landing = landings.get(tx, landing_id)
    if landing is None:
        return
    known = {"candidate": landing.head, "tree": queue.seen_tree} if landing.kind == "adopt" else {}
    landings.update(tx, landing_id, begun=True, old_tip=queue.tip, **known)
    mark_owner(tx, landing)


def _end(tx: Tx, queue: QueueFacts, ended: EndedLanding) -> None:
    landing = landings.get(tx, ended.id)
    if landing is None:
        return
    landings.update(tx, ended.id, ended=ended.reason, ended_detail=ended.detail or _detail(tx, landing))
    if ended.reason == LANDED:
        _land_without_commit(tx, queue, landing)
    for order in orders.of_landing(tx, ended.id):
        if order.state in (OrderState.OPEN, OrderState.TAKEN):
            orders.set_state(tx, order, OrderState.WITHDRAWN)
    kind = "files_unchanged" if ended.reason == LANDED else "landing_ended"
    told = {"landing": ended.id, "why": ended.reason, "detail": ended.detail, "target": queue.target}
    tx.emit(kind, told, project=queue.project, task=landing.task, subject=about(landing))
    mark_owner(tx, landing)
    if ended.again:
        land_again(tx, landing)
    if not landing.task and landing.kind != FILES:
        tasks.mark_of_target(tx, queue.project, queue.target)


def _land_without_commit(tx: Tx, queue: QueueFacts, landing: LandingRow) -> None:
    """The tip is its commit, and is published when the tip is."""
    target = projects.target(tx, queue.project, queue.target)
    if target is None:
        return
    landings.update(
        tx,
        landing.id,
        candidate=target.tip,
        tree=target.tip_tree,
        gate=target.tip_gate,
        verdict=str(queue.tip_verdict or ""),
        accepted_at=tx.now,
        accept_number=target.accepted_count,
        published_at=tx.now if target.tip == target.published else None,
    )
    _keep_evidence(tx, landing.id)


def _detail(tx: Tx, landing: LandingRow) -> str:
    if landing.conflict:
        return "conflict in " + ", ".join(landing.conflict.get("paths", [])[:5])
    failing = [row for row in gates.checks_of(tx, landing.gate) if row.result != CheckResult.PASSED]
    if failing:
        last = failing[-1]
        return f"`{last.command}`: {last.reason or last.result}"
    gate = gates.get(tx, landing.gate) if landing.gate else None
    return "; ".join(f"{goal}: {text}" for goal, text in unmet(gate.goals if gate else ()))
