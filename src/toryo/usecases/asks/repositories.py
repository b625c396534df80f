"""Reads of a project's repository: what a task changed, commits, files, folders, branches."""

from __future__ import annotations

from typing import Any

from toryo.domain.errors import Refused
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub
from toryo.protocol.asks import BranchesRead, CommitsRead, DiffRead, FileRead, TreeRead
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import projects
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import the_project, the_task
from toryo.usecases.tasks.changes import compared


def diff(context: HeadContext, text: str, *, stat: bool, offset: int) -> Read:
    """What a task changed, between the two commits that are compared."""
    with context.store.read() as tx:
        project, about = _changed(tx, text)
    inputs = DiffRead(repo=project.path, base=about["base"], head=about["head"], stat=stat, offset=offset)
    return Read(hub(project), inputs, about)


def commits(
    context: HeadContext, task: str, where: tuple[str, str], base: str, head: str, offset: int, limit: int
) -> Read:
    """Of a task those that it brings; of a project those of `head` that `base` does not have."""
    with context.store.read() as tx:
        if task:
            project, about = _changed(tx, task)
        else:
            project = _there(tx, *where)
            about = {"task": "", "base": base, "head": head or project.base}
    inputs = CommitsRead(
        repo=project.path, base=about["base"], head=about["head"], offset=offset, limit=limit
    )
    return Read(hub(project), inputs, {"project": project.id, **about})


def file(
    context: HeadContext, task: str, where: tuple[str, str], commit: str, path: str, offset: int
) -> Read:
    project, at = _at(context, task, where, commit)
    inputs = FileRead(repo=project.path, commit=at, path=path, offset=offset)
    return Read(hub(project), inputs, {"project": project.id, "file": path})


def tree(
    context: HeadContext, task: str, where: tuple[str, str], commit: str, folder: str, offset: int
) -> Read:
    project, at = _at(context, task, where, commit)
    inputs = TreeRead(repo=project.path, commit=at, path=folder, offset=offset)
    return Read(hub(project), inputs, {"project": project.id, "folder": folder})


def branches(context: HeadContext, where: tuple[str, str], target: str, offset: int, limit: int) -> Read:
    with context.store.read() as tx:
        project = _there(tx, *where)
    against = target or project.base
    inputs = BranchesRead(repo=project.path, target=against, offset=offset, limit=limit)
    return Read(hub(project), inputs, {"project": project.id, "target": against})


def _at(context: HeadContext, task: str, where: tuple[str, str], commit: str) -> tuple[ProjectRow, str]:
    """The project, and the commit: a named one, else what the task made, else the project's branch."""
    with context.store.read() as tx:
        if not task:
            project = _there(tx, *where)
            return project, commit or project.base
        if commit:
            return _there(tx, the_task(tx, task).project, ""), commit
        project, about = _changed(tx, task)
    return project, str(about["head"])


def _changed(tx: Tx, text: str) -> tuple[ProjectRow, dict[str, Any]]:
    row = the_task(tx, text)
    project = projects.get(tx, row.project)
    base, head = compared(tx, row)
    if not head or not base or project is None:
        raise Refused(f"{row.id} has changed nothing yet.", hint=f"See `toryo task show {row.id}`.")
    insist_heard(tx, hub(project))
    return project, {"task": row.id, "base": base, "head": head}


def _there(tx: Tx, name: str, path: str) -> ProjectRow:
    project = the_project(tx, name, path)
    insist_heard(tx, hub(project))
    return project
