"""Spec-kit folders, taken in: a mission whose first plan a person wrote, as their branch has it; no model.

Scopes are unknown, the project's checks and its default agent do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from shlex import quote
from typing import Any

from toryo.domain.dependency_graphs import ancestors
from toryo.domain.errors import UserError
from toryo.domain.planned_tasks import PlannedTask as Parsed
from toryo.domain.speckit import documents, tasks_file
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub
from toryo.protocol.asks import FolderRead
from toryo.protocol.kinds.files import path_fault
from toryo.protocol.kinds.planner import PlanAnswer, PlannedTask
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import the_project

SPEC, PLAN, TASKS = "spec.md", "plan.md", "tasks.md"
LONGEST_TITLE = 500
MOST_AT_ONCE = 64


@dataclass(frozen=True)
class TakenIn:
    folder: str
    title: str
    answer: PlanAnswer
    tasks_text: str
    """Its tasks.md, letter by letter: only marks are ever set in it."""


def folder_read(context: HeadContext, project: str, path: str, folder: str, branch: str) -> Read:
    """What its machine is asked."""
    folder = folder.strip("/")
    if fault := path_fault(folder):
        raise UserError(f"{folder!r} {fault}.", hint="Name the folder of spec.md and tasks.md: specs/001-x.")
    with context.store.read() as tx:
        row = the_project(tx, project, path)
        insist_heard(tx, hub(row))
    names = (SPEC, PLAN, TASKS)
    return Read(hub(row), FolderRead(repo=row.path, checkout=path, branch=branch, folder=folder, names=names))


def understood(folder: str, branch: str, body: Mapping[str, Any]) -> TakenIn:
    """What the branch holds there; refused with the line to type where a person has more than it."""
    folder = folder.strip("/")
    texts: Mapping[str, str] = body["files"]
    if body["uncommitted"]:
        raise UserError(
            f"{', '.join(body['uncommitted'])} of {folder} has changes that are not committed.",
            hint=_commit_line(folder),
        )
    missing = [name for name in (SPEC, TASKS) if name not in texts]
    if missing:
        raise UserError(f"{folder} on {branch} has no {' and no '.join(missing)}.", hint=_commit_line(folder))
    tasks = tasks_file.parse(texts[TASKS])
    if all(one.done for one in tasks):
        what = "is ticked" if tasks else "is a task: a line is `- [ ] T001 text`"
        raise UserError(
            f"Nothing is to do: {'every' if tasks else 'no'} line of {folder}/{TASKS} {what}.",
            hint=f"Write into {folder}/{TASKS} what is to be done, commit it, then again.",
        )
    answer = PlanAnswer(
        spec=texts[SPEC],
        plan=texts.get(PLAN, ""),
        parallelism=_widest(tasks),
        tasks=tuple(_planned(one) for one in tasks),
    )
    title = documents.title(texts[SPEC]) or PurePosixPath(folder).name
    return TakenIn(folder, title[:200], answer, texts[TASKS])


def _planned(one: Parsed) -> PlannedTask:
    title = " ".join(one.title.split())
    whole = title if len(title) > LONGEST_TITLE else ""
    return PlannedTask(
        id=one.id,
        title=title[:LONGEST_TITLE] or one.id,
        description="\n\n".join(part for part in (whole, one.description) if part),
        depends_on=one.depends_on,
        story=one.story or None,
        done=one.done,
    )


def _widest(tasks: tuple[Parsed, ...]) -> int:
    """How many may run at once: the file says who waits for whom, not how many agents there are."""
    left = {one.id: one.depends_on for one in tasks if not one.done}
    depths = {id: len(behind & left.keys()) for id, behind in ancestors(left).items()}
    levels = [list(depths.values()).count(depth) for depth in set(depths.values())]
    return min(MOST_AT_ONCE, max(levels, default=1))


def _commit_line(folder: str) -> str:
    named = quote(folder)
    return f"`git add {named} && git commit -m 'docs: {PurePosixPath(folder).name}' -- {named}`, then again."
