"""Agents: definitions in the store, with a passkey that is shown once."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toryo.domain.errors import NotFound, UserError
from toryo.domain.scopes import problem_of
from toryo.domain.times import iso
from toryo.domain.words import Access
from toryo.store import agents, projects, runs, tasks, tokens
from toryo.store.engine import Tx
from toryo.store.rows import AgentRow, ProjectRow
from toryo.usecases.context import HeadContext
from toryo.usecases.credentials import hash_passkey, new_passkey
from toryo.usecases.finding import the_agent, the_project

CLIENTS = ("command", "scripted", "outside")
"""Known clients; `outside` comes by itself and is started by nobody. An unknown one is an error (S1-38)."""
ANNOUNCED = {
    "claude": "claude -p {prompt} --dangerously-skip-permissions",
    "codex": "codex exec --dangerously-bypass-approvals-and-sandbox {prompt}",
    "gemini": "gemini --yolo -p {prompt}",
    "opencode": "opencode run {prompt}",
}
"""Agent CLIs that Toryo will drive itself; until then any of them is a command."""


@dataclass(frozen=True)
class NewAgent:
    name: str
    client: str = ""
    command: str = ""
    role: str = ""
    model: str = ""
    system_prompt: str = ""
    prompt: str = ""
    scope: dict[str, Any] = field(default_factory=dict)
    slots: int = 1
    access: Access = Access.SEALED
    project: str = ""
    path: str = ""


def add_agent(context: HeadContext, wish: NewAgent, passkey: str, passkey_hash: str) -> dict[str, Any]:
    """Add it, or change the one of that name; assigned to the project at hand, if there is one."""
    look_over(wish)
    with context.store.change() as tx:
        known = agents.get(tx, wish.name)
        chosen = _projects_for(tx, wish)
        if known and known.client and not _is_here(tx, known, chosen):
            raise UserError(
                f"There is an agent {known.id} already; it works in another project.",
                hint=f"Choose another name, or let it work here too: toryo agent assign {known.id}",
            )
        columns = _columns(wish)
        fresh = known is None or not known.passkey_hash
        if fresh:
            columns["passkey_hash"] = passkey_hash
        if known:
            agents.update(tx, wish.name, **columns)
        else:
            agents.insert(tx, AgentRow(id=wish.name, name=wish.name, created_at=tx.now, **columns))
        default_of = [project.name for project in chosen if _assign(tx, project, wish)]
        tx.emit("agent_changed" if known else "agent_added", {"agent": wish.name, "client": wish.client})
        for project in projects.listing(tx):
            tasks.mark_of_agent(tx, project.id, wish.name)
        row = the_agent(tx, wish.name)
    return {
        "success": True,
        "agent": agent_body(row),
        "passkey": passkey if fresh else None,
        "changed": bool(known),
        "projects": [project.id for project in chosen],
        "default_of": default_of,
    }


def fresh_passkey() -> tuple[str, str]:
    passkey = new_passkey()
    return passkey, hash_passkey(passkey)


def import_agents(tx: Tx, project_id: str, found: Sequence[NewAgent]) -> list[str]:
    """From the project's own files: only those the store does not know, for the store is the truth."""
    added = []
    for wish in found:
        look_over(wish)
        if agents.get(tx, wish.name) is None:
            agents.insert(tx, AgentRow(id=wish.name, name=wish.name, created_at=tx.now, **_columns(wish)))
            tx.emit("agent_added", {"agent": wish.name, "client": wish.client}, project=project_id)
            added.append(wish.name)
        projects.assign(tx, project_id, wish.name)
    return added


def _columns(wish: NewAgent) -> dict[str, Any]:
    names = ("client", "command", "role", "model", "system_prompt", "prompt", "scope", "slots", "access")
    return {name: getattr(wish, name) for name in names}


