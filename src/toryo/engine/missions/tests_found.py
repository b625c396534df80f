"""Test detection, repeated: a repository without tests is read again after work of a mission has landed.

What is found is offered in the conversation; a person puts it in force.
"""

from __future__ import annotations

from collections.abc import Sequence

from toryo.domain.words import Speaker
from toryo.engine.missions.conversation import say
from toryo.engine.orders.files import want_scan
from toryo.engine.project_settings import settings_of
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import missions, projects, scans

BEGINS = "The repository has tests now"
NEWEST = 20


def detect_again(tx: Tx, project: ProjectRow, row: MissionRow) -> None:
    """Have the tip read, where no check is in force, none was found, and something has landed since."""
    target = projects.target(tx, row.project, row.target)
    if target is None or settings_of(project.settings).dod.checks or not scans.found_none(tx, row.project):
        return
    if _has_landed(tx, row) and not _is_told(tx, row):
        want_scan(tx, project, target.tip)


def offer(tx: Tx, project: ProjectRow, commands: Sequence[str]) -> None:
    """To each mission that began without tests."""
    if not commands or settings_of(project.settings).dod.checks or not scans.found_none(tx, project.id):
        return
    listed = ", ".join(f"{{type: tests_pass, command: '{one}'}}" for one in commands)
    text = (
        f"{BEGINS}: {'; '.join(commands)}. They check every task once .toryo/config.yaml on {project.base} "
        f"says `dod: {{checks: [{listed}]}}`."
    )
    for row in missions.newest(tx, project=project.id, limit=NEWEST):
        if _has_landed(tx, row) and not _is_told(tx, row):
            say(tx, row.id, Speaker.SYSTEM, text)


def _has_landed(tx: Tx, row: MissionRow) -> bool:
    return any(one.landed_commit for one in missions.planned_of(tx, row.id))


def _is_told(tx: Tx, row: MissionRow) -> bool:
    return any(one.text.startswith(BEGINS) for one in missions.messages_of(tx, row.id))
