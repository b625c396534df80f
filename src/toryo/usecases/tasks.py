"""Tasks as people and outside orchestrators handle them: add, list, show, wait, and the verbs about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toryo.domain.errors import Refused, UserError
from toryo.domain.scopes import problem_of
from toryo.domain.times import iso
from toryo.domain.words import (
    OUTSIDE_STATUS,
    PRIORITY_RANK,
    OrderKind,
    OrderState,
    Priority,
    TaskStatus,
    Verb,
    is_at_rest,
)
from toryo.protocol.models import AcceptInputs
from toryo.reconciler.decisions import OrderWish
from toryo.reconciler.subjects import DROPPED, UNWANTED
from toryo.store import agents, claims, landings, meta, orders, projects, runs, tasks, texts
from toryo.store.engine import Tx
from toryo.store.rows import ProjectRow, TaskRow, VerbRow
from toryo.usecases import needs, settings_problems
from toryo.usecases.changes import changed_files, running_check
from toryo.usecases.claim_run import priority_word
from toryo.usecases.context import HeadContext
from toryo.usecases.default_agents import default_agent
from toryo.usecases.drain_task import withdraw_landing
from toryo.usecases.evidence import run_facts, verbs_said
from toryo.usecases.finding import the_agent, the_project, the_task
from toryo.usecases.ids import new_id
from toryo.usecases.ordering import hub, insert, insert_wish
from toryo.usecases.parking import end_waiting, waits_for
from toryo.usecases.picking import pick
from toryo.usecases.project_settings import settings_of

LONGEST_TITLE = 500
APPROVABLE = (
    "claimed_failed",
    "claimed_blocked",
    "scope_violation",
    "no_change",
    "outside_run",
    "could_not_run",
    "flaky",
    "problem",
    "usage_limit",
    "outage",
)
"""What a person's yes can set going again; everything else is retried or rejected."""
LONGEST_DESCRIPTION = 200_000


@dataclass(frozen=True)
class NewTask:
    title: str
    project: str = ""
    path: str = ""
    description: str = ""
    type: str = "task"
    priority: Priority = Priority.MEDIUM
    agent: str = ""
    after: tuple[str, ...] = ()
    parent: str = ""
    write: tuple[str, ...] | None = None
    checks: tuple[str, ...] = ()
    timeout_s: float | None = None
    held: bool = False


def add_task(context: HeadContext, wish: NewTask) -> dict[str, Any]:
    title = " ".join(wish.title.split())
    if not title:
        raise UserError("A task needs a title.", hint='Type: toryo task add "what is wanted"')
    if len(title) > LONGEST_TITLE or len(wish.description) > LONGEST_DESCRIPTION:
        raise UserError(
            "The title or the description is too long.", hint="Put details into a file of the project."
        )
    look_over(wish.write, wish.checks)
    with context.store.change() as tx:
        project = the_project(tx, wish.project, wish.path)
        if project.status != "active":
            raise Refused(f"The project {project.name} is archived.", hint="Type: toryo project activate")
        row = TaskRow(
            id=new_id("t"),
            project=project.id,
            agent=assigned_agent(tx, project, wish.agent) if wish.agent else default_agent(tx, project),
            title=title,
            description=wish.description,
            type=wish.type,
            priority=PRIORITY_RANK[wish.priority],
            parent=the_task(tx, wish.parent).id if wish.parent else "",
            write=None if wish.write is None else list(wish.write),
            checks=list(wish.checks),
            timeout_s=wish.timeout_s or settings_of(project.settings).runs.timeout,
            held=wish.held,
            target=project.base,
            created_at=tx.now,
        )
        texts.put(tx, title)  # for the message of its landing
        tasks.insert(tx, row, [the_task(tx, one).id for one in wish.after])
        tx.emit("task_added", {"title": title[:200]}, project=project.id, task=row.id)
        tx.mark(f"task:{row.id}")
    wrong = settings_problems.told(context, project)
    notes = [f"{wrong['what']} ({wrong['type']})"] if wrong else []
    return {"success": True, "id": row.id, "project": project.id, "title": title, "notes": notes}


