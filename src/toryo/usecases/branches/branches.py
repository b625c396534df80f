"""Branches as people work with them: one of them with its task and what may be done, and what is refused."""

from __future__ import annotations

from typing import Any

from toryo.domain.actions import Do, action
from toryo.domain.errors import NotFound, Refused
from toryo.engine.actions import shown
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub
from toryo.protocol.asks import BranchesRead
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.repositories import BranchTask, BranchView
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, TaskRow
from toryo.store.tables import projects, runs, tasks
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import refuse_removed, the_project

REMOTE = "remote"


def look(context: HeadContext, where: tuple[str, str], branch: str, onto: str = "") -> Read:
    """The branch as it is now, with its distance from what its work lands on, or from `onto`."""
    with context.store.read() as tx:
        project = the_project(tx, *where)
        refuse_removed(project)
        insist_heard(tx, hub(project))
        task = task_of(tx, project, branch)
    target = onto or (task.target if task else "") or project.base
    inputs = BranchesRead(repo=project.path, target=target, name=branch, limit=1)
    return Read(hub(project), inputs, {"project": project.id, "target": target, "branch": branch})


def found(about: dict[str, Any], answer: dict[str, Any]) -> BranchView:
    name = str(about["branch"])
    for one in answer["body"]["branches"]:
        if one["name"] == name:
            view: BranchView = one
            return view
    raise NotFound(f"There is no branch {name[:200]!r}.", hint="`toryo branch list` has those there are.")


def task_of(tx: Tx, project: ProjectRow, branch: str) -> TaskRow | None:
    """The newest task that works on it."""
    mine = tasks.of_branch(tx, project.id, branch) if branch else []
    return mine[-1] if mine else None


def details(context: HeadContext, project: str, one: BranchView) -> dict[str, Any]:
    """What the store knows of it: its task, and what may be done."""
    with context.store.read() as tx:
        row = projects.get(tx, project)
        task = task_of(tx, row, one["name"]) if row else None
    told: BranchTask | None = None
    if task is not None:
        told = {"id": task.id, "title": task.title, "status": task.status, "reason": task.reason}
    return {"task": told, "actions": actions(one)}


def actions(one: BranchView) -> list[ActionView]:
    """Of one that is people's or an agent's; nothing is done to a remote one from here."""
    if one["kind"] == REMOTE:
        return []
    if one["is_target"]:
        return [shown(action(Do.OPEN_BRANCH, one["name"]))]
    offered = [Do.MERGE_BRANCH] if one["ahead"] else []
    offered += [Do.OPEN_BRANCH, Do.START_ON_BRANCH, Do.SUMMARISE_BRANCH]
    if not one["worktree"]:
        offered.append(Do.DELETE_BRANCH)
    return [shown(action(do, one["name"], agent="NAME")) for do in offered]


def refuse_remote(one: BranchView) -> None:
    if one["kind"] == REMOTE:
        name = one["name"]
        raise Refused(
            f"{name} is a remote branch: it is not ours.",
            hint=f"`git branch {name.partition('/')[2]} {name}` makes a local one of it.",
        )


def refuse_in_use(tx: Tx, project: ProjectRow, branch: str) -> None:
    """What work lands on, and what an agent works on now."""
    if branch == project.base or projects.target(tx, project.id, branch) is not None:
        raise Refused(
            f"Work lands on {branch}: it stays.", hint=f"`toryo target show {branch}` shows what waits there."
        )
    refuse_live(tx, project, branch)


def refuse_live(tx: Tx, project: ProjectRow, branch: str) -> None:
    for task in tasks.of_branch(tx, project.id, branch):
        live = [run for run in runs.of_task(tx, task.id) if run.live]
        if live:
            raise Refused(
                f"An agent works on {branch} now ({task.id}).",
                hint=f"`toryo run stop {live[-1].id}` ends it; `toryo task cancel {task.id}` gives it up.",
            )
