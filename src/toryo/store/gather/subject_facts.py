"""Facts of one subject for `decide`, read from rows; of status only whether a dependency is at rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import bindparam, exists, false, select, true

from toryo.domain.client_names import program_of, told_as
from toryo.domain.ids import TaskId
from toryo.domain.reasons import Reason
from toryo.domain.words import (
    BY_HAND,
    ENDED_BADLY,
    CheckResult,
    ClaimResult,
    OrderKind,
    OrderState,
    Purpose,
    TaskStatus,
    Verb,
    Verdict,
    is_at_rest,
)
from toryo.reconciler import problems, run_ends
from toryo.reconciler.queueing import FOLLOWING
from toryo.reconciler.run_ends import Cause
from toryo.reconciler.subjects import (
    UNWANTED,
    CheckFacts,
    CheckSpec,
    CollectedFacts,
    CoordinatorFacts,
    Dependency,
    GateFacts,
    LandingFacts,
    OrderFact,
    Policy,
    QueuedLanding,
    QueueFacts,
    RunFacts,
    TaskFacts,
    VerbFact,
)
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, OrderRow, RunRow, TargetRow, TaskRow
from toryo.store.database.schema import IS_HELD
from toryo.store.database.schema import claims as claims_table
from toryo.store.database.schema import coordinators as coordinators_table
from toryo.store.database.schema import dependencies as dependencies_table
from toryo.store.database.schema import landings as landings_table
from toryo.store.database.schema import tasks as tasks_table
from toryo.store.database.statements import texts
from toryo.store.gather import unit_facts
from toryo.store.tables import (
    agents,
    coordinators,
    gates,
    landings,
    missions,
    orders,
    projects,
    runs,
    tasks,
    verbs,
)

JUDGED = ("red", "could_not_run")

_ACCEPTED = exists().where(landings_table.c.task == dependencies_table.c.needs, IS_HELD)
_DEPENDENCIES = (
    select(tasks_table.c.id, tasks_table.c.status, tasks_table.c.reason, _ACCEPTED.label("accepted"))
    .join(dependencies_table, dependencies_table.c.needs == tasks_table.c.id)
    .where(dependencies_table.c.task == bindparam("it"))
    .order_by(tasks_table.c.seq)
)
_CLAIMS = (
    select(claims_table.c.run, claims_table.c.result)
    .where(
        claims_table.c.task == bindparam("it"),
        claims_table.c.kind == "completed",
        claims_table.c.late == false(),
    )
    .order_by(claims_table.c.seq)
)
_UNSEEN = select(coordinators_table.c.id).where(coordinators_table.c.unseen == true())


def task(tx: Tx, id: str) -> TaskFacts | None:
    row = tasks.get(tx, id)
    if row is None:
        return None
    project = projects.get(tx, row.project)
    agent = agents.get(tx, row.agent, row.project) if row.agent else None
    target = projects.target(tx, row.project, row.target)
    verdict, detail = base(tx, target) if target else (None, "")
    hold, stop = _of_mission(tx, row)
    pause = unit_facts.pause_of(tx, row) if row.unit else ""
    return TaskFacts(
        id=row.id,
        unit=unit_facts.gather(tx, row, pause) if row.unit else None,
        held=row.held,
        mission_hold=hold,
        mission_stop=stop or pause == Verb.PAUSE_NOW,
        dispatch_held=project is not None and project.settings.get("dispatch") == "hold",
        agent=row.agent,
        client=agent.client if agent else "",
        lacks_program=agent is not None
        and project is not None
        and coordinators.lacks(tx, project.machine, told_as(agent.client, agent.command)),
        program=program_of(agent.client, agent.command) if agent else "",
        agent_active=agent is None or agent.status == "active",
        agent_assigned=agent is None or projects.is_assigned(tx, row.project, agent.id),
        project_active=project is not None and project.status == "active",
        base=verdict,
        target=row.target,
        stopped=target.stopped if target else "",
        base_detail=detail,
        waiting=tuple(target.waiting) if target else (),
        waiting_why=target.waiting_why if target else "",
        above=unit_facts.name_of(tx, target.unit) if target and target.unit else "",
        dependencies=_dependencies(tx, id),
        runs=_runs(tx, id),
        landings=tuple(_landing(one) for one in landings.of_task(tx, id)),
        verbs=tuple(
            VerbFact(Verb(one.verb), one.generation, one.landing_seq, one.reason)
            for one in verbs.of_task(tx, id)
        ),
        orders=_pending(orders.pending_of_task(tx, row.project, id)),
    )


def _of_mission(tx: Tx, row: TaskRow) -> tuple[str, bool]:
    """Why its mission holds it back, and whether its run is to stop."""
    mission = missions.get(tx, row.mission) if row.mission else None
    if mission is None:
        return "", False
    if row.id == mission.root and mission.hold in WAITS_BELOW:
        return "", False
    if mission.hold_tasks and _planned_above(tx, row) in mission.hold_tasks:
        return Reason.REPLANNING.value, True
    return mission.hold, mission.stop


def _planned_above(tx: Tx, row: TaskRow) -> str:
    """The plan's id of the task, or of the unit that is the uppermost above it."""
    while row.parent and (above := tasks.get(tx, row.parent)):
        row = above
    return row.planned


