"""`branch delete`: the order that lets a branch go and keeps what it held."""

from __future__ import annotations

import shlex
from typing import Any

from toryo.domain.words import OrderKind
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub
from toryo.protocol.kinds.branch import DropBranchInputs
from toryo.protocol.views.repositories import BranchView, DeletedBranch
from toryo.store.tables import projects
from toryo.usecases.branches.branches import refuse_in_use, refuse_remote
from toryo.usecases.finding import the_project
from toryo.usecases.runs.remote_reads import insert_once


def order(context: HeadContext, project: str, one: BranchView, seen: str, target: str) -> str:
    """`seen`: the commit that the person looked at; empty: the one it is at now."""
    refuse_remote(one)
    with context.store.change() as tx:
        row = the_project(tx, project)
        refuse_in_use(tx, row, one["name"])
        inputs = DropBranchInputs(repo=row.path, branch=one["name"], old=seen or one["commit"], target=target)
        return insert_once(tx, OrderKind.DROP_BRANCH, hub(row), inputs, project=row.id)


def told(context: HeadContext, project: str, branch: str, body: dict[str, Any]) -> DeletedBranch:
    with context.store.change() as tx:
        row = projects.get(tx, project)
        if row is not None:
            event = {"branch": branch, "commit": body["commit"], "kept": body["kept"]}
            tx.emit("branch_deleted", event, project=row.id)
    path = row.path if row else ""
    back = f"git -C {shlex.quote(path)} branch {shlex.quote(branch)} {body['commit']}"
    return {
        "success": True,
        "branch": branch,
        "commit": str(body["commit"]),
        "unmerged": body["unmerged"],
        "kept": str(body["kept"]),
        "back": back,
    }