def look_over(wish: NewAgent) -> None:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", wish.name):
        raise UserError(f"{wish.name!r} is no agent name.", hint="Use lower case letters, digits, - and _.")
    if wish.client in ANNOUNCED:
        raise UserError(
            f"The client {wish.client} cannot be driven yet.",
            hint=f"Use it as a command: --client command --command '{ANNOUNCED[wish.client]}'",
        )
    if wish.client and wish.client not in CLIENTS:
        raise UserError(f"There is no client {wish.client!r}.", hint=f"There are: {', '.join(CLIENTS)}.")
    if wish.client in ("command", "scripted") and not wish.command.strip():
        example = (
            "--command 'sh agent.sh {prompt_file}'" if wish.client == "command" else "--command script.yaml"
        )
        raise UserError(f"The client {wish.client} needs a command.", hint=f"Add {example}.")
    if wish.client == "command":
        _look_over_command(wish.command)
    for pattern in [one for patterns in wish.scope.values() for one in patterns or ()]:
        problem = problem_of(pattern)
        if problem:
            raise UserError(f"The scope: {problem}.", hint="For example 'src/**'.")
    if wish.slots < 1:
        raise UserError("An agent needs at least one slot.", hint="Give --slots 1 or more.")


def _look_over_command(command: str) -> None:
    try:
        words = shlex.split(command)
    except ValueError as wrong:
        raise UserError(f"The command cannot be read: {wrong}.", hint="Look at its quotes.") from wrong
    for word in re.findall(r"\{([a-z_]+)\}?", " ".join(words)):
        near = difflib.get_close_matches(word, PLACEHOLDERS, 1, cutoff=0.75)
        if (near and word not in PLACEHOLDERS) or (word in PLACEHOLDERS and f"{{{word}}}" not in command):
            meant = near[0] if near else word
            raise UserError(f"The command has {{{word}, which is no placeholder.", hint=f"Write {{{meant}}}.")


PLACEHOLDERS = ("prompt", "prompt_file", "worktree")


def _projects_for(tx: Tx, wish: NewAgent) -> list[ProjectRow]:
    """The named project, else the one around the path, else all there are."""
    if wish.project:
        return [the_project(tx, wish.project)]
    try:
        return [the_project(tx, path=wish.path)]
    except NotFound:
        return projects.listing(tx, only_active=True)


def _is_here(tx: Tx, agent: AgentRow, chosen: Sequence[ProjectRow]) -> bool:
    return any(agent.id in {one.id for one in projects.agents_of(tx, project.id)} for project in chosen)


def _assign(tx: Tx, project: ProjectRow, wish: NewAgent) -> bool:
    """Whether it becomes the project's default: the first one that can work, added by a person."""
    projects.assign(tx, project.id, wish.name)
    current = agents.get(tx, project.default_agent) if project.default_agent else None
    if not wish.client or (current and current.client and current.id != wish.name):
        return False
    projects.update(tx, project.id, default_agent=wish.name)
    tasks.reassign(tx, project.id, project.default_agent, wish.name)
    return project.default_agent != wish.name


def agent_body(row: AgentRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "role": row.role,
        "client": row.client or None,
        "command": row.command,
        "model": row.model,
        "system_prompt": row.system_prompt,
        "prompt": row.prompt,
        "scope": dict(row.scope),
        "slots": row.slots,
        "access": row.access,
        "style": row.style,
        "terminal": row.terminal,
        "status": row.status,
        "created_at": iso(row.created_at),
        "warnings": []
        if row.prompt or row.system_prompt
        else ["it has no prompt of its own: tell it your rules with --prompt-file"],
    }


def list_agents(context: HeadContext, project: str, path: str) -> dict[str, Any]:
    with context.store.read() as tx:
        if project or path:
            rows = projects.agents_of(tx, the_project(tx, project, path).id)
        else:
            rows = agents.listing(tx)
        listed = [agent_body(row) | {"projects": _projects_of(tx, row.id)} for row in rows]
    return {"success": True, "agents": listed}