WAITS_BELOW = (Reason.PLAN_READY.value,)
"""Holds of a tree that are about the root's children."""


def queue(tx: Tx, project: str, target: str) -> QueueFacts | None:
    row = projects.target(tx, project, target)
    if row is None:
        return None
    kinds = (OrderKind.CANDIDATE, OrderKind.ACCEPT, OrderKind.PUBLISH)
    waiting = [one for one in landings.queue(tx, project, target) if one.accepted_at is None]
    return QueueFacts(
        project=row.project,
        target=target,
        tip=row.tip,
        tip_tree=row.tip_tree,
        published=row.published,
        tip_gate=row.tip_gate,
        tip_verdict=_verdict_of(tx, row.tip_gate),
        trusted_tree=row.trusted_tree,
        seen=row.seen,
        seen_tree=row.seen_tree,
        seen_relation=row.seen_relation,
        seen_contains_published=row.seen_contains_published,
        waiting=tuple(row.waiting) or ((row.waiting_why,) if row.waiting_why else ()),
        stopped=row.stopped,
        landings=tuple(_queued(tx, one) for one in waiting),
        failed_follow=_failed_follow(tx, row),
        clashes=_clashes(tx, row),
        unwanted=_is_unwanted(tx, row),
        retry_at=row.retry_at,
        foreign_tip=row.foreign_tip,
        ungated=bool(row.unit),
        closed=row.closed,
        orders=_pending(orders.of_target(tx, project, kinds, target)),
    )


def gate(tx: Tx, id: str) -> GateFacts | None:
    row = gates.get(tx, id)
    if row is None:
        return None
    ordered = _pending_rows(one for one in orders.of_gate(tx, id) if one.kind == OrderKind.CHECK)
    return GateFacts(
        id=row.id,
        checks=tuple(_spec(one) for one in row.checks),
        results=tuple(
            CheckFacts(one.command, one.attempt, CheckResult(one.result), one.interrupted)
            for one in gates.checks_of(tx, id)
        ),
        goals_failed=tuple(
            str(goal.get("pattern") or goal.get("type"))
            for goal in row.goals
            if goal.get("result") == "failed"
        ),
        ordered=frozenset((str(one.inputs["command"]), int(one.inputs.get("attempt", 1))) for one in ordered),
    )


def coordinator(tx: Tx, id: str) -> CoordinatorFacts | None:
    row = coordinators.get(tx, id)
    if row is None:
        return None
    return CoordinatorFacts(
        id=row.id,
        interval_s=row.interval_s,
        seen_at=row.seen_at or 0,
        unseen=row.unseen,
    )


def base(tx: Tx, target: TargetRow) -> tuple[Verdict | None, str]:
    """The verdict on what work starts from, and what fails there: all that a branch's place is to a task."""
    if target.unit:  # what a parent commits on its own branch is followed ungated
        return Verdict.UNCHECKED, ""
    return _base(tx, target), _base_detail(tx, target)


