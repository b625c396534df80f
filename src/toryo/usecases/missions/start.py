"""Mission start: a person's request is stored whole before anything is asked about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toryo.domain import subjects
from toryo.domain.errors import UserError
from toryo.domain.ids import MissionId
from toryo.domain.speckit import directories
from toryo.domain.words import MISSION_ENDED, Approval, MissionStatus, Speaker
from toryo.engine import planner_settings
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.missions.budgets import refuse_wrong
from toryo.engine.missions.conversation import say
from toryo.engine.missions.plan_rules import keep_plan
from toryo.engine.missions.spec_directories import is_continued
from toryo.protocol.views import missions as views
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import missions
from toryo.usecases.finding import project_at, refuse_inactive, the_mission, the_project
from toryo.usecases.missions.taken_in import TakenIn

LONGEST_REQUEST = 200_000


class SettingsRequired(UserError):
    """AI settings are required."""


@dataclass(frozen=True)
class NewMission:
    text: str
    project: str = ""
    path: str = ""
    target: str = ""
    plan_only: bool = False
    approval: str = ""
    follow: str = ""
    new: bool = False
    budget: Mapping[str, float] = field(default_factory=dict)
    taken: TakenIn | None = None


def start_mission(context: HeadContext, wish: NewMission) -> views.StartedMission:
    taken = wish.taken
    text = wish.text.strip() or (f"{taken.title}: as {taken.folder} says" if taken else "")
    if taken and wish.follow:
        raise UserError("A folder that is taken in follows nothing.", hint="Leave out --follow or --from.")
    if not text:
        raise UserError("A mission needs a sentence.", hint='Type: toryo do "what is wanted"')
    if len(text) > LONGEST_REQUEST:
        raise UserError("The request is too long.", hint="Put details into a file of the project.")
    refuse_wrong(wish.budget)
    if taken is None:
        insist_on_model(context, wish.project, wish.path)
    notes: tuple[str, ...] = ()
    with context.store.change() as tx:
        project = the_project(tx, wish.project, wish.path)
        refuse_inactive(project)
        follows = _followed(tx, project, wish.follow)
        row = insert_mission(
            context,
            tx,
            project,
            text=text,
            target=wish.target or project.base,
            approval=wish.approval,
            plan_only=wish.plan_only,
            follows=follows.id if follows else "",
            spec_dir=f"{taken.folder}/" if taken else _continued(tx, follows),
            alone=wish.new,
            taken_from=taken.folder if taken else "",
            title=taken.title if taken else "",
            budget=wish.budget,
        )
        if taken:
            plan = keep_plan(tx, row, taken.answer, tasks_text=taken.tasks_text)
            notes = tuple(f"the plan cannot be started like this: {fault}" for fault in plan.faults)
    return started(row, notes)


def insert_mission(
    context: HeadContext,
    tx: Tx,
    project: ProjectRow,
    *,
    text: str,
    target: str,
    approval: str = "",
    plan_only: bool = False,
    follows: str = "",
    spec_dir: str = "",
    alone: bool = False,
    taken_from: str = "",
    title: str = "",
    budget: Mapping[str, float] | None = None,
) -> MissionRow:
    id = MissionId(new_id("n"))
    row = MissionRow(
        id=id,
        project=project.id,
        target=target,
        title=title or _first_line(text),
        text=text,
        approval=_approval(context, project, approval),
        plan_only=plan_only,
        follows=MissionId(follows),
        alone=alone,
        taken_from=taken_from,
        spec_dir=spec_dir or directories.by_id(id),
        budget=dict(budget or {}),
        created_at=tx.now,
        changed_at=tx.now,
        status=MissionStatus.QUESTIONING,
    )
    missions.insert(tx, row)
    say(tx, row.id, Speaker.PERSON, text)
    tx.emit(
        "mission_started",
        {"mission": row.id, "title": row.title[:200]},
        project=project.id,
        subject=subjects.mission(row.id),
    )
    tx.mark(subjects.mission(row.id))
    return row


def insist_on_model(context: HeadContext, project: str = "", path: str = "") -> None:
    """Refuses what only a model can answer while none is configured; names what the project proposes."""
    with context.store.read() as tx:
        if planner_settings.is_usable(context, tx):
            return
        hint = (
            "`toryo planner use claude` takes an installed CLI, "
            "`toryo planner use --url URL --model NAME` an endpoint; then again."
        )
        row = project_at(tx, project, path)
        if proposed := planner_settings.proposal(row) if row else "":
            hint = f"The project proposes `{proposed}`: typed by you, it counts. Else: {hint}"
        raise SettingsRequired(hint=hint)


def started(row: MissionRow, notes: tuple[str, ...]) -> views.StartedMission:
    return {
        "success": True,
        "mission": row.id,
        "status": row.status,
        "reason": row.reason,
        "project": row.project,
        "target": row.target,
        "notes": list(notes),
    }


def _followed(tx: Tx, project: ProjectRow, text: str) -> MissionRow | None:
    if not text:
        return None
    row = the_mission(tx, text)
    if row.project != project.id:
        raise UserError(f"{row.id} is a mission of another project.", hint="See `toryo mission list`.")
    if row.status not in MISSION_ENDED:
        raise UserError(
            f"{row.id} is {row.status}: a mission is followed once it has ended.",
            hint=f"`toryo mission say {row.id} TEXT` changes one that is under way.",
        )
    return row


def _continued(tx: Tx, before: MissionRow | None) -> str:
    return before.spec_dir if before and is_continued(tx, before) else ""


def _approval(context: HeadContext, project: ProjectRow, wish: str) -> str:
    """The strictest of home, project and what was typed: nobody is asked less than their settings say."""
    ours = planner_settings.approval(context, project)
    return max((Approval(wish) if wish else ours, ours), key=planner_settings.STRICTNESS.__getitem__)


def _first_line(text: str) -> str:
    return " ".join(text.split())[:200]