def get_agent(context: HeadContext, name: str) -> dict[str, Any]:
    with context.store.read() as tx:
        row = the_agent(tx, name)
        body = agent_body(row) | {"projects": _projects_of(tx, row.id)}
        body["live_runs"] = [
            run.id for project in body["projects"] for run in runs.live_of_pair(tx, row.id, project)
        ]
        body["sessions"] = [
            project
            for project in body["projects"]
            if any(not token.run for token in tokens.active_of_pair(tx, row.id, project, tx.now))
        ]
    return {"success": True, "agent": body}


def _projects_of(tx: Tx, agent: str) -> list[str]:
    return [
        row.id for row in projects.listing(tx) if agent in {one.id for one in projects.agents_of(tx, row.id)}
    ]


def get_profile(context: HeadContext, agent_id: str) -> dict[str, Any]:
    """For the coordinator that prepares a context directory (S0-06)."""
    with context.store.read() as tx:
        row = the_agent(tx, agent_id)
    return {
        "success": True,
        "agent_id": row.id,
        "name": row.name,
        "role": row.role,
        "ai_type": row.client,
        "system_prompt": row.system_prompt,
    }


def first_agent(tx: Tx, project_id: str) -> AgentRow:
    """The agent that `init` gives a project: one that works elsewhere already, else one without a client."""
    assigned = projects.agents_of(tx, project_id)
    if assigned:
        return assigned[0]
    known = [row for row in agents.listing(tx) if row.client and row.status == "active"]
    if known:
        # lent by another project: it works here too, and the first agent added here takes its place
        projects.assign(tx, project_id, known[0].id)
        return known[0]
    row = agents.get(tx, "worker")
    if row is None:
        row = AgentRow(id="worker", name="worker", role="worker", scope={}, created_at=tx.now)
        agents.insert(tx, row)
        tx.emit("agent_added", {"agent": row.id, "client": ""}, project=project_id)
    projects.assign(tx, project_id, row.id)
    projects.update(tx, project_id, default_agent=row.id)
    return row


def set_assignment(
    context: HeadContext, name: str, project: str, path: str, *, assigned: bool
) -> dict[str, Any]:
    with context.store.change() as tx:
        agent, row = the_agent(tx, name), the_project(tx, project, path)
        (projects.assign if assigned else projects.unassign)(tx, row.id, agent.id)
        tx.emit("agent_assigned" if assigned else "agent_unassigned", {"agent": agent.id}, project=row.id)
        tasks.mark_of_agent(tx, row.id, agent.id)
    return {"success": True, "agent": agent.id, "project": row.id}


def set_status(context: HeadContext, name: str, status: str) -> dict[str, Any]:
    """Enable or disable: a disabled agent is started nowhere; what it is doing goes on."""
    with context.store.change() as tx:
        agent = the_agent(tx, name)
        agents.update(tx, agent.id, status=status)
        tx.emit(f"agent_{status}", {"agent": agent.id})
        for row in projects.listing(tx):
            tasks.mark_of_agent(tx, row.id, agent.id)
    return get_agent(context, name)


def sync_agents(tx: Tx, project_id: str, found: Sequence[NewAgent]) -> dict[str, list[str]]:
    """The project's files are brought into the store: new ones are added, changed ones follow their file."""
    told: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    for wish in found:
        look_over(wish)
        known, columns = agents.get(tx, wish.name), _columns(wish)
        if known is None:
            agents.insert(tx, AgentRow(id=wish.name, name=wish.name, created_at=tx.now, **columns))
            told["added"].append(wish.name)
        elif any(getattr(known, name) != value for name, value in columns.items()):
            agents.update(tx, wish.name, **columns)
            told["changed"].append(wish.name)
        else:
            told["unchanged"].append(wish.name)
        projects.assign(tx, project_id, wish.name)
        tasks.mark_of_agent(tx, project_id, wish.name)
    return told
