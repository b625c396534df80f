"""Facts of a mission, gathered for its decision: counters and indexed rows, never its tasks one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, func, select

from toryo.domain import planned_tasks
from toryo.domain.ids import OrderId
from toryo.domain.reasons import Reason
from toryo.domain.speckit.documents import open_points
from toryo.domain.words import (
    PLANNER_KINDS,
    Approval,
    MissionStatus,
    OrderKind,
    OrderState,
    Size,
    TaskStatus,
    Verb,
)
from toryo.reconciler.missions.facts import (
    CallState,
    Demand,
    Group,
    Landed,
    MissionFacts,
    PlannerCall,
    PlanVersion,
    Slot,
    TaskCounts,
    TroubledTask,
    count_tasks,
    holds_slot,
)
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.database.rows import LandingRow, OrderRow, TaskRow, VerbRow
from toryo.store.database.schema import IS_PENDING, IS_PLANNED, OF_A_MISSION, ORDER_OF_MISSION, orders, tasks
from toryo.store.database.statements import every
from toryo.store.tables import landings, missions, plans, verbs

_COUNTS = (
    select(tasks.c.status, tasks.c.reason, func.count(), IS_PLANNED.label("planned"))
    .where(tasks.c.mission == bindparam("it"), OF_A_MISSION)
    .group_by(tasks.c.status, tasks.c.reason, IS_PLANNED)
)
_TROUBLED = (
    select(tasks)
    .where(
        tasks.c.mission == bindparam("it"),
        OF_A_MISSION,
        IS_PLANNED,
        tasks.c.status.in_((TaskStatus.FAILED.value, TaskStatus.NEEDS_REVIEW.value)),
    )
    .order_by(tasks.c.seq)
)
_MINE = select(tasks.c.id).where(tasks.c.mission == bindparam("it"), OF_A_MISSION)
_BEGUN = (
    select(func.count())
    .select_from(tasks)
    .where(tasks.c.mission == bindparam("it"), OF_A_MISSION, tasks.c.generation > 0)
)
_UNCLEAN = (
    select(func.count())
    .select_from(orders)
    .where(orders.c.task.in_(_MINE), orders.c.kind == OrderKind.CLEAN.value, IS_PENDING)
)
PAUSES = (Verb.PAUSE, Verb.PAUSE_NOW, Verb.RESUME)
_CALLS = select(orders).where(orders.c.mission == bindparam("it"), ORDER_OF_MISSION).order_by(orders.c.seq)


def gather(
    tx: Tx,
    row: MissionRow,
    *,
    at_once: int,
    has_checks: bool,
    writes_files: bool,
    planner: bool,
    budget_reached: str,
    scanned: bool = True,
    planner_waits: str = "",
    planner_away: bool = False,
    planner_parked: bool = False,
) -> MissionFacts:
    versions = plans.of_mission(tx, row.id)
    newest = versions[-1] if versions else None
    in_force = next((one for one in reversed(versions) if one.made_at is not None), None)
    words = verbs.of_mission(tx, row.id)
    said = [one.verb for one in words]
    paused = next((verb for verb in reversed(said) if verb in PAUSES), "")
    files = landings.of_mission(tx, row.id)
    demand = _demand(row)
    held = demand.affected if demand else ()
    return MissionFacts(
        cancelled=Verb.CANCEL in said,
        paused=paused in (Verb.PAUSE, Verb.PAUSE_NOW),
        paused_now=paused == Verb.PAUSE_NOW,
        stopped=stopped_why(words),
        budget_reached=budget_reached,
        approval=Approval(row.approval),
        plan_only=row.plan_only,
        taken_in=bool(row.taken_from),
        size=Size(row.size) if row.size else Size.NORMAL,
        request=row.request,
        calls=calls_of(tx, row.id),
        scanned=scanned,
        open_questions=sum(
            one.answer is None and planned_tasks.asked_about(one.id) is None
            for one in missions.questions_of(tx, row.id)
        ),
        plan=_version(tx, newest, has_checks=has_checks) if newest else None,
        in_force=_version(tx, in_force, has_checks=has_checks) if in_force else None,
        demand=demand,
        slot=_slot(tx, row, at_once),
        begun=bool(_number(tx, _BEGUN, row.id)),
        tasks=counts_of(tx, row.id),
        troubled=_all_troubled(tx, row.id, held),
        unclean=unclean(tx, row.id),
        writes_files=writes_files,
        spec=_spec_landed(row, files, in_force),
        ticks=landed(files, "ticks", in_force.version if in_force else 0),
        planner=planner,
        planner_waits=planner_waits,
        planner_away=planner_away,
        planner_parked=planner_parked,
    )


def stopped_why(said: Sequence[VerbRow]) -> str:
    """Of a mission with a tree that turns in a circle, until a person says another word; empty: of none."""
    last = next((one for one in reversed(said) if one.verb in PAUSES), None)
    is_stopped = last is not None and (last.verb, last.reason) == (Verb.PAUSE, Reason.TREE_STOPPED)
    return last.note if last is not None and is_stopped else ""


def unclean(tx: Tx, mission: str) -> int:
    """Branches and worktrees that are not retired."""
    return _number(tx, _UNCLEAN, mission)


def calls_of(tx: Tx, mission: str) -> tuple[PlannerCall, ...]:
    problems = {one.order: one.problem for one in missions.calls_of(tx, mission)}
    found = []
    for order in every(tx, OrderRow, _CALLS, it=mission):
        if order.kind in PLANNER_KINDS and order.state != OrderState.WITHDRAWN:
            found.append(
                PlannerCall(
                    purpose=OrderKind(order.kind),
                    request=int(order.inputs["request"]),
                    n=int(order.inputs["n"]),
                    state=_state(order, problems),
                    task=order.task,
                )
            )
    return tuple(found)


def _state(order: OrderRow, problems: dict[OrderId, str]) -> CallState:
    if order.state != OrderState.REPORTED:
        return CallState.OPEN
    return CallState.PROBLEM if problems.get(order.id, "") else CallState.ANSWERED


def _version(tx: Tx, row: PlanRow, *, has_checks: bool) -> PlanVersion:
    asked = any(one.id.startswith(f"V{row.version}P") for one in missions.questions_of(tx, row.mission))
    return PlanVersion(
        version=row.version,
        request=row.request,
        faults=len(row.faults),
        unchecked=_unchecked(row) if row.faults and not has_checks else 0,
        mends=row.mends,
        fatal=sum(bool(one.get("fatal")) for one in row.findings or ()),
        open_points=len(points_of(row)),
        points_asked=asked,
        approved=row.approved_at is not None,
        rejected=row.rejected_at is not None,
        made=row.made_at is not None,
    )


def _unchecked(row: PlanRow) -> int:
    return sum(not (one.get("done") or any(map(str.strip, one.get("checks") or ()))) for one in row.tasks)


def points_of(row: PlanRow) -> tuple[str, ...]:
    """What it leaves open, in its texts or in a task that is still to be done."""
    left = [one for one in row.tasks if not one.get("done")]
    of_tasks = [str(one.get(part) or "") for one in left for part in ("title", "description")]
    return open_points(row.spec, row.plan, *of_tasks)


def _demand(row: MissionRow) -> Demand | None:
    said = row.demand
    if not said:
        return None
    return Demand(
        request=int(said["request"]),
        weighed=bool(said["weighed"]),
        replan=bool(said["replan"]),
        affected=tuple(str(one) for one in said["affected"]),
    )


def _slot(tx: Tx, row: MissionRow, at_once: int) -> Slot:
    holders, ahead = in_front_of(tx, row)
    return Slot(at_once=at_once, holders=len(holders), ahead=len(ahead))


def in_front_of(tx: Tx, row: MissionRow) -> tuple[list[MissionRow], list[MissionRow]]:
    """(those at work in its project, those that were approved before it and wait, too); no tree of units."""
    others = [one for one in missions.live(tx, row.project) if one.id != row.id and not one.root]
    mine = row.approved_at if row.approved_at is not None else float("inf")
    holders = [
        one
        for one in others
        if holds_slot(MissionStatus(one.status), one.reason, missions.live_runs(tx, one.id))
    ]
    ahead = [
        one
        for one in others
        if one.status == MissionStatus.QUEUED
        and one.approved_at is not None
        and (one.approved_at, one.seq) < (mine, row.seq)
    ]
    return holders, ahead


def counts_of(tx: Tx, mission: str) -> TaskCounts:
    found = tx.conn.execute(_COUNTS, {"it": mission})
    groups: list[Group] = []
    below: list[Group] = []
    for status, reason, number, is_planned in found:
        (groups if is_planned else below).append((TaskStatus(status), str(reason), int(number)))
    given_up = sum(
        number
        for status, reason, number in groups
        if status is TaskStatus.FAILED and reason == Reason.REJECTED.value
    )
    dismissed = sum(
        any(verb.verb == Verb.DISMISS for verb in verbs.of_task(tx, one.id))
        for one in every(tx, TaskRow, _TROUBLED, it=mission)
        if one.status == TaskStatus.FAILED and one.reason != Reason.REJECTED.value
    )
    live_runs = missions.live_runs(tx, mission)
    return count_tasks(groups, below, given_up=given_up + dismissed, live_runs=live_runs)


def _all_troubled(tx: Tx, mission: str, held: tuple[str, ...]) -> tuple[TroubledTask, ...]:
    found = (_troubled(tx, one, held) for one in every(tx, TaskRow, _TROUBLED, it=mission))
    return tuple(one for one in found if one is not None)


def _troubled(tx: Tx, row: TaskRow, held: tuple[str, ...]) -> TroubledTask | None:
    """None: it was retried a moment ago. Its status is a cache, and still that of the attempt before."""
    words = verbs.of_task(tx, row.id)
    said = [one.verb for one in words]
    attempt = 1 + sum(verb == Verb.RETRY for verb in said)
    last = said[-1] if said else ""
    if last == Verb.RETRY and words[-1].generation == row.generation:
        return None
    return TroubledTask(
        id=row.id,
        status=TaskStatus(row.status),
        reason=row.reason,
        attempt=attempt,
        given_up=last in (Verb.REJECT, Verb.DISMISS),
        held=row.planned in held,
    )


def landed(files: Sequence[LandingRow], what: str, version: int) -> Landed:
    """How far the landing of the mission's files for that version is; `what` is `spec` or `ticks`."""
    mine = [one for one in files if one.key == f"{what}/{version}"]
    if not mine:
        return Landed.NO
    last = mine[-1]
    if last.published_at is not None:
        return Landed.DONE
    stuck = last.ended not in ("", "landed", "stale")
    return Landed.STUCK if stuck else Landed.OPEN


def _spec_landed(row: MissionRow, files: Sequence[LandingRow], in_force: PlanRow | None) -> Landed:
    """What was taken in lies on the branch already."""
    if in_force is not None and row.taken_from and in_force.tasks_text:
        return Landed.DONE
    return landed(files, "spec", in_force.version if in_force else 0)


def _number(tx: Tx, statement: Any, mission: str) -> int:
    return int(prepared.value(tx.conn, statement, {"it": mission}) or 0)
