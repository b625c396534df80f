"""Settings sync (`agent sync`): the project's settings and agent files are read again when a person asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain.errors import UserError
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import settle, unknown_wish
from toryo.engine.facts.projects import take_settings
from toryo.store.tables import projects
from toryo.usecases.agents.definition import NewAgent, known_clients, refuse_wrong_client
from toryo.usecases.agents.files import agents_in
from toryo.usecases.agents.of_projects import clashes, sync_agents, without_file
from toryo.usecases.finding import the_project

MOST_NAMED = 5
_SYNCED = ("config.yaml", "agents/", "prompts/", "skills/")


def place_of(context: HeadContext, text: str, path: str) -> tuple[str, str, str]:
    """(machine, path, base) of a project."""
    with context.store.read() as tx:
        row = the_project(tx, text, path)
    return row.machine, row.path, row.base


def sync(context: HeadContext, text: str, path: str, survey: Mapping[str, Any]) -> dict[str, Any]:
    with context.store.change() as tx:
        row = the_project(tx, text, path)
        if take_settings(tx, row, survey) is None:
            problem = projects.get(tx, row.id)
            raise UserError(
                problem.settings_problem if problem else "The settings cannot be read.",
                hint=_cure(row.base, survey),
            )
        found = _agents(row.base, survey)
        for wish in found:
            refuse_wrong_client(context, wish.client)
        told = sync_agents(tx, row.id, found, known_clients(context, tx))
        settle(tx, row.id)
        notes = [*clashes(tx, row.id, found), *without_file(tx, row.id, found)]
        notes += [*unknown_wish(tx, row.id), *_not_counted(row.base, survey["uncommitted"])]
    source = "uncommitted" if survey["settings_from"] == "working copy" else survey["settings_from"]
    return {"success": True, **told, "settings_from": source, "settings_problem": "", "notes": notes}


def _not_counted(base: str, uncommitted: Sequence[str]) -> list[str]:
    """What a person may have edited for this, and which is not read: the working copy's files."""
    names = [f".toryo/{name}" for name in uncommitted if name.startswith(_SYNCED)]
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [
        f"only what is committed on {base} counts; not so yet: {', '.join(names[:MOST_NAMED])}{more}; "
        f"commit it on {base}, then: toryo agent sync"
    ]


def _agents(base: str, survey: Mapping[str, Any]) -> list[NewAgent]:
    try:
        return agents_in(survey["settings_files"])
    except UserError as error:
        committed = survey["settings_from"] == "commit"
        raise UserError(error.message, hint=_cure(base, survey) if committed else error.hint) from error


def _cure(base: str, survey: Mapping[str, Any]) -> str:
    """A mended file helps only where it is read: in the target's commit, once that has settings."""
    if survey["settings_from"] == "commit":
        return f"{base} has them: commit the mended .toryo/ on {base}."
    return "Mend .toryo/config.yaml and type `toryo agent sync` again."
