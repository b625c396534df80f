"""What is going on, on one page; and what is wrong, with the line to type."""

from __future__ import annotations

from typing import Any

from toryo.domain.times import iso
from toryo.domain.words import Outcome, TaskStatus
from toryo.store import agents, coordinators, events, facts, projects, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import CoordinatorRow
from toryo.usecases.context import HeadContext
from toryo.usecases.finding import the_project, the_task
from toryo.usecases.projects import body_of
from toryo.usecases.tasks import task_line

PAGE = 20


def get_status(context: HeadContext, project: str, path: str) -> dict[str, Any]:
    with context.store.read() as tx:
        chosen = the_project(tx, project, path).id if project or path else None
        counts = {status.value: 0 for status in TaskStatus} | tasks.counts(tx, chosen)
        moving = (TaskStatus.RUNNING, TaskStatus.VERIFYING, TaskStatus.LANDING)
        return {
            "success": True,
            "counts": counts,
            "daemon": {
                "pid": context.pid,
                "version": context.version,
                "uptime_s": round(context.clock() - context.started_at, 3),
                "home": str(context.home.path),
            },
            "coordinators": [_coordinator(tx, row) for row in coordinators.listing(tx)],
            "agents": [_agent(tx, row.id, row.client, row.slots, row.status) for row in agents.listing(tx)],
            "projects": [body_of(tx, row) for row in projects.listing(tx) if chosen in (None, row.id)],
            "moving": [
                task_line(row)
                for status in moving
                for row in tasks.page(tx, project=chosen, status=status, limit=PAGE)
            ],
            "needs_you": _needs_you(tx, chosen),
        }


def _coordinator(tx: Tx, row: CoordinatorRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "machine": row.machine,
        "pid": row.pid,
        "incarnation": row.incarnation,
        "live": row.incarnation > 0 and not row.unseen,
        "seen_at": iso(row.seen_at),
        "clients": dict(row.clients),
        "runs": [run.id for run in runs.live_of_coordinator(tx, row.id)],
    }


def _agent(tx: Tx, agent: str, client: str, slots: int, status: str) -> dict[str, Any]:
    busy = [run.id for project in projects.listing(tx) for run in runs.live_of_pair(tx, agent, project.id)]
    return {"id": agent, "client": client or None, "slots": slots, "status": status, "runs": busy}


def _needs_you(tx: Tx, project: str | None) -> list[dict[str, Any]]:
    """Everything that waits for a person, each with the line to type."""
    found = []
    for row in tasks.page(tx, project=project, status=TaskStatus.NEEDS_REVIEW, limit=PAGE):
        found.append(_wish(row.id, f"{row.reason}: {row.detail}", f"toryo task show {row.id}"))
    for row in tasks.page(tx, project=project, status=TaskStatus.BLOCKED, limit=200):
        if row.reason in ("no_client", "no_agent", "agent_disabled"):
            found.append(_wish(row.id, row.reason, row.detail.removeprefix("type: ")))
        elif row.reason in ("base_red", "base_could_not_run"):
            found.append(_wish(row.id, row.detail, f"toryo task retry {row.id}"))
    for row in tasks.page(tx, project=project, status=TaskStatus.RUNNING, limit=200):
        if row.reason == Outcome.UNKNOWN:
            found.append(_wish(row.id, "its machine does not answer", row.detail))
    for row in tasks.page(tx, project=project, status=TaskStatus.LANDING, limit=PAGE):
        if row.reason == "waiting_for_checkout":
            found.append(_wish(row.id, row.detail, "commit, stash or move those files in your checkout"))
    return found[: 2 * PAGE]


def _wish(task: str, why: str, command: str) -> dict[str, Any]:
    return {"task": task, "why": why, "type": command}


def list_events(
    context: HeadContext, after: int, limit: int, project: str, task: str
) -> tuple[bool, dict[str, Any]]:
    with context.store.read() as tx:
        oldest = events.oldest(tx) or 0
        project_id = the_project(tx, project).id if project else None
        rows = events.after(
            tx, after, limit, project=project_id, task=the_task(tx, task).id if task else None
        )
        newest = events.newest(tx) or 0
    listed = [
        {
            "seq": row.seq,
            "at": iso(row.at),
            "kind": row.kind,
            "project": row.project or None,
            "task": row.task or None,
            "run": row.run or None,
            "body": dict(row.body),
        }
        for row in rows
    ]
    body = {
        "success": True,
        "events": listed,
        "next_after": listed[-1]["seq"] if listed else max(after, 0),
        "newest": newest,
        "resync": bool(after and oldest and after + 1 < oldest),
    }
    return bool(listed), body


def doctor(context: HeadContext) -> dict[str, Any]:
    """Findings, worst first; an empty list is a healthy house."""
    findings: list[dict[str, str]] = []
    with context.store.read() as tx:
        listed = coordinators.listing(tx)
        if not any(row.incarnation and not row.unseen for row in listed):
            findings.append(_finding("error", "no coordinator answers", "toryo up"))
        for row in projects.listing(tx):
            if row.settings_problem:
                findings.append(
                    _finding("error", f"{row.name}: {row.settings_problem}", "mend .toryo/config.yaml")
                )
            if row.settings_from == "working copy":
                findings.append(
                    _finding("note", f"{row.name}: settings: uncommitted", "git add .toryo && git commit")
                )
            for target in projects.targets_of(tx, row.id):
                if target.stopped:
                    why = f"{row.name}: nothing lands on {target.name}: {target.stopped}"
                    findings.append(_finding("error", why, "see docs/howto/recovery.md"))
        for fact in facts.with_standing(tx, "orphan", 20):
            findings.append(_finding("warning", f"orphan fact {fact.kind} (order {fact.order or '-'})", ""))
        for fact in facts.with_standing(tx, "late", 20):
            findings.append(_finding("note", f"late fact {fact.kind} of run {fact.run or '-'}", ""))
        for agent in agents.listing(tx):
            if not agent.client:
                line = f"toryo agent add {agent.id} --client command --command 'sh agent.sh {{prompt_file}}'"
                findings.append(_finding("warning", f"the agent {agent.id} has no client", line))
        clients = {name: path for row in listed if not row.unseen for name, path in row.clients.items()}
    if context.store.recovered:
        findings.append(_finding("warning", context.store.recovered, ""))
    isolation = "agents run under your own uid: scopes and gates hold against mistakes, not against malice"
    return {"success": True, "findings": findings, "clients": clients, "isolation": isolation}


def _finding(level: str, what: str, hint: str) -> dict[str, str]:
    return {"level": level, "what": what, "hint": hint}
