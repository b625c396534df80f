"""What would hold a task up, for the `notes` of an answer: its agent, its agent's program, its type."""

from __future__ import annotations

from pathlib import Path

from toryo.domain.advice import missing, not_on_path
from toryo.domain.client_names import program_of, told_as
from toryo.engine.default_agents import is_missing
from toryo.engine.project_settings import settings_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import agents, coordinators

PLAIN = "task"
"""The type of a task whose type nobody named."""


def of_agent(tx: Tx, project: ProjectRow, name: str) -> list[str]:
    agent = agents.get(tx, name, project.id) if name else None
    if agent is None:
        return []
    if agent.status != "active":
        return [f"the agent {name} is disabled; type: toryo agent enable {name}"]
    if is_missing(tx, project.machine, agent.client):
        return [f"the agent {name} is driven by {agent.client}, which is {not_on_path(agent.client)}"]
    program = program_of(agent.client, agent.command)
    # of a bare name only a coordinator knows: it has another PATH
    is_lost = program.startswith("/") and not Path(program).exists()
    if is_lost or coordinators.lacks(tx, project.machine, told_as(agent.client, agent.command)):
        what = missing(program or agent.client)
        return [
            f"the program of the agent {name} is missing: {what}; type: toryo agent add {name} --command '…'"
        ]
    return []


def of_type(project: ProjectRow, kind: str) -> list[str]:
    known = sorted(settings_of(project.settings).task_types)
    if not known or kind in (*known, PLAIN):
        return []
    return [f"{kind} is no type in .toryo/config.yaml, so it has no goals; there is: {', '.join(known)}"]
