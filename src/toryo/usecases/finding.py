"""Lookup by what a person typed (id, prefix, number, branch): the one finder of every verb.

An id may be a unique prefix, have a `#` before it, or be a branch's name; a run stands for its task, a task
for its newest run; projects are found by a path inside them too.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Protocol, TypeVar

from toryo.domain.errors import NotAProject, NotFound, Refused, UserError
from toryo.domain.naming import is_unit_id, meant_id
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import AgentRow, ProjectRow, RunRow, TaskRow
from toryo.store.tables import agents, missions, projects, runs, tasks
from toryo.store.tables.units import units


class Named(Protocol):
    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Named)

MOST_NAMED = 5
"""Rows that a prefix is answered with."""


def names_run(text: str) -> bool:
    """Whether the id is that of a run; every other one is a task's or a unit's."""
    return not is_unit_id(text.partition("@")[0]) and meant_id(text).startswith("r")


def the_task(tx: Tx, text: str, path: str = "") -> TaskRow:
    """Also by the id of a unit: of the newest tree, in the project around the path if it has one."""
    if unit := the_unit(tx, text, path):
        return unit
    if names_run(text):
        text = the_run(tx, text).task
    return _one(tx, meant_id(text), "task", tasks.by_prefix, "See `toryo task list`.")


def the_unit(tx: Tx, text: str, path: str = "") -> TaskRow | None:
    """None: it is no unit's id. Behind an `@` may stand a directory, or the project that alone is meant."""
    name, _, place = text.strip().removeprefix("unit:").partition("@")
    if not is_unit_id(name):
        return None
    project = "" if path or place.startswith("/") else place
    here = project_at(tx, project, path or place)
    found = units.newest_named(tx, name, here.id) if here else None
    if found is None and not project:
        found = units.newest_named(tx, name)
    if found is None:
        where = f" in {here.name}" if here and project else ""
        raise NotFound(f"There is no unit {name}{where}.", hint="See `toryo unit tree`.")
    return found


def the_mission(tx: Tx, text: str) -> MissionRow:
    return _one(tx, meant_id(text), "mission", missions.by_prefix, "See `toryo mission list`.")


def the_run(tx: Tx, text: str) -> RunRow:
    """A run; of a task its newest."""
    if meant_id(text)[:1] != "t" and the_unit(tx, text) is None:
        return _one(tx, meant_id(text), "run", runs.by_prefix, "See `toryo run list`.")
    task = the_task(tx, text)
    mine = runs.of_task(tx, task.id)
    if not mine:
        hint = f"It is {task.status}: `toryo task show {task.id}`."
        raise NotFound(f"{task.id} has no run yet.", hint=hint)
    return mine[-1]


def the_agent(tx: Tx, text: str, project: str = "") -> AgentRow:
    """Whom the name means in the project; without one, the installation's or the only one of the name."""
    row = agents.get(tx, text, project)
    if row is not None:
        return row
    named = agents.named(tx, text)
    owners = ", ".join(_name_of(tx, one.project) for one in named)
    if named and project:
        raise NotFound(f"The agent {text!r} belongs to {owners}, not to this project.", hint=_NO_SUCH_HERE)
    if len(named) > 1:
        raise UserError(
            f"{len(named)} projects have an agent {text!r} of their own: {owners}.",
            hint="Go into the repository of one, or name it with --project.",
        )
    if named:
        return named[0]
    known = [agent.id for agent in agents.listing(tx) if agent.project in ("", project) or not project]
    names = ", ".join(list(dict.fromkeys(known))[:10]) or "none yet"
    raise NotFound(f"There is no agent {text!r}.", hint=f"There are: {names}.")


_NO_SUCH_HERE = "toryo agent list shows who works here; a file in .toryo/agents/ makes one for this project."


def _name_of(tx: Tx, project: str) -> str:
    row = projects.get(tx, project)
    return row.name if row else project


def project_at(tx: Tx, text: str, path: str) -> ProjectRow | None:
    """The named project, else the one around the path; outside of every project none."""
    if text:
        return the_project(tx, text)
    try:
        return the_project(tx, path=path) if path else None
    except NotFound:
        return None


def refuse_inactive(project: ProjectRow) -> None:
    refuse_removed(project)
    if project.status != "active":
        raise Refused(f"The project {project.name} is archived.", hint="Type: toryo project activate")


def refuse_removed(project: ProjectRow | None) -> None:
    if project is not None and project.status == projects.REMOVED:
        raise Refused(
            f"The project {project.name} was removed.",
            hint=f"`cd {shlex.quote(project.path)} && toryo init` makes its repository a new one.",
        )


def the_project(tx: Tx, text: str = "", path: str = "") -> ProjectRow:
    """By id or name, else by a directory inside its repository, else the only one."""
    known = projects.listing(tx)
    if text:
        found = [row for row in known if text in (row.id, row.name)]
        found = found or [row for row in known if row.id.startswith(text)]
        if len(found) > 1:
            found = [row for row in found if row.status != projects.REMOVED] or found
        if len(found) == 1:
            return found[0]
        names = ", ".join(f"{row.name} ({row.id})" for row in found or known)
        what = "is not unique" if found else "is not known"
        raise NotFound(f"The project {text!r} {what}.", hint=f"There are: {names or 'none; `toryo init`'}.")
    inside = [row for row in known if path and _is_inside(path, row.path)]
    if inside:
        return max(inside, key=lambda row: (len(row.path), row.status == "active"))
    if path:
        hint = "Type `toryo init` there first."
        if any(row.status == "active" for row in known):
            hint += f" A project's repository that was moved: `toryo project move {shlex.quote(path)}`."
        raise NotAProject(f"{path} is not inside a repository that Toryo knows.", hint=hint)
    if len(known) == 1:
        return known[0]
    raise NotFound("Which project?", hint="Go into its repository, or name it with --project.")


def _is_inside(path: str, root: str) -> bool:
    return PurePosixPath(path).is_relative_to(root)


def _one(tx: Tx, text: str, kind: str, search: Callable[[Tx, str], Sequence[R]], hint: str) -> R:
    found = search(tx, text) if text else []
    exact = [row for row in found if row.id == text]
    if exact:
        return exact[0]
    if len(found) == 1:
        return found[0]
    if found:
        names = [row.id for row in found] + ["…"] * (len(found) >= MOST_NAMED)
        raise UserError(f"{text!r} names several {kind}s.", hint="One of: " + ", ".join(names))
    raise NotFound(f"There is no {kind} {text!r}.", hint=hint)
