"""Tasks as people and outside orchestrators read them: lists, one task, and the long poll of `task wait`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toryo.domain.actions import lines
from toryo.domain.errors import UserError
from toryo.domain.times import iso
from toryo.domain.words import OUTSIDE_STATUS, TaskStatus, is_at_rest
from toryo.engine import attention
from toryo.engine.actions import shown
from toryo.engine.claim_view import claim_body
from toryo.engine.context import HeadContext
from toryo.engine.evidence import run_facts, verbs_said
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import task_steps
from toryo.store.tables import claims, runs, tasks, verbs
from toryo.usecases.finding import the_project, the_task
from toryo.usecases.runs.claim import priority_word
from toryo.usecases.tasks import waits_for
from toryo.usecases.tasks.changes import changed_files, running_check


def task_line(row: TaskRow, verdict: str = "") -> views.TaskLine:
    """A task in a list; `verdict` is the one on what landed of it."""
    return {
        "id": row.id,
        "seq": row.seq,
        "project": row.project,
        "title": row.title,
        "type": row.type,
        "priority": priority_word(row.priority),
        "agent": row.agent,
        "parent": row.parent or None,
        "unit": row.unit or None,
        "mission": row.mission or None,
        "status": row.status,
        "outside_status": OUTSIDE_STATUS[TaskStatus(row.status)],
        "reason": row.reason,
        "detail": row.detail,
        "verdict": verdict if row.status == TaskStatus.DONE and verdict else None,
        "at_rest": is_at_rest(TaskStatus(row.status), row.reason),
        "branch": row.branch,
        "target_branch": row.target,
        "created_at": iso(row.created_at),
        "changed_at": iso(row.changed_at),
    }


def list_tasks(
    context: HeadContext, project: str, path: str, status: str, parent: str, limit: int, after_seq: int
) -> views.ListedTasks:
    if status and status not in set(TaskStatus):
        raise UserError(f"There is no status {status!r}.", hint=f"One of: {', '.join(TaskStatus)}.")
    with context.store.read() as tx:
        found = the_project(tx, project, path).id if project or path else None
        of = the_task(tx, parent).id if parent else None
        rows = tasks.page(
            tx, project=found, status=status or None, parent=of, after_seq=after_seq, limit=limit + 1
        )
        listed = rows[:limit]
        lines = _lines(tx, listed)
    return {
        "success": True,
        "tasks": lines,
        "more": len(rows) > limit,
        "next_after": listed[-1].seq if listed else after_seq,
    }


def recent_tasks(context: HeadContext, project: str, path: str, most: int) -> views.ListedTasks:
    """For who looks at everything that is under way and at what was lately."""
    with context.store.read() as tx:
        found = the_project(tx, project, path).id if project or path else None
        rows = tasks.recent(tx, project=found, most=most)
        lines = _lines(tx, rows)
    return {
        "success": True,
        "tasks": lines,
        "more": False,
        "next_after": rows[-1].seq if rows else 0,
    }


def _lines(tx: Tx, rows: Sequence[TaskRow]) -> list[views.ListedTask]:
    verdicts = task_steps.verdicts(tx, [row.id for row in rows if row.status == TaskStatus.DONE])
    needed = task_steps.needs_of(tx, [row.id for row in rows])
    return [
        {**task_line(row, verdicts.get(row.id, "")), "dependencies": needed.get(row.id, [])} for row in rows
    ]


def show_task(context: HeadContext, text: str) -> dict[str, Any]:
    with context.store.read() as tx:
        row = the_task(tx, text)
        waits = waits_for.of_task(context, tx, row)
        offered = attention.actions_of(tx, row)
        body = task_line(row, task_steps.verdicts(tx, [row.id]).get(row.id, "")) | {
            "description": row.description,
            "write": row.write,
            "checks": list(row.checks),
            "timeout_s": row.timeout_s,
            "held": row.held,
            "dismissed": attention.is_dismissed(verbs.of_task(tx, row.id)),
            "worktree": row.worktree,
            "base_commit": row.base_commit,
            # before its target moved it has not landed: the tip is ours, the branch is the person's
            "landed_commit": row.landed_commit if row.status == TaskStatus.DONE else None,
            "accepted_commit": row.landed_commit or None,
            "waiting_for": waits["what"] if waits else None,
            "waits_for": waits,
            "next": list(lines(offered)),
            "actions": [shown(one) for one in offered],
            "next_purpose": row.next_purpose or None,
            "changed_files": changed_files(tx, row.id),
            "checking": running_check(tx, row),
            "dependencies": tasks.needs_of(tx, row.id),
            "children": [_child(one) for one in tasks.children_of(tx, row.id)],
            "claims": [claim_body(claim) for claim in claims.of_task(tx, row.id)],
            "verbs": verbs_said(tx, row.id),
            "runs": [run_facts(tx, run) for run in runs.of_task(tx, row.id)],
        }
    return {"success": True, "task": body}


def _child(row: TaskRow) -> dict[str, Any]:
    line = task_line(row)
    return {name: line[name] for name in ("id", "title", "agent", "status", "reason", "at_rest")}


def _rests(row: TaskRow) -> bool:
    return is_at_rest(TaskStatus(row.status), row.reason)


def _awaited(tx: Tx, row: TaskRow) -> views.AwaitedTask:
    rests = _rests(row)
    return {
        "id": row.id,
        "title": row.title,
        "status": row.status,
        "reason": row.reason,
        "detail": row.detail,
        "at_rest": rests,
        "needs_you": None if rests else attention.behind(tx, row),
    }


def waiting_for(
    context: HeadContext, texts: Sequence[str], seen: dict[str, str]
) -> tuple[bool, views.AwaitedTasks]:
    """For the long poll of `task wait`: final when all rest, or when any differs from what was seen."""
    with context.store.read() as tx:
        rows = [the_task(tx, text) for text in texts]
        listed = [_awaited(tx, row) for row in rows]
    rest = all(one["at_rest"] for one in listed)
    changed = bool(seen) and any(seen.get(row.id) != f"{row.status}:{row.reason}" for row in rows)
    return rest or changed, {"success": True, "tasks": listed, "all_at_rest": rest}


def waiting_for_one(
    context: HeadContext, text: str, needed: views.NeedsPerson | None
) -> tuple[bool, views.AwaitedOne]:
    """For the long poll of `wait_task`: final at rest, or when it needs a person otherwise than before."""
    with context.store.read() as tx:
        row = the_task(tx, text)
        task = _awaited(tx, row)
        needs = attention.behind(tx, row)
    comes_to_need = needs is not None and _need(needs) != _need(needed)
    return task["at_rest"] or comes_to_need, {"success": True, **task, "needs_you": needs}


def _need(needs: views.NeedsPerson | None) -> tuple[str, ...]:
    """Without its counts, which change by themselves."""
    return (needs["subject"], needs["status"], needs["reason"]) if needs else ()
