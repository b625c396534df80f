"""Settings that cannot be read: what people are told of them, and where the working copy's are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain.errors import UserError
from toryo.store import projects
from toryo.store.rows import ProjectRow
from toryo.usecases.context import HeadContext
from toryo.usecases.facts_of_projects import CONFIG
from toryo.usecases.project_settings import parse_settings

UNCOMMITTED = "working copy"


def told(row: ProjectRow) -> dict[str, str] | None:
    """The project's problem with the way out; None: its settings are the ones in force."""
    if not row.settings_problem:
        return None
    if row.settings_from == UNCOMMITTED:
        where, cure = f"the working copy {row.path}", "mend .toryo/config.yaml, then: toryo agent sync"
    else:
        where, cure = row.base, f"mend .toryo/config.yaml and commit it on {row.base}"
    what = f"{where} has wrong settings, older ones are in force: {row.settings_problem}"
    return {"project": row.name, "what": what, "type": cure}


def uncommitted(context: HeadContext) -> list[tuple[str, str, str, str]]:
    """(project, machine, path, base) where no commit has the settings: nobody tells of changes."""
    with context.store.read() as tx:
        listed = projects.listing(tx, only_active=True)
    return [(row.id, row.machine, row.path, row.base) for row in listed if row.settings_from == UNCOMMITTED]


def note(context: HeadContext, project: str, survey: Mapping[str, Any]) -> None:
    """What a look at the working copy found; the settings in force stay as they are."""
    if survey.get("settings_from") != UNCOMMITTED:
        return
    try:
        parse_settings(survey["settings_files"].get(CONFIG, ""))
        problem = ""
    except UserError as error:
        problem = error.message
    with context.store.change() as tx:
        projects.update(tx, project, settings_problem=problem)
