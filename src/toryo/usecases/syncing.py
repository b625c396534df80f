"""`agent sync`: the project's settings and agent files are read again, by a person's word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain.errors import UserError
from toryo.store import projects
from toryo.usecases.agent_definitions import known_clients
from toryo.usecases.agent_files import agents_in
from toryo.usecases.agents_of_projects import sync_agents
from toryo.usecases.context import HeadContext
from toryo.usecases.facts_of_projects import take_settings
from toryo.usecases.finding import the_project


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
                hint="Mend .toryo/config.yaml and type `toryo agent sync` again.",
            )
        clients = known_clients(context, tx)
        told = sync_agents(tx, row.id, agents_in(survey["settings_files"]), clients)
    source = "uncommitted" if survey["settings_from"] == "working copy" else survey["settings_from"]
    return {"success": True, **told, "settings_from": source, "settings_problem": ""}
