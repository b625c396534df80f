"""Landings of files: what a mission lands of its own, without a task and without a run.

The texts are kept with the transaction that asks for it, so it can be written again on any tip.
"""

from __future__ import annotations

from collections.abc import Sequence

from toryo.domain import subjects
from toryo.domain.errors import UserError
from toryo.domain.ids import LandingId, ProjectId
from toryo.domain.words import FilesPurpose, Verdict
from toryo.engine.ids import new_id
from toryo.engine.subjects.withdrawal import withdraw_landing
from toryo.protocol.kinds.files import path_fault
from toryo.reconciler.queueing import FILES, LANDED, STALE
from toryo.reconciler.subjects import DROPPED, REMOVED
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import LandingRow
from toryo.store.tables import landings, texts

Files = Sequence[tuple[str, str | None]]
"""Path and text; None: the file goes."""


_NOT_STUCK = ("", LANDED, STALE, REMOVED, DROPPED)


class FilesImpossible(UserError):
    """A file cannot be landed at that path."""


def land_files(
    tx: Tx, mission: MissionRow, purpose: FilesPurpose, version: int, files: Files, message: str
) -> str:
    """Queue the files on the mission's target; the id of the landing.

    Asked again for the same purpose and version, it is the newest attempt at what was asked for first."""
    key = f"{purpose}/{version}"
    known = [one for one in landings.of_mission(tx, mission.id) if one.key == key]
    if known:
        return known[-1].id
    for path, _ in files:
        if fault := path_fault(path):
            raise FilesImpossible(f"{path!r} {fault}.", hint="Name a file of the repository below its root.")
    listed = [{"path": path, "blob": "" if text is None else texts.put(tx, text)} for path, text in files]
    landing = LandingRow(
        id=LandingId(new_id("l")),
        project=ProjectId(mission.project),
        target=mission.target,
        kind=FILES,
        mission=mission.id,
        files=listed,
        key=key,
        message=message,
        head="",
        created_at=tx.now,
    )
    return _queue(tx, landing)


def land_again(tx: Tx, landing: LandingRow, *, trusted: bool = False) -> str:
    """The same files once more, to be written on the tip of then; its id. It keeps its age."""
    fresh = LandingRow(
        id=LandingId(new_id("l")),
        project=landing.project,
        target=landing.target,
        kind=FILES,
        mission=landing.mission,
        files=landing.files,
        key=landing.key,
        message=landing.message,
        head="",
        priority=landing.priority,
        trusted=trusted or landing.trusted,
        created_at=landing.created_at,
    )
    return _queue(tx, fresh)


def files_landings(tx: Tx, mission: str) -> list[LandingRow]:
    """The newest attempt of each purpose and version, in the order in which they were asked for."""
    newest = {one.key: one for one in landings.of_mission(tx, mission)}
    return list(newest.values())


def land_stuck_again(tx: Tx, mission: str) -> bool:
    """A person has the files tried once more that could not be landed; whether there were any.

    It is their yes to a gate that was only flaky."""
    stuck = [one for one in files_landings(tx, mission) if one.ended not in _NOT_STUCK]
    for landing in stuck:
        land_again(tx, landing, trusted=landing.ended == Verdict.FLAKY)
    return bool(stuck)


def withdraw_files(tx: Tx, mission: str) -> None:
    """Of a mission that was given up: what has not reached the tip lands no more."""
    for landing in landings.of_mission(tx, mission):
        if not landing.ended and landing.accepted_at is None:
            withdraw_landing(tx, landing)


def _queue(tx: Tx, landing: LandingRow) -> str:
    landings.insert(tx, landing)
    mission = subjects.mission(landing.mission)
    told = {"landing": landing.id, "files": landing.key}
    tx.emit("landing_queued", told, project=landing.project, subject=mission)
    tx.mark(subjects.queue(landing.project, landing.target))
    tx.mark(mission)
    return landing.id