def look_over(write: Sequence[str] | None, checks: Sequence[str] | None) -> None:
    """Refuses patterns and commands that cannot be meant."""
    for pattern in write or ():
        problem = problem_of(pattern)
        if problem:
            raise UserError(f"--write: {problem}.", hint="For example --write 'src/**'.")
    if any(not check.strip() for check in checks or ()):
        raise UserError("--check: an empty command checks nothing.", hint="Leave it out, or name a command.")


def assigned_agent(tx: Tx, project: ProjectRow, name: str) -> str:
    """That agent's id, if it works there: nobody else would ever be started for the project."""
    agent = the_agent(tx, name, project.id)
    if agent.id not in {one.id for one in projects.agents_of(tx, project.id)}:
        raise UserError(
            f"The agent {agent.id} does not work in {project.name}.", hint=f"toryo agent assign {agent.id}"
        )
    return agent.id


def task_line(row: TaskRow) -> dict[str, Any]:
    """A task in a list."""
    return {
        "id": row.id,
        "seq": row.seq,
        "project": row.project,
        "title": row.title,
        "type": row.type,
        "priority": priority_word(row.priority),
        "agent": row.agent,
        "parent": row.parent or None,
        "status": row.status,
        "outside_status": OUTSIDE_STATUS[TaskStatus(row.status)],
        "reason": row.reason,
        "detail": row.detail,
        "at_rest": is_at_rest(TaskStatus(row.status), row.reason),
        "branch": row.branch,
        "target_branch": row.target,
        "created_at": iso(row.created_at),
        "changed_at": iso(row.changed_at),
    }


def list_tasks(
    context: HeadContext, project: str, path: str, status: str, limit: int, after_seq: int
) -> dict[str, Any]:
    if status and status not in set(TaskStatus):
        raise UserError(f"There is no status {status!r}.", hint=f"One of: {', '.join(TaskStatus)}.")
    with context.store.read() as tx:
        found = the_project(tx, project, path).id if project or path else None
        rows = tasks.page(tx, project=found, status=status or None, after_seq=after_seq, limit=limit + 1)
    listed = rows[:limit]
    return {
        "success": True,
        "tasks": [task_line(row) for row in listed],
        "more": len(rows) > limit,
        "next_after": listed[-1].seq if listed else after_seq,
    }


def show_task(context: HeadContext, text: str) -> dict[str, Any]:
    with context.store.read() as tx:
        row = the_task(tx, text)
        waiting = ""
        if row.status == TaskStatus.READY:
            waiting = pick(tx, row.agent, row.project).waiting_for
        body = task_line(row) | {
            "description": row.description,
            "write": row.write,
            "checks": list(row.checks),
            "timeout_s": row.timeout_s,
            "held": row.held,
            "worktree": row.worktree,
            "base_commit": row.base_commit,
            # before its target moved it has not landed: the tip is ours, the branch is the person's
            "landed_commit": row.landed_commit if row.status == TaskStatus.DONE else None,
            "accepted_commit": row.landed_commit or None,
            "waiting_for": waiting or None,
            "next": list(needs.lines(tx, row)),
            "next_purpose": row.next_purpose or None,
            "changed_files": changed_files(tx, row.id),
            "checking": running_check(tx, row),
            "dependencies": tasks.needs_of(tx, row.id),
            "claims": [
                {
                    "run": claim.run,
                    "kind": claim.kind,
                    "result": claim.result,
                    "summary": claim.summary,
                    "next_steps": claim.next_steps,
                    "late": claim.late,
                    "at": iso(claim.at),
                }
                for claim in claims.of_task(tx, row.id)
            ],
            "verbs": verbs_said(tx, row.id),
            "runs": [run_facts(tx, run) for run in runs.of_task(tx, row.id)],
        }
    return {"success": True, "task": body}


def _rests(row: TaskRow) -> bool:
    return is_at_rest(TaskStatus(row.status), row.reason)


def waiting_for(
    context: HeadContext, texts: Sequence[str], seen: dict[str, str]
) -> tuple[bool, dict[str, Any]]:
    """For the long poll of `task wait`: final when all rest, or when any differs from what was seen."""
    with context.store.read() as tx:
        rows = [the_task(tx, text) for text in texts]
        behind = {row.id: needs.behind(tx, row) for row in rows if not _rests(row)}
    listed = [
        {
            "id": row.id,
            "title": row.title,
            "status": row.status,
            "reason": row.reason,
            "detail": row.detail,
            "at_rest": _rests(row),
            "needs_you": behind.get(row.id),
        }
        for row in rows
    ]
    rest = all(one["at_rest"] for one in listed)
    changed = bool(seen) and any(seen.get(row.id) != f"{row.status}:{row.reason}" for row in rows)
    return rest or changed, {"success": True, "tasks": listed, "all_at_rest": rest}


