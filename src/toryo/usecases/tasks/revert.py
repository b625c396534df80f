"""`task revert`: a task of its own whose work is the reverse of a done one, made by the hands on the tip."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.errors import Refused
from toryo.domain.ids import AgentName, RunId, TaskId
from toryo.domain.words import Purpose, TaskStatus, Verb
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import default_agent
from toryo.engine.ids import new_id
from toryo.engine.project_settings import settings_of
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, RunRow, TaskRow, VerbRow
from toryo.store.tables import landings, projects, runs, tasks, texts, verbs
from toryo.usecases.finding import refuse_inactive, the_task
from toryo.usecases.tasks.submit import CLIENT, insert_by_hand

TYPE = "revert"
MOST_BUILT = 50
OVER = (TaskStatus.FAILED, TaskStatus.CANCELLED)


def revert(context: HeadContext, text: str, note: str) -> views.RevertedTask:
    with context.store.change() as tx:
        row = the_task(tx, text)
        landing = _landing(tx, row)
        _refuse_twice(tx, row)
        built = built_on(tx, row, landing)
        made = _add(tx, row, landing, note)
        spoken = VerbRow(
            subject=subjects.task(row.id),
            verb=Verb.REVERT,
            generation=row.generation,
            landing_seq=landing.seq,
            note=f"by {made.id}",
            at=tx.now,
        )
        verbs.add(tx, spoken)
        told = {"by": made.id, "note": note[:500]}
        tx.emit("task_revert", told, project=row.project, task=row.id)
    return {"success": True, "id": made.id, "reverts": row.id, "title": made.title, "builds_on_it": built}


def _landing(tx: Tx, row: TaskRow) -> LandingRow:
    landed = [one for one in landings.of_task(tx, row.id) if one.published_at is not None]
    if row.status != TaskStatus.DONE or not landed:
        verb = "reject" if row.status == TaskStatus.NEEDS_REVIEW else "cancel"
        raise Refused(
            f"{row.id} is {row.status}: only done work is taken back.", hint=f"toryo task {verb} {row.id}"
        )
    return landed[-1]


def _refuse_twice(tx: Tx, row: TaskRow) -> None:
    for said in verbs.of_task(tx, row.id):
        other = tasks.get(tx, said.note.removeprefix("by ")) if said.verb == Verb.REVERT else None
        if other is not None and other.status not in OVER and not _taken_back(tx, other):
            raise Refused(
                f"{row.id} is taken back by {other.id} ({other.status}).", hint=f"toryo task show {other.id}"
            )


def _taken_back(tx: Tx, row: TaskRow) -> bool:
    """Whether a revert was itself reverted: then the work is there again."""
    said = [tasks.get(tx, one.note.removeprefix("by ")) for one in verbs.of_task(tx, row.id)]
    return any(one is not None and one.status == TaskStatus.DONE for one in said)


def built_on(tx: Tx, row: TaskRow, landing: LandingRow) -> list[views.BuiltOn]:
    """Later done tasks of the same target that depend on it, or changed the same files."""
    mine, dependents = _files(tx, landing), set(tasks.needed_by(tx, row.id))
    found: list[views.BuiltOn] = []
    for later in landings.landed_after(tx, row.project, landing.target, landing.accept_number):
        other = tasks.get(tx, later.task)
        files = sorted(mine & _files(tx, later))
        if other is None or other.status != TaskStatus.DONE or not (files or other.id in dependents):
            continue
        depends = other.id in dependents
        found.append({"id": other.id, "title": other.title, "depends": depends, "files": files[:MOST_BUILT]})
    return found[:MOST_BUILT]


def _files(tx: Tx, landing: LandingRow) -> set[str]:
    run = runs.get(tx, landing.run) if landing.run else None
    return set((run.collected or {}).get("changed_files", ())) if run else set()


def _add(tx: Tx, row: TaskRow, landing: LandingRow, note: str) -> TaskRow:
    project = projects.get(tx, row.project)
    assert project is not None
    refuse_inactive(project)
    run, title = runs.get(tx, landing.run), f"Revert: {row.title}"[:500]
    made = TaskRow(
        id=TaskId(new_id("t")),
        project=row.project,
        agent=AgentName(row.agent or default_agent(tx, project)),
        title=title,
        description=_description(row, landing, note),
        type=TYPE,
        priority=row.priority,
        timeout_s=settings_of(project.settings).runs.timeout,
        target=landing.target,
        created_at=tx.now,
    )
    texts.put(tx, title)  # for the message of its landing
    tasks.insert(tx, made, [])
    tx.emit("task_added", {"title": title[:200], "reverts": row.id}, project=row.project, task=made.id)
    work = RunRow(
        id=RunId(new_id("r")),
        task=made.id,
        project=row.project,
        agent=made.agent,
        client=CLIENT,
        purpose=Purpose.REVERT,
        generation=1,
        told={
            "commit": landing.candidate,
            "head": landing.head,
            "base": row.base_commit or (run.start_commit if run else ""),
            "message": f"Revert {row.branch or row.id}\n\nThis reverts {landing.candidate}.\n\n"
            f"Toryo-Task: {made.id}\nToryo-Reverts: {row.id}\n",
        },
        created_at=tx.now,
    )
    insert_by_hand(tx, work)
    return made


def _description(row: TaskRow, landing: LandingRow, note: str) -> str:
    """Also for an agent: a retry of a reverse that conflicts is its work."""
    told = [
        f'Take back what the task {row.id} ("{row.title}") brought: it landed as {landing.candidate}.',
        f"Begin with `git revert --no-edit -m 1 {landing.candidate}`, resolve what conflicts so that later "
        "work stays as it is, and commit.",
    ]
    return "\n\n".join([*told, note] if note else told)
