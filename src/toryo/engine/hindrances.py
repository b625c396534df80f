"""Hindrances now, such as a full disk: reported by coordinators with each heartbeat, and our own.

A level, kept in memory only: where the disk is full nothing could be written down anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toryo import disks
from toryo.engine.context import HeadContext
from toryo.protocol.views import status as views


def note(context: HeadContext, coordinator: str, told: Sequence[Mapping[str, str]]) -> None:
    if told:
        context.hindrances[coordinator] = tuple((one["what"], one["hint"]) for one in told)
    else:
        context.hindrances.pop(coordinator, None)


def shown(context: HeadContext) -> list[views.InstallationProblem]:
    """Each once, with the line to type."""
    found: dict[str, str] = {}
    home = context.home.path
    if disks.is_full(home):
        full = disks.full(home)
        found[f"{full.message} Nothing new can be written down: everything waits until there is room."] = (
            full.hint
        )
    for told in tuple(context.hindrances.values()):  # a heartbeat may change them meanwhile
        for what, hint in told:
            found[f"orders wait: {what}"] = hint
    return [{"project": "machine", "what": what, "type": hint} for what, hint in found.items()]
