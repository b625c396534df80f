"""Opening of targets: a branch beside the project's base that work lands on from now on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain import subjects
from toryo.domain.ids import ProjectId
from toryo.engine.context import HeadContext
from toryo.engine.project_settings import settings_of
from toryo.protocol.kinds.repository import AdoptInputs
from toryo.store.database.rows import ProjectRow, TargetRow
from toryo.store.tables import projects
from toryo.usecases.finding import refuse_inactive, the_project


def of_project(context: HeadContext, project: str, path: str, branch: str) -> tuple[ProjectRow, bool]:
    """The project, and whether work may land on that branch of it already."""
    with context.store.read() as tx:
        row = the_project(tx, project, path)
        refuse_inactive(row)
        return row, bool(branch) and projects.target(tx, row.id, branch) is not None


def adopt_inputs(context: HeadContext, project: str, branch: str) -> AdoptInputs:
    with context.store.read() as tx:
        row = the_project(tx, project)
    return AdoptInputs(
        path=row.path,
        project=row.id,
        installation=context.installation,
        base=branch,
        worktree_root=settings_of(row.settings).worktrees,
    )


def open_target(
    context: HeadContext, project: str, branch: str, survey: Mapping[str, Any], adopted: Mapping[str, Any]
) -> None:
    with context.store.change() as tx:
        if projects.target(tx, project, branch) is not None:
            return  # somebody else opened it meanwhile
        row = TargetRow(
            project=ProjectId(project),
            name=branch,
            tip=str(adopted["tip"]),
            tip_tree=str(adopted["tip_tree"]),
            published=str(survey["base_commit"]),
            seen=str(survey["base_commit"]),
            seen_tree=str(survey["base_tree"]),
            waiting=[],
        )
        projects.put_target(tx, row)
        tx.emit(
            "target_opened",
            {"target": branch, "commit": row.tip},
            project=project,
            subject=subjects.target(ProjectId(project), branch),
        )
        tx.mark(subjects.queue(ProjectId(project), branch))
