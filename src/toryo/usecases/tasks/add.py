"""`task add`: a new task, and what its wishes must be; `task update` looks over the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toryo.domain import subjects
from toryo.domain.errors import UserError
from toryo.domain.ids import AgentName, TaskId
from toryo.domain.scopes import problem_of
from toryo.domain.words import PRIORITY_RANK, Priority
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import default_agent
from toryo.engine.ids import new_id
from toryo.engine.project_settings import settings_of
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, TaskRow
from toryo.store.tables import projects, tasks, texts
from toryo.usecases.finding import refuse_inactive, the_agent, the_project, the_task
from toryo.usecases.projects import settings_problems
from toryo.usecases.tasks import cautions

LONGEST_TITLE = 500
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
    target: str = ""
    """Empty: the project's own."""


def add_task(context: HeadContext, wish: NewTask) -> views.AddedTask:
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
        refuse_inactive(project)
        row = TaskRow(
            id=TaskId(new_id("t")),
            project=project.id,
            agent=AgentName(
                assigned_agent(tx, project, wish.agent) if wish.agent else default_agent(tx, project)
            ),
            title=title,
            description=wish.description,
            type=wish.type,
            priority=PRIORITY_RANK[wish.priority],
            parent=TaskId(the_task(tx, wish.parent).id if wish.parent else ""),
            write=None if wish.write is None else list(wish.write),
            checks=list(wish.checks),
            timeout_s=wish.timeout_s or settings_of(project.settings).runs.timeout,
            held=wish.held,
            target=wish.target or project.base,
            created_at=tx.now,
        )
        texts.put(tx, title)  # for the message of its landing
        tasks.insert(tx, row, [the_task(tx, one).id for one in wish.after])
        told = {"title": title[:200], **({"parent": row.parent} if row.parent else {})}
        tx.emit("task_added", told, project=project.id, task=row.id)
        tx.mark(subjects.task(row.id))
        warned = [*cautions.of_agent(tx, project, row.agent), *cautions.of_type(project, row.type)]
    wrong = settings_problems.told(context, project)
    notes = [*([f"{wrong['what']} ({wrong['type']})"] if wrong else []), *warned]
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
