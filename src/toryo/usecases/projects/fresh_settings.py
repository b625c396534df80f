"""Fresh settings: a commit that a person has just made is read before what depends on it is decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.engine.context import HeadContext
from toryo.engine.facts.projects import TELLS
from toryo.engine.orders.compose import settings_changed
from toryo.engine.orders.insertion import hub
from toryo.protocol.asks import TargetRead
from toryo.store.tables import projects
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import the_project


def read_of_base(context: HeadContext, text: str, path: str) -> Read:
    """Where the branch stands that says which settings are in force."""
    with context.store.read() as tx:
        row = the_project(tx, text, path)
        insist_heard(tx, hub(row))
        target = projects.target(tx, row.id, row.base)
    published = target.published if target else ""
    inputs = TargetRead(project=row.id, repo=row.path, target=row.base, published=published)
    return Read(hub(row), inputs)


def are_in_force(context: HeadContext, seen: Mapping[str, Any]) -> bool:
    """Whether the settings of that sight are the ones that count, or will not come to be."""
    if seen.get("relation") not in TELLS:
        return True
    with context.store.read() as tx:
        row = projects.get(tx, str(seen.get("project")))
    return row is None or not settings_changed(row, str(seen.get("settings_tree", "")))
