"""Default agents: who works on a project's tasks that name nobody, and tasks without an agent."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.client_names import AGENT_CLIS
from toryo.engine.project_settings import settings_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, CoordinatorRow, ProjectRow
from toryo.store.tables import agents, coordinators, projects, tasks


def default_agent(tx: Tx, project: ProjectRow) -> str:
    """The project's own choice, else the one of its agents that can work soonest."""
    assigned = projects.agents_of(tx, project.id, only_active=True)
    names = [agent.id for agent in assigned]
    for wish in (settings_of(project.settings).default_agent, project.default_agent):
        if wish in names:
            return wish
    # the last resort is one whose client is not installed: its first run says how to install it
    ranked = sorted(assigned, key=lambda one: (not one.client, is_missing(tx, project.machine, one.client)))
    return ranked[0].id if ranked else ""


def unknown_wish(tx: Tx, project_id: str) -> list[str]:
    """A note where the settings name a default agent that is none of the project's: another one works."""
    project = projects.get(tx, project_id)
    wish = settings_of(project.settings).default_agent if project else ""
    if not wish or wish in [agent.id for agent in projects.agents_of(tx, project_id)]:
        return []
    cure = f"toryo agent assign {wish}" if agents.get(tx, wish, project_id) else "toryo agent list"
    return [f"default_agent in .toryo/config.yaml: {wish!r} is no agent of this project; type: {cure}"]


def found(row: CoordinatorRow) -> list[str]:
    """The clients whose program it found."""
    return [name for name, path in coordinators.clients_of(row).items() if path]


def installed_clis(tx: Tx, machine: str) -> tuple[str, ...]:
    told = {name for row in coordinators.listing(tx) if row.machine == machine for name in found(row)}
    return tuple(name for name in AGENT_CLIS if name in told)


def is_missing(tx: Tx, machine: str, client: str) -> bool:
    """Whether a coordinator of the machine said what is installed there, without this agent CLI."""
    known = any(row.machine == machine and row.incarnation for row in coordinators.listing(tx))
    return known and client in AGENT_CLIS and client not in installed_clis(tx, machine)


@dataclass(frozen=True)
class Settled:
    """What became of a project's default agent, and which tasks have another agent than before."""

    default: str = ""
    changed: bool = False
    took: tuple[str, ...] = ()


def settle(tx: Tx, project_id: str, wish: str = "") -> Settled:
    """Keep the default, or take a person's wish; one that is gone or cannot work gives way to one that can.

    Tasks without an agent go to the default then, and so do those of a default that never had a client."""
    project = projects.get(tx, project_id)
    if project is None:
        return Settled()
    assigned = projects.agents_of(tx, project_id)
    current = next((one for one in assigned if one.id == project.default_agent), None)
    chosen = wish or _chosen(tx, project, assigned, current)
    if chosen != project.default_agent:
        projects.update(tx, project_id, default_agent=chosen)
    took: list[str] = []
    if current and not current.client and chosen != current.id:
        took += _hand_over(tx, project_id, current.id, chosen)
    took += _hand_over(tx, project_id, "", default_agent(tx, projects.get(tx, project_id) or project))
    return Settled(chosen, bool(chosen) and chosen != project.default_agent, tuple(took))


def _chosen(tx: Tx, project: ProjectRow, assigned: list[AgentRow], current: AgentRow | None) -> str:
    if current and current.client:
        return current.id
    able = [
        one
        for one in assigned
        if one.client and one.status == "active" and not is_missing(tx, project.machine, one.client)
    ]
    if able:
        return able[0].id
    if current:
        return current.id
    return next((one.id for one in assigned if not is_missing(tx, project.machine, one.client)), "")


def _hand_over(tx: Tx, project: str, old: str, new: str) -> list[str]:
    """Tasks on which nobody has worked yet; their ids."""
    if not new or old == new:
        return []
    before = agents.tasks_needing(tx, project, old)
    if not before:
        return []
    tasks.reassign(tx, project, old, new)
    left = set(agents.tasks_needing(tx, project, old))
    return [task for task in before if task not in left]
