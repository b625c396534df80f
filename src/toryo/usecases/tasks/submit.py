"""A person's own work on a task: sent through the gate (`submit`), or kept when a retry drops its worktree.

Each is a run without an agent that has ended when it begins: collected, judged and restored like any other.
"""

from __future__ import annotations

from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused
from toryo.domain.ids import AgentName, RunId
from toryo.domain.words import OrderKind, OrderState, Purpose, TaskStatus, Verb
from toryo.engine.context import HeadContext
from toryo.engine.facts.runs import own_fact
from toryo.engine.ids import new_id
from toryo.engine.orders.compose import worktree_of
from toryo.engine.orders.insertion import hub
from toryo.engine.scope import scope_of
from toryo.engine.subjects.task import look_at_task
from toryo.engine.subjects.withdrawal import withdraw_landing
from toryo.engine.units.retries import insist_may_begin
from toryo.protocol.asks import LeftRead
from toryo.protocol.views import tasks as views
from toryo.reconciler.subjects import Policy
from toryo.reconciler.task_verbs import retries_target
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow, TaskRow, VerbRow
from toryo.store.tables import agents, facts, landings, orders, projects, runs, tasks, verbs
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import refuse_removed, the_task
from toryo.usecases.tasks import verbs as words
from toryo.usecases.tasks.add import look_over

CLIENT = "person"
MOST_NAMED = 5


def look(context: HeadContext, text: str) -> Read | None:
    """What the worktree holds beyond what was collected; None where there is nothing to ask about."""
    with context.store.read() as tx:
        row = the_task(tx, text)
        last, project = _last(tx, row), projects.get(tx, row.project)
        if last is not None and last.collected is not None and project is not None:
            insist_heard(tx, hub(project))
    if last is None or last.collected is None or project is None:
        return None
    snapshot = last.collected.get("snapshot") or {}
    inputs = LeftRead(
        repo=project.path,
        run=last.id,
        worktree=worktree_of(project, last),
        branch=str(last.collected.get("branch") or row.branch),
        head=str(last.collected.get("head") or ""),
        snapshot=str(snapshot.get("commit") or ""),
    )
    return Read(hub(project), inputs)


def drops_worktree(context: HeadContext, text: str) -> bool:
    """Whether a retry would start over in another worktree."""
    with context.store.read() as tx:
        row = the_task(tx, text)
        over = (TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW, TaskStatus.CANCELLED)
        begins_anew = row.status in over and not row.landed_commit and not retries_target(row.reason)
        if begins_anew:  # before anybody is asked about the worktree
            insist_may_begin(tx, row)
    return bool(row.name) and begins_anew


def is_hand_work(left: dict[str, Any]) -> bool:
    return bool(left.get("commits") or left.get("files"))


def described(left: dict[str, Any]) -> str:
    """`2 commits and 3 changed files (a.txt, b.txt …)`."""
    commits, files = int(left.get("commits") or 0), [str(path) for path in left.get("files") or ()]
    parts = [f"{commits} commit{'' if commits == 1 else 's'}"] if commits else []
    if files:
        named = ", ".join(files[:MOST_NAMED]) + (" …" if len(files) > MOST_NAMED else "")
        parts.append(f"{len(files)} changed file{'' if len(files) == 1 else 's'} ({named})")
    return " and ".join(parts)


def refuse_to_drop(text: str, left: dict[str, Any]) -> None:
    """A retry works in a fresh worktree: what a person made in the old one would be out of sight."""
    if is_hand_work(left):
        raise Refused(
            f"The worktree of {text} holds work that was made after its run ended: {described(left)}.",
            hint=f"`toryo task submit {text}` lands it; `toryo task retry {text} --discard` starts over "
            f"(`toryo restore {text}` brings it back).",
        )


def retry(
    context: HeadContext, text: str, note: str, *, keep: bool, seen: str = "", allow: tuple[str, ...] = ()
) -> views.SaidVerb:
    """Start over; `keep`: what a person left in the worktree is collected before that goes. `allow`: paths
    that the next run may change, too."""
    look_over(allow, None)
    with context.store.change() as tx:
        row = the_task(tx, text)
        first = words.first_answer(tx, row, Verb.RETRY, seen)
        if first:
            return first
        last = _last(tx, row)
        if keep and last is not None and last.collected is not None:
            _begin(tx, row, last, {})
            row = the_task(tx, row.id)
        verb = words.said(tx, row, Verb.RETRY, note)
        _allow(tx, row, allow)
        return words.answer(row, verb)


def _allow(tx: Tx, row: TaskRow, paths: tuple[str, ...]) -> None:
    """Its own limit, or that of the agent of its last run, is kept and has these beside it."""
    last = _last(tx, row)
    agent = agents.get(tx, last.agent if last else AgentName(row.agent), row.project)
    project = projects.get(tx, row.project)
    limit = scope_of(project, agent, row).write if project and agent else None
    if not paths or limit is None:
        return
    tasks.update(tx, row.id, write=list(dict.fromkeys((*limit, *paths))), predicted=False)
    tx.emit("task_changed", {"fields": ["write"]}, project=row.project, task=row.id)


