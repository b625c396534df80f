"""Files of a mission: whether it writes any, and the texts of its spec, plan and tasks."""

from __future__ import annotations

from collections.abc import Collection

from toryo.domain.speckit import documents, tasks_file, tasks_writer
from toryo.domain.words import Size
from toryo.engine.missions.plan_rules import planned
from toryo.engine.project_settings import settings_of
from toryo.protocol.kinds.planner import PlannedTask
from toryo.store.database.blobs import blob_hash
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import plans


def writes_files(project: ProjectRow, row: MissionRow) -> bool:
    """By the project's setting; a small mission writes none unless it says always."""
    if row.root:  # a tree's own files are its units'
        return False
    if row.taken_from:
        return True
    match settings_of(project.settings).specs.write:
        case "always":
            return True
        case "never":
            return False
        case _:
            return row.size != Size.SMALL


def artefacts(row: MissionRow, plan: PlanRow) -> list[tuple[str, str]]:
    """Path and text of each."""
    folder = row.spec_dir.rstrip("/")
    return [
        (f"{folder}/spec.md", _ended(plan.spec)),
        (f"{folder}/plan.md", _ended(plan.plan)),
        (f"{folder}/tasks.md", tasks_text(row, plan)),
    ]


def exported(tx: Tx, row: MissionRow) -> dict[str, list[str]]:
    """By path the hash of what each version of its plan was exported as: texts of ours, not a person's."""
    found: dict[str, list[str]] = {}
    for plan in plans.of_mission(tx, row.id):
        for path, text in artefacts(row, plan):
            found.setdefault(path, []).append(blob_hash(text))
    return {path: list(dict.fromkeys(hashes)) for path, hashes in found.items()}


def tasks_text(row: MissionRow, plan: PlanRow, landed: Collection[str] = ()) -> str:
    """As it was taken in, or written by us; with the tasks ticked that have landed."""
    written = plan.tasks_text or _written(row, plan)
    return tasks_file.tick(written, landed) if landed else written


def _written(row: MissionRow, plan: PlanRow) -> str:
    tasks = [planned(PlannedTask.model_validate(one)) for one in plan.tasks]
    title = documents.title(plan.spec) or row.title
    return tasks_writer.write(tasks, title, documents.story_titles(plan.spec))


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