def say(context: HeadContext, verb: Verb, text: str, note: str) -> dict[str, Any]:
    with context.store.change() as tx:
        row = the_task(tx, text)
        chosen = said(tx, row, verb, note)
    return {"success": True, "id": row.id, "said": chosen}


def said(tx: Tx, row: TaskRow, verb: Verb, note: str = "") -> Verb:
    """A person's verb is a fact; what follows from it is decided by the reconciler."""
    is_answer = verb is Verb.RETRY and row.reason == "asked" and note.strip()
    chosen = _chosen(tx, row, Verb.ANSWER if is_answer else verb)
    newest = landings.newest_seq_of_task(tx, row.id)
    fact = VerbRow(
        task=row.id,
        verb=chosen,
        generation=row.generation,
        landing_seq=newest,
        reason=row.reason,
        note=note,
        at=tx.now,
    )
    tasks.add_verb(tx, fact)
    tx.emit(f"task_{chosen}", {"reason": row.reason, "note": note[:500]}, project=row.project, task=row.id)
    if chosen is Verb.RETRY:
        _start_over(tx, row)
    tx.mark(f"task:{row.id}")
    return chosen


def _chosen(tx: Tx, row: TaskRow, verb: Verb) -> Verb:
    """Whether that can be said now; approving a held task releases it."""
    status = TaskStatus(row.status)
    landed = bool(row.landed_commit)
    stuck = row.reason.startswith("base_") or row.reason == "publish_failed"
    match verb:
        case Verb.CANCEL | Verb.REJECT if landed and status is not TaskStatus.DONE:
            _take_off(tx, row)
        case Verb.CANCEL if status in (TaskStatus.DONE, TaskStatus.CANCELLED):
            raise Refused(f"{row.id} is {status}: there is nothing to cancel.", hint=_hint(row))
        case Verb.RETRY if row.reason == "tip_missing":
            _put_tip_back(tx, row)
            return Verb.RELEASE
        case Verb.RETRY if stuck:
            _try_target_again(tx, row)
            return Verb.RELEASE  # a word about the target, not about the task's own work
        case Verb.RETRY if status is TaskStatus.READY and _waits_for_account(tx, row):
            end_waiting(tx, *_account(tx, row))
            return Verb.RELEASE  # a word about the account, not about the task's own work
        case Verb.RETRY if landed or status not in (
            TaskStatus.FAILED,
            TaskStatus.NEEDS_REVIEW,
            TaskStatus.CANCELLED,
        ):
            raise Refused(
                f"{row.id} is {status}: only failed, cancelled or reviewed work is retried.", hint=_hint(row)
            )
        case Verb.RETRY if any(run.live for run in runs.of_task(tx, row.id)):
            raise Refused(f"A run of {row.id} has not ended.", hint="Wait, or `toryo run stop` it.")
        case Verb.RETRY if _is_accepting(tx, row):
            raise Refused(f"{row.id} is being accepted just now.", hint=_hint(row))
        case Verb.APPROVE | Verb.RELEASE if status is TaskStatus.OPEN:
            return Verb.RELEASE
        case Verb.APPROVE if row.reason.startswith("base_") or row.reason == "target_rewound":
            _trust_base(tx, row)
            return Verb.RELEASE
        case Verb.APPROVE if status in _OVER and _is_rewound(tx, row):
            _trust_base(tx, row)
            return Verb.RELEASE  # a word about the target, for which any of its tasks stands
        case Verb.APPROVE if row.reason == "foreign_move":
            _put_tip_back(tx, row)
            return Verb.RELEASE
        case Verb.APPROVE if status is TaskStatus.NEEDS_REVIEW and row.reason in ("usage_limit", "outage"):
            end_waiting(tx, *_account(tx, row))
        case Verb.APPROVE if status is TaskStatus.NEEDS_REVIEW and row.reason not in APPROVABLE:
            raise Refused(
                f"{row.id}: {row.reason} leaves nothing to approve.", hint=f"toryo task retry {row.id}"
            )
        case Verb.REJECT if status is TaskStatus.OPEN:
            return Verb.CANCEL
        case Verb.REJECT if landed:
            raise Refused(
                f"{row.id} is on {row.target} already: there is nothing to reject.", hint=_hint(row)
            )
        case Verb.APPROVE | Verb.REJECT if status is not TaskStatus.NEEDS_REVIEW:
            raise Refused(f"{row.id} is {status}: it waits for nobody.", hint=_hint(row))
    return verb