def refuse_unfit(text: str, left: dict[str, Any]) -> None:
    """What a person sees better before than after: why the worktree cannot be submitted as it is."""
    where = left.get("worktree")
    if not left.get("there"):
        raise Refused(
            f"The worktree of {text} is not there any more.",
            hint=f"`toryo restore {text} --worktree` puts it back.",
        )
    if left.get("unmerged"):
        named = ", ".join(str(path) for path in left["unmerged"][:MOST_NAMED])
        hint = f"Resolve them in {where}, then `git add` them."
        raise Refused(f"Files are still in conflict: {named}.", hint=hint)
    if not left.get("on_branch"):
        raise Refused(
            f"{where} is not on the task's branch.",
            hint=f"Finish what git is doing there: `git -C {where} status`.",
        )


def insist_submittable(context: HeadContext, text: str) -> None:
    """Before anybody is asked about the worktree."""
    with context.store.read() as tx:
        _submittable(tx, the_task(tx, text))


def submit(context: HeadContext, text: str, note: str) -> views.SubmittedTask:
    """Send what the worktree and its branch hold now through the gate."""
    with context.store.change() as tx:
        row = the_task(tx, text)
        last = _submittable(tx, row)
        for landing in landings.of_task(tx, row.id):
            if not landing.ended:
                withdraw_landing(tx, landing)
        verbs.add(tx, _verb(tx, row, Verb.SUBMIT, note))
        told = {"reason": row.reason, "note": note[:500]}
        tx.emit("task_submit", told, project=row.project, task=row.id)
        run = _begin(tx, row, last, {"commit_message": f"Finish {row.id} by hand"})
        # at once: nobody may claim the task between this and the next look
        look_at_task(tx, row.id, Policy())
    return {**words.answer(row, Verb.SUBMIT), "run": run.id}


def _submittable(tx: Tx, row: TaskRow) -> RunRow:
    """The run whose worktree is meant; Refused says why there is nothing to submit now."""
    refuse_removed(projects.get(tx, row.project))
    look = f"See `toryo task show {row.id}`."
    if row.status == TaskStatus.DONE:
        raise Refused(f"{row.id} is done.", hint="Add another task for more work on it.")
    if row.landed_commit:
        raise Refused(f"{row.id} was accepted already.", hint=look)
    insist_may_begin(tx, row)
    live = [run for run in runs.of_task(tx, row.id) if run.live]
    if live:
        raise Refused(
            f"An agent still works on {row.id}.", hint=f"`toryo run stop {live[-1].id}` ends it; then submit."
        )
    last = _last(tx, row)
    if last is None:
        raise Refused(f"{row.id} has no worktree yet: there is nothing to submit.", hint=look)
    if last.collected is None:
        raise Refused(f"What {last.id} left is being looked at.", hint="Try again in a moment.")
    for order in orders.pending_of_task(tx, row.project, row.id):
        if order.kind == OrderKind.ACCEPT and order.state == OrderState.TAKEN:
            raise Refused(f"{row.id} is being accepted just now.", hint=look)
    return last


def _last(tx: Tx, row: TaskRow) -> RunRow | None:
    """The newest run in the worktree that the task has now."""
    mine = [run for run in runs.of_task(tx, row.id) if row.name and run.worktree]
    return mine[-1] if mine else None


def _begin(tx: Tx, row: TaskRow, last: RunRow, told: dict[str, Any]) -> RunRow:
    """A run in the same worktree that nobody works in: the hands look at what is there."""
    prepared = next((fact.body for fact in facts.of_run(tx, last.id) if fact.kind == "prepared"), {})
    collected = last.collected or {}
    run = RunRow(
        id=RunId(new_id("r")),
        task=row.id,
        project=row.project,
        agent=row.agent,
        client=CLIENT,
        purpose=Purpose.SUBMIT,
        generation=row.generation + 1,
        scope=dict(last.scope),
        told=told,
        created_at=tx.now,
    )
    insert_by_hand(tx, run, {**prepared, "head": str(collected.get("head") or last.start_commit)})
    return run


def insert_by_hand(tx: Tx, run: RunRow, prepared: dict[str, Any] | None = None) -> None:
    """A run that has ended when it begins; `prepared`: where it looks."""
    runs.insert(tx, run)
    tasks.update(tx, run.task, generation=run.generation)
    if prepared:
        own_fact(tx, run, "prepared", prepared)
    own_fact(tx, runs.get(tx, run.id) or run, "submitted")


def _verb(tx: Tx, row: TaskRow, verb: Verb, note: str) -> VerbRow:
    newest = landings.newest_seq_of_task(tx, row.id)
    return VerbRow(
        subject=subjects.task(row.id),
        verb=verb,
        generation=row.generation,
        landing_seq=newest,
        reason=row.reason,
        note=note,
        at=tx.now,
    )