def _base(tx: Tx, target: TargetRow) -> Verdict | None:
    """The tip, or the commit a person put the branch on."""
    if _failed_follow(tx, target) in JUDGED and not _trusts(target, target.seen_tree):
        return Verdict(_failed_follow(tx, target))
    if _trusts(target, target.tip_tree):
        return Verdict.GREEN
    return _verdict_of(tx, target.tip_gate)


def _failed_follow(tx: Tx, target: TargetRow) -> str:
    """How the newest landing that follows the branch to where it is now ended, if badly."""
    kind = following(tx, target)
    if not kind or not target.seen:
        return ""
    followed = landings.newest_following(tx, target.project, target.name, target.seen)
    return followed.ended if followed and followed.kind == kind and followed.ended in ENDED_BADLY else ""


def following(tx: Tx, target: TargetRow) -> str:
    """As `queueing.follow_kind`, of a row; whatever starts meanwhile would start from what is given up."""
    if not _has_tip(target) or _is_unwanted(tx, target):
        return "adopt"
    kind = FOLLOWING.get(target.seen_relation, "")
    return "adopt" if kind == "restack" and _clashes(tx, target) else kind


def _clashes(tx: Tx, target: TargetRow) -> bool:
    if target.seen_relation != "diverged":
        return False
    return target.seen in landings.ended_heads(tx, target.project, target.name, ("restack",), ("conflict",))


def _is_unwanted(tx: Tx, target: TargetRow) -> bool:
    if target.tip == target.published:
        return False
    return any(one.ended == UNWANTED for one in landings.awaiting_publish(tx, target.project, target.name))


def _has_tip(target: TargetRow) -> bool:
    """Whether the branch still stands on what was published, and there is a tip to compare it with."""
    return target.seen_contains_published and target.tip != ""


def _base_detail(tx: Tx, target: TargetRow) -> str:
    """The check that fails where work would start from, and the end of what it printed."""
    gate_id = target.tip_gate
    if _failed_follow(tx, target):  # not one that is under way: its first results are no verdict
        followed = landings.newest_following(tx, target.project, target.name, target.seen)
        gate_id = followed.gate if followed and followed.gate else gate_id
    failing = (
        [row for row in gates.checks_of(tx, gate_id) if row.result != CheckResult.PASSED] if gate_id else []
    )
    if not failing:
        return ""
    last = failing[-1]
    how = last.reason or (f"exited {last.exit_code}" if last.exit_code is not None else last.result)
    printed = last.tail.strip().splitlines()
    return f"`{last.command}` {how}" + (f": {printed[-1][:200]}" if printed else "")


def _trusts(target: TargetRow, tree: str) -> bool:
    return tree != "" and tree == target.trusted_tree


def _verdict_of(tx: Tx, gate_id: str) -> Verdict | None:
    row = gates.get(tx, gate_id) if gate_id else None
    return _verdict(row.verdict) if row else None


def _verdict(text: str) -> Verdict | None:
    return Verdict(text) if text else None


def _dependencies(tx: Tx, id: str) -> tuple[Dependency, ...]:
    return tuple(
        Dependency(
            id=TaskId(needed),
            accepted=bool(accepted),
            at_rest=not accepted and is_at_rest(TaskStatus(status), reason),
        )
        for needed, status, reason, accepted in prepared.rows(tx.conn, _DEPENDENCIES, {"it": id})[1]
    )


def _runs(tx: Tx, id: str) -> tuple[RunFacts, ...]:
    rows = runs.of_task(tx, id)
    if not rows:
        return ()
    said = {str(run): str(result) for run, result in prepared.rows(tx.conn, _CLAIMS, {"it": id})[1]}
    unseen = frozenset(texts(tx, _UNSEEN))
    return tuple(run_facts(row, said.get(row.id, ""), row.coordinator in unseen) for row in rows)


