"""Missions for people: lists, one whole mission with its conversation and plan, and waiting for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain import subjects
from toryo.domain.reasons import Turn, meaning
from toryo.domain.times import iso
from toryo.domain.words import MISSION_ENDED, MissionStatus
from toryo.engine.actions import shown
from toryo.engine.context import HeadContext
from toryo.engine.missions import budgets
from toryo.engine.missions.files import artefacts, exported, writes_files
from toryo.engine.next_task import at_once
from toryo.protocol.views import missions as views
from toryo.reconciler.missions.actions import mission_actions
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.database.rows import TaskRow
from toryo.store.tables import marks, missions, plans, projects, runs
from toryo.usecases.finding import project_at, the_mission


def list_missions(
    context: HeadContext, project: str, path: str, status: str, limit: int, after_seq: int
) -> views.ListedMissions:
    with context.store.read() as tx:
        row = project_at(tx, project, path)
        found = missions.page(
            tx,
            project=row.id if row else None,
            status=status or None,
            after_seq=after_seq,
            limit=limit + 1,
        )
        names = {one.id: one.name for one in projects.listing(tx)}
    page = found[:limit]
    return {
        "success": True,
        "missions": [line(one, names.get(one.project, "")) for one in page],
        "more": len(found) > limit,
        "next_after": page[-1].seq if page else after_seq,
    }


def show_mission(context: HeadContext, text: str) -> views.OneMission:
    with context.store.read() as tx:
        return {"success": True, "mission": whole(context, tx, the_mission(tx, text))}


def waited_for(
    context: HeadContext, text: str, seen: str
) -> tuple[bool, tuple[str, str, views.AwaitedMission]]:
    """Whether there is something new since `seen`, and its id and state with the answer."""
    with context.store.read() as tx:
        row = the_mission(tx, text)
        settled = not marks.is_marked(tx, subjects.mission(row.id))
        now = f"{row.status}:{row.reason}:{missions.last_message(tx, row.id)}"
        rests = settled and is_at_rest(row)
        answer: views.AwaitedMission = {
            "success": True,
            "mission": whole(context, tx, row),
            "at_rest": rests,
        }
    return rests or (bool(seen) and now != seen), (row.id, now, answer)


def is_at_rest(row: MissionRow) -> bool:
    """Ended, or nothing comes unless a person acts."""
    status = MissionStatus(row.status)
    if status in MISSION_ENDED or status in (MissionStatus.AWAITING_APPROVAL, MissionStatus.PAUSED):
        return True
    return turn_of(row) is Turn.PERSON


def turn_of(row: MissionRow) -> Turn:
    """Who moves it on."""
    return meaning(row.reason).turn or Turn.TORYO


def line(row: MissionRow, project_name: str) -> views.MissionLine:
    return {
        "id": row.id,
        "seq": row.seq,
        "project": row.project,
        "project_name": project_name,
        "title": row.title,
        "status": row.status,
        "reason": row.reason,
        "detail": row.detail,
        "target": row.target,
        "created_at": iso(row.created_at),
        "changed_at": iso(row.changed_at),
    }


def whole(context: HeadContext, tx: Tx, row: MissionRow) -> views.MissionView:
    project = projects.get(tx, row.project)
    assert project is not None  # missions have a foreign key to it
    plan = plans.newest(tx, row.id)
    spent = budgets.spent(tx, row.id)
    return {
        **line(row, project.name),
        "text": row.text,
        "size": row.size or None,
        "approval": row.approval,
        "plan_only": row.plan_only,
        "follows": row.follows or None,
        "spec": row.spec_dir if writes_files(project, row) else None,
        "parallelism": at_once(tx, row) or (plan.parallelism if plan and not row.root else 0),
        "budget": budgets.limits(context, project, row),
        "usage": budgets.usage_view(spent.planner),
        "usage_of_agents": budgets.usage_of_agents_view(spent),
        "questions": [
            {
                "id": one.id,
                "text": one.text,
                "options": list(one.options),
                "default": one.default,
                "answer": one.answer,
            }
            for one in missions.questions_of(tx, row.id)
        ],
        "plan": _plan(tx, row, plan) if plan else None,
        "messages": [
            {"id": one.id, "seq": one.seq, "who": one.who, "text": one.text, "at": iso(one.at)}
            for one in missions.messages_of(tx, row.id)
        ],
        "actions": [shown(one) for one in mission_actions(row.id, row.status, row.reason)],
    }


def _plan(tx: Tx, row: MissionRow, plan: PlanRow) -> views.PlanView:
    made = {one.planned: one for one in missions.planned_of(tx, row.id) if one.status != "cancelled"}
    return {
        "version": plan.version,
        "spec": plan.spec,
        "plan": plan.plan,
        "parallelism": 0 if row.root else plan.parallelism,
        "tasks": [_planned(tx, one, made.get(str(one["id"]))) for one in plan.tasks],
        "faults": list(plan.faults),
        "notes": list(plan.notes),
        "findings": [
            {"where": str(one["where"]), "text": str(one["text"]), "fatal": bool(one["fatal"])}
            for one in plan.findings or ()
        ],
        "approved_at": iso(plan.approved_at),
        "rejected": plan.rejection if plan.rejected_at is not None else None,
    }


def _planned(tx: Tx, one: Mapping[str, Any], task: TaskRow | None) -> views.PlannedTaskView:
    return {
        "id": str(one["id"]),
        "task": task.id if task else None,
        "title": str(one["title"]),
        "description": str(one.get("description") or ""),
        "status": task.status if task else ("done" if one.get("done") else None),
        "reason": task.reason if task else "",
        "detail": task.detail if task else "",
        "depends_on": [str(id) for id in one.get("depends_on") or ()],
        "write": list(one["write"]) if one.get("write") is not None else None,
        "touched": _touched(tx, task) if task else [],
        "checks": list(one.get("checks") or ()),
        "agent": one.get("agent"),
        "worktree": str(one.get("worktree") or "new"),
        "unit": bool(one.get("unit")),
        "story": one.get("story"),
    }


def _touched(tx: Tx, task: TaskRow) -> list[str]:
    """Paths that what landed of it changed: to be compared with what was predicted."""
    if not task.landed_commit:
        return []
    past = [one for one in runs.of_task(tx, task.id) if one.collected]
    return [str(path) for path in (past[-1].collected or {}).get("changed_files", ())] if past else []


def export_mission(context: HeadContext, text: str) -> views.ExportedMission:
    """The files of its newest plan, as its landing would write them."""
    with context.store.read() as tx:
        row = the_mission(tx, text)
        project = projects.get(tx, row.project)
        plan = plans.newest(tx, row.id)
        hashes = exported(tx, row)
    files = artefacts(row, plan) if plan and project else []
    return {
        "success": True,
        "mission": row.id,
        "directory": row.spec_dir,
        "files": [{"path": path, "text": content, "hashes": hashes[path]} for path, content in files],
    }
