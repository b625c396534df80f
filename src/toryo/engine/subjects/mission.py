"""Mission subjects: gather, decide, and write what was decided: model calls, tasks, landings of files."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.ids import MissionId
from toryo.domain.words import MISSION_ENDED, FilesPurpose, MissionStatus
from toryo.engine import parking
from toryo.engine.context import HeadContext
from toryo.engine.missions import budgets, planner_parking, planner_state
from toryo.engine.missions.files import artefacts, tasks_text, writes_files
from toryo.engine.missions.making import make_tasks
from toryo.engine.missions.plan_rules import judge_again
from toryo.engine.missions.progress import report, tell_status
from toryo.engine.missions.questions import ask_points
from toryo.engine.missions.repository_seen import seen
from toryo.engine.missions.tests_found import detect_again
from toryo.engine.orders.files import want_scan
from toryo.engine.orders.planner import want, withdraw, withdraw_mends
from toryo.engine.planner_settings import is_usable
from toryo.engine.project_settings import settings_of
from toryo.engine.subjects.files import land_files
from toryo.reconciler.missions.decide import decide_mission
from toryo.reconciler.missions.facts import MissionDecision, MissionFacts
from toryo.reconciler.unit_trees import TreeFacts, decide_tree
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import ProjectRow
from toryo.store.gather import mission_facts, tree_facts
from toryo.store.tables import missions, plans, projects


def look_at_mission(context: HeadContext, tx: Tx, id: MissionId) -> None:
    row = missions.get(tx, id)
    project = projects.get(tx, row.project) if row else None
    if row is None or project is None:
        return
    if row.root:  # no line is said of all its units at once: the tree itself shows how far each is
        _write(tx, row, decide_tree(tree_of(context, tx, project, row)))
        return
    withdraw(tx, row)
    if judge_again(tx, project, row):
        withdraw_mends(tx, row)
    facts = facts_of(context, tx, project, row)
    decision = decide_mission(facts)
    if decision.status in MISSION_ENDED:
        withdraw(tx, row, every=True)
    _carry_out(context, tx, project, row, decision)
    _write(tx, row, decision)
    if facts.planner_parked:
        until = parking.ends_at(tx, *planner_parking.planners_account(context, tx))
        tx.mark(subjects.mission(id), until or tx.now)
    alone = planner_state.alone_since(tx, row)
    if alone is not None and not facts.planner_away:
        tx.mark(subjects.mission(id), alone + planner_state.AWAY_S)
    detect_again(tx, project, row)
    report(tx, missions.get(tx, id) or row)


def tree_of(context: HeadContext, tx: Tx, project: ProjectRow, row: MissionRow) -> TreeFacts:
    return tree_facts.gather(tx, row, budget_reached=budgets.reached(context, tx, project, row))


def facts_of(context: HeadContext, tx: Tx, project: ProjectRow, row: MissionRow) -> MissionFacts:
    target = projects.target(tx, row.project, row.target)
    parked_until = parking.ends_at(tx, *planner_parking.planners_account(context, tx))
    alone = planner_state.alone_since(tx, row)
    limit = planner_parking.USAGE_LIMIT if parked_until is not None else ""
    settings = settings_of(project.settings)
    return mission_facts.gather(
        tx,
        row,
        at_once=settings.missions.at_once,
        has_checks=bool(settings.dod.checks),
        writes_files=writes_files(project, row),
        planner=is_usable(context, tx),
        budget_reached=budgets.reached(context, tx, project, row),
        scanned=target is None or seen(tx, row) is not None,
        planner_waits=planner_state.waits_for(tx, row) or limit,
        planner_away=alone is not None and tx.now - alone >= planner_state.AWAY_S,
        planner_parked=bool(limit),
    )


def _carry_out(
    context: HeadContext, tx: Tx, project: ProjectRow, row: MissionRow, decision: MissionDecision
) -> None:
    if decision.scan:
        target = projects.target(tx, row.project, row.target)
        if target is not None:
            want_scan(tx, project, target.tip)
    for wish in decision.wishes:
        want(context, tx, row, wish)
    plan = plans.newest(tx, row.id)
    if decision.ask_points and plan is not None:
        ask_points(tx, row, plan)
        tx.mark(subjects.mission(row.id))
    if decision.create_tasks:
        missions.update(tx, row.id, approved_at=row.approved_at or tx.now)
        make_tasks(tx, project, row, decision.create_tasks)
        tx.mark(subjects.mission(row.id))
    _land(tx, row, decision)


def _land(tx: Tx, row: MissionRow, decision: MissionDecision) -> None:
    if not (decision.land_spec or decision.land_ticks):
        return
    plan = next((one for one in reversed(plans.of_mission(tx, row.id)) if one.made_at is not None), None)
    if plan is None:
        return
    if decision.land_spec:
        message = f"docs(spec): {row.title[:60]}"
        land_files(tx, row, FilesPurpose.SPEC, plan.version, artefacts(row, plan), message)
    else:
        landed = {one.planned for one in missions.planned_of(tx, row.id) if one.landed_commit}
        ticked = [(f"{row.spec_dir.rstrip('/')}/tasks.md", tasks_text(row, plan, landed))]
        land_files(
            tx, row, FilesPurpose.TICKS, plan.version, ticked, f"docs(spec): done tasks of {row.title[:50]}"
        )
    tx.mark(subjects.mission(row.id))


def _write(tx: Tx, row: MissionRow, decision: MissionDecision) -> None:
    hold = (decision.reason or decision.status.value) if decision.hold else ""
    held = list(decision.hold_tasks)
    if (row.hold, row.stop, list(row.hold_tasks)) != (hold, decision.stop, held):
        missions.update(tx, row.id, hold=hold, stop=decision.stop, hold_tasks=held)
        for task in missions.tasks_of(tx, row.id):
            tx.mark(subjects.task(task.id))
    if (row.status, row.reason, row.detail) == (decision.status, decision.reason, decision.detail):
        return
    missions.update(tx, row.id, status=decision.status.value, reason=decision.reason, detail=decision.detail)
    body = {"mission": row.id, "status": decision.status, "reason": decision.reason}
    tx.emit("mission_status", body, project=row.project, subject=subjects.mission(row.id))
    if row.status != decision.status:
        tell_status(tx, row, decision)
    _wake_others(tx, row, decision.status)


def _wake_others(tx: Tx, row: MissionRow, status: MissionStatus) -> None:
    """A slot may be free, or taken."""
    for other in missions.live(tx, row.project):
        if other.id != row.id and other.status in (MissionStatus.QUEUED, MissionStatus.ACTIVE):
            tx.mark(subjects.mission(other.id))
