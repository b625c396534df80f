"""Settings that cannot be read: what people are told of them, and where the working copy's are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toryo.domain.errors import UserError
from toryo.engine.context import HeadContext, WorkingCopy
from toryo.engine.facts.projects import CONFIG
from toryo.engine.project_settings import parse_settings
from toryo.protocol.views import status as views
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import projects
from toryo.usecases.agents.files import agents_in
from toryo.usecases.finding import the_project

UNCOMMITTED = "working copy"


def told(context: HeadContext, row: ProjectRow) -> views.InstallationProblem | None:
    """The project's problem with the way out; None: its settings are the ones in force."""
    edited = context.working_copies.get(row.id, WorkingCopy()).problem
    if row.settings_problem and row.settings_from == UNCOMMITTED:
        what = f"the working copy {row.path} has wrong settings, older ones are in force"
        problem, cure = row.settings_problem, "mend .toryo/config.yaml, then: toryo agent sync"
    elif row.settings_problem:
        what = f"{row.base} has wrong settings, older ones are in force"
        problem, cure = row.settings_problem, f"mend .toryo/config.yaml and commit it on {row.base}"
    elif edited:
        what = f"the working copy {row.path} has wrong settings; {row.base}'s are in force"
        problem, cure = edited, "mend it before you commit it, then: toryo status"
    else:
        return None
    return {"project": row.name, "what": f"{what}: {problem}", "type": cure}


def looked_at(context: HeadContext, project: str) -> float:
    """When the working copy's settings were last read; 0: not by this daemon."""
    return context.working_copies.get(project, WorkingCopy()).looked_at


def begin(context: HeadContext, text: str = "") -> list[tuple[str, str, str, str]]:
    """(project, machine, path, base) of the checkouts to look at: one project's, or all active ones'."""
    with context.store.read() as tx:
        listed = [the_project(tx, text, "")] if text else projects.listing(tx, only_active=True)
    for row in listed:
        known = context.working_copies.get(row.id, WorkingCopy())
        context.working_copies[row.id] = replace(known, looked_at=context.clock())
    return [(row.id, row.machine, row.path, row.base) for row in listed]


def note(context: HeadContext, project: str, survey: Mapping[str, Any]) -> None:
    """What a look at the working copy found; the settings in force stay as they are."""
    problem = _problem(survey)
    with context.store.read() as tx:
        row = projects.get(tx, project)
    if row is None:
        return
    if row.settings_from != UNCOMMITTED:
        known = context.working_copies.get(project, WorkingCopy())
        context.working_copies[project] = replace(known, problem=problem)
        return
    context.working_copies[project] = WorkingCopy(looked_at(context, project))
    if row.settings_problem != problem:
        with context.store.change() as tx:
            projects.update(tx, project, settings_problem=problem)


def _problem(survey: Mapping[str, Any]) -> str:
    if survey.get("problem"):
        refused = survey["problem"]
        return str(refused["message"]) if refused["code"] == "settings_unreadable" else ""
    try:
        parse_settings(survey["settings_files"].get(CONFIG, ""))
        agents_in(survey["settings_files"])
    except UserError as error:
        return error.message
    return ""
