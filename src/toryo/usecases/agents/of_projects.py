"""Agents of a project: from its own files, from another project, or made for it by `init`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from toryo.domain import subjects
from toryo.domain.client_names import AGENT_CLIS
from toryo.domain.errors import UserError
from toryo.domain.ids import AgentName, ProjectId
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow
from toryo.store.tables import agents, projects, tasks
from toryo.usecases.agents.definition import NewAgent, columns, look_over

FIRST = "worker"


def look_over_file(wish: NewAgent, clients: Collection[str]) -> None:
    """Of a file below .toryo/agents/, with its path: the person who mends it must know which."""
    try:
        look_over(wish, clients)
    except UserError as wrong:
        told = f"The file of {wish.name!r} in .toryo/agents/: {wrong.message}"
        raise UserError(told, hint=wrong.hint) from None


def import_agents(tx: Tx, project_id: str, found: Sequence[NewAgent], clients: Collection[str]) -> list[str]:
    """From the project's own files: only those the project does not have, for the store is the truth."""
    added = []
    for wish in found:
        look_over_file(wish, clients)
        if _own(tx, project_id, wish.name) is None:
            _insert(tx, project_id, wish)
            tx.emit("agent_added", {"agent": wish.name, "client": wish.client}, project=project_id)
            added.append(wish.name)
        _assign(tx, project_id, wish.name)
    return added


def sync_agents(
    tx: Tx, project_id: str, found: Sequence[NewAgent], clients: Collection[str]
) -> dict[str, list[str]]:
    """The project's files are brought into the store: new ones are added, changed ones follow their file."""
    told: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    for wish in found:
        look_over_file(wish, clients)
        known, values = _own(tx, project_id, wish.name), columns(wish)
        if known is None:
            _insert(tx, project_id, wish)
            told["added"].append(wish.name)
        elif any(getattr(known, name) != value for name, value in values.items()):
            agents.update(tx, wish.name, project_id, **values)
            told["changed"].append(wish.name)
        else:
            told["unchanged"].append(wish.name)
        _assign(tx, project_id, wish.name)
    return told


def clashes(tx: Tx, project_id: str, found: Sequence[NewAgent]) -> list[str]:
    """A note for each file whose name an agent of the whole installation has, too."""
    return [
        f"there is an agent {wish.name} of the whole installation, too: "
        f"in this project .toryo/agents/ counts, elsewhere that one"
        for wish in found
        if agents.get(tx, wish.name) is not None
    ]


def without_file(tx: Tx, project_id: str, found: Sequence[NewAgent]) -> list[str]:
    """A note for each agent of the project whose file is gone; a person takes it out."""
    kept = {wish.name for wish in found}
    return [
        f"{row.id} has no file in .toryo/agents/ any more; to take it out: toryo agent remove {row.id}"
        for row in agents.listing(tx)
        if row.project == project_id and row.id not in kept
    ]


def passkey_of_name(tx: Tx, name: str) -> str:
    """The hash that all agents of the name share; empty: none has one."""
    return next((row.passkey_hash for row in agents.named(tx, name) if row.passkey_hash), "")


def first_agent(tx: Tx, project_id: str, on_path: Collection[str]) -> AgentRow:
    """The agent that `init` gives a project: one that is there already, else one driven by a CLI on PATH."""
    client = next((name for name in AGENT_CLIS if name in on_path), "")
    assigned = projects.agents_of(tx, project_id)
    if assigned:
        return _with_client(tx, assigned[0], client)
    known = [row for row in agents.listing(tx) if row.client and row.status == "active" and not row.project]
    if known:
        # lent by another project: it works here too, until a person chooses another as the default
        _assign(tx, project_id, known[0].id)
        return known[0]
    row = agents.get(tx, FIRST)
    if row is None:
        row = AgentRow(
            id=AgentName(FIRST), name=FIRST, role="worker", scope={}, client=client, created_at=tx.now
        )
        agents.insert(tx, row)
        told = {"agent": row.id, "client": client}
        tx.emit("agent_added", told, subject=subjects.agent(row.id), project=project_id)
    _assign(tx, project_id, row.id)
    projects.update(tx, project_id, default_agent=row.id)
    return _with_client(tx, row, client)


def _with_client(tx: Tx, row: AgentRow, client: str) -> AgentRow:
    """The one that `init` made without a client gets the CLI that is there now."""
    if row.client or not client or row.id != FIRST:
        return row
    agents.update(tx, row.id, row.project, client=client)
    tx.emit("agent_changed", {"agent": row.id, "client": client}, subject=subjects.agent(row.id))
    for project in projects.listing(tx):
        tasks.mark_of_agent(tx, project.id, row.id)
    return agents.get(tx, row.id, row.project) or row


def _assign(tx: Tx, project_id: str, agent: str) -> None:
    projects.assign(tx, project_id, agent)
    tasks.mark_of_agent(tx, project_id, agent)


def _own(tx: Tx, project_id: str, name: str) -> AgentRow | None:
    row = agents.get(tx, name, project_id)
    return row if row and row.project == project_id else None


def _insert(tx: Tx, project_id: str, wish: NewAgent) -> None:
    row = AgentRow(
        id=AgentName(wish.name),
        project=ProjectId(project_id),
        name=wish.name,
        created_at=tx.now,
        **columns(wish),
    )
    agents.insert(tx, replace(row, passkey_hash=passkey_of_name(tx, wish.name)))
