"""Spec directories of missions: by the mission's id, or numbered behind those that the repository has."""

from __future__ import annotations

from toryo.domain.speckit import directories
from toryo.engine.project_settings import settings_of
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions, projects, scans


def directory_of(tx: Tx, row: MissionRow, title: str) -> str:
    """For a mission that continues none, once its title is known."""
    project = projects.get(tx, row.project)
    if project is None or settings_of(project.settings).specs.naming != "numbered":
        return row.spec_dir
    return directories.by_number(title, _taken(tx, row))


def _taken(tx: Tx, row: MissionRow) -> set[str]:
    """Names below `specs/`: of the repository as it was scanned, and of missions that wrote nothing yet."""
    target = projects.target(tx, row.project, row.target)
    seen = scans.get(tx, row.project, target.tip) if target else None
    planned = missions.spec_dirs(tx, row.project, but=row.id)
    paths = [*(seen.paths if seen else ()), *planned]
    root = directories.ROOT
    return {path.removeprefix(root).split("/")[0] for path in paths if path.startswith(root)}
