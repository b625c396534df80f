"""`branch open` and `branch start`: the order for a worktree, and for an agent CLI in it by hand."""

from __future__ import annotations

import shlex
from typing import Any

from toryo.domain.client_names import AGENT_CLIS, OUTSIDE, PROGRAMS
from toryo.domain.errors import Refused
from toryo.domain.words import OrderKind
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub
from toryo.engine.project_settings import settings_of
from toryo.protocol.kinds.branch import OpenBranchInputs
from toryo.protocol.views.repositories import BranchView, OpenedBranch, StartedOnBranch
from toryo.store.database.rows import AgentRow
from toryo.usecases.branches.branches import refuse_live, refuse_remote
from toryo.usecases.finding import refuse_removed, the_agent, the_project
from toryo.usecases.runs.remote_reads import insert_once


def order(context: HeadContext, project: str, one: BranchView, agent: str = "") -> str:
    refuse_remote(one)
    with context.store.change() as tx:
        row = the_project(tx, project)
        refuse_removed(row)
        chosen = the_agent(tx, agent, row.id) if agent else None
        if chosen is not None:
            _refuse_without_screen(chosen)
            refuse_live(tx, row, one["name"])
        inputs = OpenBranchInputs(
            repo=row.path,
            branch=one["name"],
            worktree_root=settings_of(row.settings).worktrees,
            client=chosen.client if chosen else "",
            model=chosen.model if chosen else "",
        )
        return insert_once(tx, OrderKind.OPEN_BRANCH, hub(row), inputs, project=row.id)


def _refuse_without_screen(agent: AgentRow) -> None:
    if agent.client in (*PROGRAMS, OUTSIDE, ""):
        raise Refused(
            f"{agent.id} is no agent CLI with a screen of its own ({agent.client or 'no client'}).",
            hint=f"An agent of one of them: {', '.join(AGENT_CLIS)}; `toryo agent list` shows yours.",
        )


def opened(branch: str, body: dict[str, Any]) -> OpenedBranch:
    path = str(body["path"])
    line = f"cd {shlex.quote(path)}"
    return {"success": True, "branch": branch, "path": path, "is_new": bool(body["is_new"]), "line": line}


def started(branch: str, agent: str, body: dict[str, Any]) -> StartedOnBranch:
    argv = [str(word) for word in body["argv"]]
    told = {"agent": agent, "argv": argv, "attach": shlex.join(argv)}
    return {**opened(branch, body), **told}  # type: ignore[typeddict-item]