def run_facts(row: RunRow, said: str, unseen: bool) -> RunFacts:
    end = run_ends.read(row.outcome, row.outcome_reason)
    record = row.said or {}
    return RunFacts(
        id=row.id,
        purpose=Purpose(row.purpose),
        generation=row.generation,
        outside=row.coordinator == "" and row.purpose not in BY_HAND,
        prepared=row.start_commit != "",
        prepare_problem=end.prepare,
        started=row.started_at is not None,
        ended=not row.live,
        exit_code=row.exit_code,
        signal=row.signal,
        timed_out=row.outcome == "timed_out",
        stopped=end.cause == Cause.STOPPED,
        lost=row.outcome == "lost",
        released=end.cause == Cause.RELEASED,
        withdrawn=end.cause == Cause.WITHDRAWN,
        expired=end.cause == Cause.EXPIRED,
        could_not_start=(end.words or end.cause) if end.cause == Cause.COULD_NOT_START else "",
        disk_full=end.cause == Cause.DISK_FULL,
        collected=_collected(row.collected) if row.collected is not None else None,
        claim=ClaimResult(said) if said else None,
        unseen=unseen,
        client=row.client,
        problem=end.client,
        denied=tuple(record.get("denied", ())),
        words=str(record.get("words") or ""),
        parked=end.parked,
        parked_until=row.parked_until,
        asks=str((row.signs or {}).get("asks", "")),
        policy=Policy(**row.limits) if row.limits else None,
    )


def _collected(body: Mapping[str, Any]) -> CollectedFacts:
    return CollectedFacts(
        head=str(body.get("head", "")),
        commits=int(body.get("commits", 0)),
        new_commits=int(body.get("new_commits", 0)),
        violations=tuple(f"{one['rule']} {one['path']}" for one in body.get("violations", ())),
        unmerged=tuple(body.get("unmerged", ())),
        problem=problems.of_fact(body.get("problem")),
        changes=body.get("changed_count") != 0,
    )


def _landing(row: LandingRow) -> LandingFacts:
    return LandingFacts(
        id=row.id,
        seq=row.seq,
        generation=row.generation,
        head=row.head,
        begun=row.begun,
        accepted=row.accepted_at is not None,
        published=row.published_at is not None,
        ended=row.ended,
        detail=row.ended_detail,
        problem=problems.read(row.problem),
        verdict=_verdict(row.verdict),
    )


def _is_reviewed(tx: Tx, row: LandingRow) -> bool:
    project = projects.get(tx, row.project)
    return project is not None and project.settings.get("land") == "review"


def _queued(tx: Tx, row: LandingRow) -> QueuedLanding:
    gate_row = gates.get(tx, row.gate) if row.gate else None
    return QueuedLanding(
        id=row.id,
        seq=row.seq,
        kind=row.kind,
        task=row.task,
        head=row.head,
        priority=row.priority,
        created_at=row.created_at,
        begun=row.begun,
        old_tip=row.old_tip,
        candidate=row.candidate,
        tree=row.tree,
        conflict=bool(row.conflict),
        unchanged=row.unchanged,
        stale=bool(row.stale),
        problem=problems.read(row.problem),
        gate=row.gate,
        verdict=_verdict(row.verdict),
        review=_is_reviewed(tx, row),
        review_flaky=gate_row is not None and gate_row.flaky == "review",
        trusted=row.trusted,
        accept_refused=row.accept_refused,
    )


def _spec(check: Mapping[str, Any]) -> CheckSpec:
    return CheckSpec(
        command=str(check["command"]),
        reads=str(check.get("reads") or "tree"),
        type=str(check.get("type") or ""),
        limit_s=float(check.get("limit_s") or 300),
    )


def _pending_rows(rows: Iterable[OrderRow]) -> list[OrderRow]:
    return [one for one in rows if one.state in orders.PENDING]


def _pending(rows: Iterable[OrderRow]) -> tuple[OrderFact, ...]:
    return tuple(
        OrderFact(
            id=one.id,
            kind=OrderKind(one.kind),
            key=one.key,
            state=OrderState(one.state),
            run=one.run,
            landing=one.landing,
            new=str(one.inputs.get("new", "")),
        )
        for one in _pending_rows(rows)
    )
