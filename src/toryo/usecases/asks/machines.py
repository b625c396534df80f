"""Reads of the machines: what is installed there, for the doctor."""

from __future__ import annotations

from toryo.domain.client_names import program_of
from toryo.engine.context import HeadContext
from toryo.protocol.asks import HealthRead
from toryo.store.tables import agents, coordinators
from toryo.usecases.asks.read import Read


def health(context: HeadContext) -> list[tuple[str, Read]]:
    """By machine: one coordinator of each is asked, if any answers."""
    with context.store.read() as tx:
        live = [row for row in coordinators.listing(tx) if row.incarnation and not row.unseen]
        named = {program_of(agent.client, agent.command) for agent in agents.listing(tx)}
    asked = {row.machine: row.id for row in reversed(live)}
    programs = tuple(sorted(name for name in named if name and "/" not in name))
    return [(machine, Read(place, HealthRead(programs=programs))) for machine, place in asked.items()]
