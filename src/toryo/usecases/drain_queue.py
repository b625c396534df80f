"""One marked queue or gate: gather, decide, and write what was decided."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from toryo.domain.scopes import matches
from toryo.domain.words import MAY_LAND, CheckResult, OrderKind, OrderState, Verdict
from toryo.reconciler.decisions import EndedLanding, GateWish, NewLanding, OrderWish
from toryo.reconciler.queueing import decide_queue
from toryo.reconciler.subjects import Policy, QueueFacts
from toryo.reconciler.verification import decide_gate
from toryo.store import gates, gather, landings, orders, projects, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import CheckRow, GateRow, LandingRow, ProjectRow
from toryo.usecases.evidence import write_evidence
from toryo.usecases.goals import unmet
from toryo.usecases.ids import new_id
from toryo.usecases.ordering import insert_wish
from toryo.usecases.project_settings import settings_of

REUSE_S = 24 * 3600
"""How long a passed check of the same tree is believed."""


def look_at_queue(tx: Tx, project_id: str, target: str, policy: Policy) -> None:
    queue, project = gather.queue(tx, project_id, target), projects.get(tx, project_id)
    if queue is None or project is None or project.status != "active":
        return
    if orders.of_target(tx, project_id, (OrderKind.SURVEY,)):
        return  # the settings that a gate would be made of are being read; their report marks this queue
    decision = decide_queue(queue, policy, tx.now)
    if decision.stopped != queue.stopped:
        projects.update_target(tx, project_id, target, stopped=decision.stopped)
        tx.emit(
            "queue_stopped" if decision.stopped else "queue_resumed",
            {"why": decision.stopped, "target": target},
            project=project_id,
        )
        mark_waiting_tasks(tx, project_id, target)
    for withdrawn in filter(None, (orders.get(tx, one) for one in decision.withdraw)):
        orders.set_state(tx, withdrawn, OrderState.WITHDRAWN)
    if decision.withdraw:
        projects.update_target(tx, project_id, target, waiting=[], waiting_why="")
        mark_waiting_tasks(tx, project_id, target)
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
        tx.mark(f"queue:{project_id}/{target}")
    elif queue.retry_at > tx.now:  # of two marks only the earlier one is kept, and it led to this look
        tx.mark(f"queue:{project_id}/{target}", queue.retry_at)


def _keep_evidence(tx: Tx, landing_id: str) -> None:
    """An accept order names the evidence it stands on: write that first."""
    landing = landings.get(tx, landing_id)
    if landing and not landing.evidence:
        landings.update(tx, landing_id, evidence=write_evidence(tx, landing))


def look_at_gate(tx: Tx, gate_id: str) -> None:
    facts, row = gather.gate(tx, gate_id), gates.get(tx, gate_id)
    if facts is None or row is None:
        return
    decision = decide_gate(facts)
    if decision.order:
        known = _known(tx, row, decision.order)
        if known:
            gates.add_check(tx, replace(known, seq=0, gate=gate_id, reused_from=known.seq))
            tx.mark(f"gate:{gate_id}")
        else:
            insert_wish(tx, decision.order, row.project)
    verdict = decision.verdict or ""
    if verdict != row.verdict:
        gates.update(tx, gate_id, verdict=verdict)
        tx.emit("gate_verdict", {"gate": gate_id, "verdict": verdict, "tree": row.tree}, project=row.project)
        tx.mark(f"queue:{row.project}/{row.target}")
        target = projects.target(tx, row.project, row.target)
        if target and target.tip_gate == gate_id:
            mark_waiting_tasks(tx, row.project, row.target)
        for landing in landings.queue(tx, row.project, row.target):
            if landing.gate == gate_id:
                landings.update(tx, landing.id, verdict=verdict)
                if landing.task:
                    tx.mark(f"task:{landing.task}")


def mark_waiting_tasks(tx: Tx, project: str, target: str) -> None:
    """Tasks that wait for the base, or could start on it, look again."""
    tasks.mark_of_target(tx, project, target)


def _known(tx: Tx, gate: GateRow, wish: OrderWish) -> CheckRow | None:
    """A pass of the same command on the same tree, setup and kind of machine, not a day old."""
    if wish.attempt != 1 or any(one["reads"] == "history" for one in gate.checks):
        return None
    fingerprint = gates.newest_fingerprint(tx, gate.project)
    known = gates.reusable(tx, gate.project, gate.tree, wish.command, fingerprint, tx.now - REUSE_S)
    source = gates.get(tx, known.gate) if known else None
    if known is None or source is None or source.setup != gate.setup or source.exclude != gate.exclude:
        return None
    # one that failed before it passed is flaky, and would be taken for green here
    earlier = [row.result for row in gates.checks_of(tx, source.id) if row.command == known.command]
    return None if CheckResult.FAILED in earlier else known


def _begin_gate(tx: Tx, project: ProjectRow, target: str, wish: GateWish) -> None:
    settings = settings_of(project.settings)
    landing = landings.get(tx, wish.landing) if wish.landing else None
    task = tasks.get(tx, landing.task) if landing and landing.task else None
    specs = [
        {
            "type": check.type,
            "command": check.command,
            "limit_s": check.timeout or settings.dod.timeout,
            "reads": check.reads,
        }
        for check in settings.dod.checks
    ]
    known = {spec["command"] for spec in specs}
    for command in task.checks if task else ():
        if command not in known:
            specs.append(
                {"type": "task", "command": command, "limit_s": settings.dod.timeout, "reads": "tree"}
            )
    goals = _goals(tx, project, task.type if task else "", landing)
    setup = {"commands": list(settings.setup), "inputs": list(settings.setup_inputs)}
    shape = json.dumps(
        [specs, goals, setup, settings.dod.flaky, list(settings.scope.exclude)], sort_keys=True
    )
    history = wish.commit if any(spec["reads"] == "history" for spec in specs) else ""
    digest = hashlib.sha256((shape + history).encode()).hexdigest()[:16]
    number = 1
    while True:
        key = f"{project.id}/{wish.tree}/{digest}/{number}"
        gate = gates.by_key(tx, key)
        # a gate that could not run, or was red, is tried anew by a new landing
        fresh = gate is not None and tx.now - REUSE_S <= gate.created_at <= tx.now
        if gate is None or gate.verdict in ("", Verdict.UNCHECKED) or (fresh and gate.verdict in MAY_LAND):
            break
        number += 1
    if gate is None:
        gate = GateRow(
            id=new_id("g"),
            key=key,
            project=project.id,
            target=target,
            commit=wish.commit,
            tree=wish.tree,
            checks=specs,
            goals=goals,
            setup=setup,
            exclude=list(settings.scope.exclude),
            flaky=settings.dod.flaky,
            created_at=tx.now,
        )
        gates.insert(tx, gate)
        tx.mark(f"gate:{gate.id}")
    if landing:
        landings.update(tx, landing.id, gate=gate.id, verdict=gate.verdict)
    else:
        projects.update_target(tx, project.id, target, tip_gate=gate.id)
        mark_waiting_tasks(tx, project.id, target)


def _goals(tx: Tx, project: ProjectRow, kind: str, landing: LandingRow | None) -> list[dict[str, Any]]:
    """S4-36: what a type of task must have touched, judged on the changed files of the run."""
    rule = settings_of(project.settings).task_types.get(kind)
    run = runs.get(tx, landing.run) if landing and landing.run else None
    if rule is None or run is None:
        return []
    collected = run.collected or {}
    # settings may have changed since, and an older coordinator names files only
    changed, matched = collected.get("changed_files", ()), collected.get("matched", ())
    return [
        {
            "type": goal.type,
            "pattern": goal.pattern,
            "result": CheckResult.PASSED
            if goal.pattern in matched or any(matches((goal.pattern,), path) for path in changed)
            else CheckResult.FAILED,
        }
        for goal in rule.goals
    ]


def _create(tx: Tx, queue: QueueFacts, wish: NewLanding) -> None:
    landing = LandingRow(
        id=new_id("l"),
        project=queue.project,
        target=queue.target,
        kind=wish.kind,
        head=wish.head,
        trusted=queue.seen_tree == queue.trusted_tree,
        priority=0,
        created_at=tx.now,
    )
    landings.insert(tx, landing)
    tx.emit(
        "target_moved", {"target": queue.target, "commit": wish.head, "as": wish.kind}, project=queue.project
    )


def _begin(tx: Tx, queue: QueueFacts, landing_id: str) -> None:
    landing = landings.get(tx, landing_id)
    if landing is None:
        return
    known = {"candidate": landing.head, "tree": queue.seen_tree} if landing.kind == "adopt" else {}
    landings.update(tx, landing_id, begun=True, old_tip=queue.tip, **known)
    if landing.task:
        tx.mark(f"task:{landing.task}")


def _end(tx: Tx, queue: QueueFacts, ended: EndedLanding) -> None:
    landing = landings.get(tx, ended.id)
    if landing is None:
        return
    landings.update(tx, ended.id, ended=ended.reason, ended_detail=ended.detail or _detail(tx, landing))
    for order in orders.of_landing(tx, ended.id):
        if order.state in (OrderState.OPEN, OrderState.TAKEN):
            orders.set_state(tx, order, OrderState.WITHDRAWN)
    tx.emit(
        "landing_ended",
        {"landing": ended.id, "why": ended.reason, "detail": ended.detail},
        project=queue.project,
        task=landing.task,
    )
    if landing.task:
        tx.mark(f"task:{landing.task}")
    else:
        mark_waiting_tasks(tx, queue.project, queue.target)


def _detail(tx: Tx, landing: LandingRow) -> str:
    if landing.conflict:
        return "conflict in " + ", ".join(landing.conflict.get("paths", [])[:5])
    failing = [row for row in gates.checks_of(tx, landing.gate) if row.result != CheckResult.PASSED]
    if failing:
        last = failing[-1]
        return f"`{last.command}`: {last.reason or last.result}"
    gate = gates.get(tx, landing.gate) if landing.gate else None
    return "; ".join(f"{goal}: {text}" for goal, text in unmet(gate.goals if gate else ()))
