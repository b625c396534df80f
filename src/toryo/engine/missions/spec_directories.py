"""Spec directories of missions: by the mission's id, or numbered behind those that the repository has."""

from __future__ import annotations

from toryo.domain.speckit import directories
from toryo.domain.words import FilesPurpose, MissionStatus
from toryo.engine.missions.repository_seen import seen
from toryo.engine.project_settings import settings_of
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import landings, missions, projects


def directory_of(tx: Tx, row: MissionRow, title: str) -> str:
    """For a mission that continues none, once its title is known."""
    project = projects.get(tx, row.project)
    if project is None or settings_of(project.settings).specs.naming != "numbered":
        return row.spec_dir
    return directories.by_number(title, _taken(tx, row))


def is_continued(tx: Tx, before: MissionRow) -> bool:
    """Whether who follows it goes on in its directory: of one that ended early only if its spec is there."""
    if before.status == MissionStatus.COMPLETED or before.taken_from:
        return True
    files = landings.of_mission(tx, before.id)
    return any(one.key.startswith(f"{FilesPurpose.SPEC}/") and one.published_at is not None for one in files)


def _taken(tx: Tx, row: MissionRow) -> set[str]:
    """Names below `specs/`: of the repository as it was scanned, and of missions that wrote nothing yet."""
    read = seen(tx, row)
    planned = missions.spec_dirs(tx, row.project, but=row.id)
    paths = [*(read.paths if read else ()), *planned]
    root = directories.ROOT
    return {path.removeprefix(root).split("/")[0] for path in paths if path.startswith(root)}
