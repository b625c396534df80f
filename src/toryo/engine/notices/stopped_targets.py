"""Stopped targets as a person is told of them: why nothing lands there, and what to type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toryo.domain import reason_words, subjects
from toryo.domain.actions import Action, Do, lines
from toryo.domain.advice import Around, next_actions
from toryo.domain.ids import ProjectId
from toryo.domain.reasons import STOPS, About, Reason, meaning
from toryo.domain.subjects import SubjectKind
from toryo.domain.words import TaskStatus
from toryo.reconciler.notices import NEEDS_YOU, Change
from toryo.store.database.engine import Tx
from toryo.store.database.rows import EventRow, ProjectRow, TargetRow, TaskRow
from toryo.store.gather import needed, subject_facts
from toryo.store.tables import landings, projects, tasks

STOPPED, RESUMED = "queue_stopped", "queue_resumed"
KINDS = frozenset({STOPPED, RESUMED, "target_approved", "target_retried"})
"""Events that are looked at: it stopped, it goes on, or a person's own word."""
MOST_NAMED = 5


@dataclass(frozen=True)
class ToldTarget:
    """A target with the fields that every told row has."""

    id: str
    project: ProjectId
    title: str
    reason: str
    status: str
    row: TargetRow


def target_of(event: EventRow) -> str:
    return event.subject if event.kind in KINDS else ""


def get(tx: Tx, subject: str) -> ToldTarget | None:
    if not subject.startswith(f"{SubjectKind.TARGET}:"):
        return None
    project, _, name = subjects.parse(subject)[1].partition("/")
    row = projects.target(tx, project, name)
    if row is None:
        return None
    status = TaskStatus.BLOCKED if row.stopped else TaskStatus.READY
    return ToldTarget(subject, row.project, row.name, row.stopped, status, row)


def kind_of(tx: Tx, target: ToldTarget) -> str:
    """What a person would be told of it; empty: nothing, or its tasks are told of, each by itself."""
    row, project = target.row, projects.get(tx, target.project)
    if row.closed or project is None or project.status != "active":
        return ""
    those = [row]
    if (
        row.stopped and meaning(row.stopped).about is About.PROJECT
    ):  # it stops all of them: the first one tells
        those = [one for one in projects.targets_of(tx, row.project) if one.stopped == row.stopped]
    if those[0].name != row.name or any(needed.held_by_target(tx, row.project, one.name, 1) for one in those):
        return ""
    return _kind(row.stopped)


def change(event: EventRow) -> Change:
    if event.kind in (STOPPED, RESUMED):
        return Change(event.seq, event.at, event.subject, _kind(str(event.body.get("why") or "")))
    return Change(event.seq, event.at, event.subject, by_person=True)


def about(tx: Tx, target: ToldTarget) -> dict[str, Any]:
    """What is said of it: why, and the line to type."""
    project = projects.get(tx, target.project)
    typed = lines(actions(project, target.row)) if project else ()
    told = why(tx, project, target.row) if project else ""
    return {"target": target.row.name, "why": told, "type": typed[0] if typed else "toryo target list"}


def why(tx: Tx, project: ProjectRow, target: TargetRow) -> str:
    named = f"{target.name} of {project.name}"
    if target.stopped != Reason.TARGET_REWOUND:
        detail = subject_facts.base(tx, target)[1] if target.stopped.startswith("base_") else ""
        return f"{named}: {reason_words.told(target.stopped, detail)}"
    gone = ", ".join(row.id for row in removed(tx, target)[:MOST_NAMED])
    more = len(removed(tx, target)) - MOST_NAMED
    lost = f"; no longer on it: {gone}" + (f" and {more} more" if more > 0 else "")
    return f"{named} was moved back by hand" + (lost if gone else "")


def removed(tx: Tx, target: TargetRow) -> list[TaskRow]:
    """The tasks whose work a person took off it since it was last followed to where they had put it."""
    since = landings.last_followed_at(tx, target.project, target.name)
    return tasks.removed_since(tx, target.project, target.name, since)


def actions(project: ProjectRow, target: TargetRow) -> tuple[Action, ...]:
    """What a person may do about it, the likeliest first."""
    around = Around(path=project.path, project=project.name, target=target.name)
    found = next_actions("", TaskStatus.BLOCKED, target.stopped, "", around)
    return tuple(one for one in found if one.do is not Do.EVIDENCE)  # that is a task's


def _kind(stopped: str) -> str:
    return NEEDS_YOU if stopped in STOPS else ""
