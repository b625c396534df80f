"""Planner settings in force: whether a model can be asked, and who approves plans."""

from __future__ import annotations

import shlex

from toryo.domain.words import Approval, PlaceKind
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.engine.project_settings import settings_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import coordinators

STRICTNESS = {Approval.AUTO: 0, Approval.PLAN: 1, Approval.EACH: 2}


def is_usable(context: HeadContext, tx: Tx) -> bool:
    """By the home's settings, or because a planner is there that was started with others."""
    if in_force(context).planner.is_set:
        return True
    known = coordinators.listing(tx, PlaceKind.PLANNER)
    return any(row.incarnation and not row.unseen for row in known)  # one without a model does not register


def approval(context: HeadContext, project: ProjectRow) -> Approval:
    """The stricter one of home and project."""
    ours, wish = Approval(in_force(context).approval), settings_of(project.settings).approval
    return max((ours, Approval(wish) if wish else ours), key=STRICTNESS.__getitem__)


def language(context: HeadContext, project: ProjectRow) -> str:
    return settings_of(project.settings).planner.language or in_force(context).planner.language


def proposal(project: ProjectRow) -> str:
    """The line that takes what the project would have plan; empty: it proposes nothing.

    Where keys and prompts go is no committed file's to decide: it counts once a person has typed it."""
    wish = settings_of(project.settings).planner
    if wish.via and wish.via != "http":
        words = ["toryo", "planner", "use", wish.via, *(["--model", wish.model] if wish.model else [])]
    elif wish.base_url:
        words = ["toryo", "planner", "use", "--url", wish.base_url, "--model", wish.model or "NAME"]
        words += ["--key-env", wish.api_key_env] if wish.api_key_env else []
    else:
        return ""
    return shlex.join(words)
