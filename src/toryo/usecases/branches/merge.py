"""`branch merge`: a person's branch sent through the gate, as a task of its own whose work is there already.

Its landing is that of any task: queued, built on the tip, checked, published. What an agent's task has in its
worktree is submitted with that task instead.
"""

from __future__ import annotations

import shlex

from toryo.domain.errors import Refused
from toryo.domain.ids import AgentName, RunId, TaskId
from toryo.domain.words import ENDED, Purpose, TaskStatus
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import default_agent
from toryo.engine.ids import new_id
from toryo.engine.project_settings import settings_of
from toryo.engine.subjects.task import look_at_task
from toryo.protocol.views.repositories import BranchView, MergedBranch
from toryo.reconciler.subjects import Policy
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, RunRow, TaskRow
from toryo.store.tables import projects, tasks, texts
from toryo.usecases.branches.branches import refuse_in_use, refuse_remote, task_of
from toryo.usecases.finding import refuse_inactive, the_project
from toryo.usecases.tasks.submit import CLIENT, insert_by_hand

TYPE = "merge"
OPEN = (TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW, TaskStatus.CANCELLED)
"""States of a task whose worktree a person may finish themselves."""


def submitted_instead(context: HeadContext, project: str, one: BranchView) -> str:
    """The task of an agent that is to be submitted, because the branch is its own; empty: none."""
    with context.store.read() as tx:
        row = the_project(tx, project)
        task = task_of(tx, row, one["name"])
        if task is None or task.type == TYPE or not task.name or task.landed_commit:
            return ""
        refuse_in_use(tx, row, one["name"])
        if task.status not in OPEN:
            raise Refused(
                f"{one['name']} is the branch of {task.id}, which is {task.status}.",
                hint=f"`toryo task wait {task.id}` says when it is through.",
            )
        return task.id


def merge(context: HeadContext, project: str, one: BranchView, target: str, note: str) -> MergedBranch:
    refuse_remote(one)
    with context.store.change() as tx:
        row = the_project(tx, project)
        refuse_inactive(row)
        _refuse_idle(tx, row, one, target)
        made = _add(tx, row, one, target, note)
        # at once: nobody may claim the task between this and the next look
        look_at_task(tx, made.id, Policy())
    told = {"task": made.id, "title": made.title, "branch": one["name"], "target": target}
    return {"success": True, "submitted": False, **told, "commit": one["commit"]}  # type: ignore[typeddict-item]


def _refuse_idle(tx: Tx, project: ProjectRow, one: BranchView, target: str) -> None:
    """What there is nothing to merge of, or what is being merged already."""
    name = one["name"]
    if name == target or one["is_target"]:
        raise Refused(f"{name} is what work lands on.", hint="Another branch: `toryo branch list`.")
    if projects.target(tx, project.id, target) is None:
        raise Refused(f"Nothing lands on {target} yet.", hint=f"`toryo branch merge {name} --onto {target}`.")
    if one["ahead"] is None:
        raise Refused(f"{name} and {target} have nothing in common.", hint="`git merge-base` finds none.")
    if not one["ahead"]:
        raise Refused(
            f"{target} has all of {name} already.", hint=f"`toryo branch delete {name}` removes it."
        )
    for task in tasks.of_branch(tx, project.id, name):
        if task.type == TYPE and task.status not in (*ENDED, *OPEN) and task.target == target:
            raise Refused(f"{task.id} merges {name} already.", hint=f"toryo task wait {task.id}")


def _add(tx: Tx, project: ProjectRow, one: BranchView, target: str, note: str) -> TaskRow:
    name, title = one["name"], f"Merge {one['name']}"[:500]
    made = TaskRow(
        id=TaskId(new_id("t")),
        project=project.id,
        agent=AgentName(default_agent(tx, project)),
        title=title,
        description=_description(one, target, note),
        type=TYPE,
        timeout_s=settings_of(project.settings).runs.timeout,
        target=target,
        branch=name,
        created_at=tx.now,
    )
    texts.put(tx, title)  # for the message of its landing
    tasks.insert(tx, made, [])
    tx.emit("task_added", {"title": title[:200], "merges": name}, project=project.id, task=made.id)
    work = RunRow(
        id=RunId(new_id("r")),
        task=made.id,
        project=project.id,
        agent=made.agent,
        client=CLIENT,
        purpose=Purpose.SUBMIT,
        generation=1,
        told={"commit": one["commit"]},
        created_at=tx.now,
    )
    began = one.get("base", "")
    insert_by_hand(
        tx, work, {"name": "", "worktree": "", "branch": name, "base": began, "head": began or one["commit"]}
    )
    return made


def _description(one: BranchView, target: str, note: str) -> str:
    """Also for an agent: a retry of a merge that conflicts, or whose checks are red, is its work."""
    told = [
        f"Bring what the branch {one['name']} holds (commit {one['commit']}) to {target}.",
        f"Begin with `git merge --no-edit {shlex.quote(one['commit'])}`, resolve what conflicts so that both "
        "sides' work stays, make the checks pass, and commit.",
    ]
    return "\n\n".join([*told, note] if note else told)