def _take_off(tx: Tx, row: TaskRow) -> None:
    """It was accepted and is not on the branch yet: the tip goes back to where the branch stands, and what
    else was accepted lands anew. The work itself is kept."""
    for landing in landings.of_task(tx, row.id):
        if landing.accepted_at is not None and landing.published_at is None and landing.ended != DROPPED:
            landings.update(tx, landing.id, ended=UNWANTED)
    tx.mark(f"queue:{row.project}/{row.target}")


_OVER = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)


def _is_rewound(tx: Tx, row: TaskRow) -> bool:
    target = projects.target(tx, row.project, row.target)
    return target is not None and target.stopped == "target_rewound"


def _account(tx: Tx, row: TaskRow) -> tuple[str, str]:
    """(machine, client) of the task's next run."""
    project, agent = projects.get(tx, row.project), agents.get(tx, row.agent, row.project)
    return project.machine if project else "", agent.client if agent else ""


def _waits_for_account(tx: Tx, row: TaskRow) -> bool:
    return bool(waits_for(tx, *_account(tx, row)))


def _is_accepting(tx: Tx, row: TaskRow) -> bool:
    """Whether somebody was told to move the tip to its work: from then on the ref decides."""
    return any(
        one.kind == OrderKind.ACCEPT and one.state == OrderState.TAKEN
        for one in orders.pending_of_task(tx, row.project, row.id)
    )


def _hint(row: TaskRow) -> str:
    return f"See `toryo task show {row.id}`."


def _trust_base(tx: Tx, row: TaskRow) -> None:
    """A person takes the red base as it is: work may start from it."""
    target = projects.target(tx, row.project, row.target)
    if target:
        following = target.seen_relation in ("ahead", "diverged") or not target.seen_contains_published
        tree = target.seen_tree if following or not target.tip else target.tip_tree
        projects.update_target(tx, row.project, row.target, trusted_tree=tree)
        tx.mark(f"queue:{row.project}/{row.target}")
        tasks.mark_of_target(tx, row.project, row.target)


def _try_target_again(tx: Tx, row: TaskRow) -> None:
    """Check the base, follow the branch or publish once more: what stood in the way may be mended."""
    known: dict[str, Any] = {"retry_at": 0, "waiting": [], "waiting_why": ""}
    if row.reason.startswith("base_"):
        known["tip_gate"] = ""
    projects.update_target(tx, row.project, row.target, **known)
    landings.forget_follows(tx, row.project, row.target)
    tasks.mark_of_target(tx, row.project, row.target)
    tx.mark(f"queue:{row.project}/{row.target}")


def _put_tip_back(tx: Tx, row: TaskRow) -> None:
    project, target = projects.get(tx, row.project), projects.target(tx, row.project, row.target)
    is_gone = row.reason == "tip_missing"
    if project and target and (target.foreign_tip or is_gone):
        inputs = AcceptInputs(
            repo=project.path,
            target=target.name,
            old="" if is_gone else target.foreign_tip,
            new=target.tip,
            evidence="put back by a person",
            installation=meta.get(tx, "installation") or "",
            reset=True,
        )
        insert(tx, OrderKind.ACCEPT, f"put-back/{new_id('k')}", hub(project), inputs, project=project.id)


def _start_over(tx: Tx, row: TaskRow) -> None:
    """A new attempt starts from the tip in a fresh worktree; the old one is retired and stays reachable."""
    for landing in landings.of_task(tx, row.id):
        if not landing.ended:
            withdraw_landing(tx, landing)
    past = runs.of_task(tx, row.id)
    if past and past[-1].collected:
        insert_wish(tx, OrderWish(OrderKind.CLEAN, f"clean/{past[-1].id}", run=past[-1].id), row.project)
    tasks.update(tx, row.id, name="", worktree="", branch="", base_commit="")
