"""Briefs: all that a model is to know for one answer, gathered from the store and bounded."""

from __future__ import annotations

from collections.abc import Sequence

from toryo.domain.words import OrderKind, Speaker
from toryo.engine.context import HeadContext
from toryo.engine.missions.repository_seen import seen
from toryo.engine.missions.spec_directories import is_continued
from toryo.engine.planner_settings import language
from toryo.engine.project_settings import settings_of
from toryo.protocol.kinds.planner import (
    AgentBrief,
    Brief,
    FinishedBrief,
    MessageBrief,
    PlanBrief,
    PlannedTask,
    QuestionBrief,
    TaskBrief,
)
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.database.rows import ProjectRow, TaskRow
from toryo.store.tables import claims, gates, landings, missions, plans, projects, runs, texts

OUTPUT = 4000
"""Of what failed, the end."""
FINISHED = 10
MESSAGES = 200
"""Beyond so many the oldest of Toryo's own lines are left out."""
SUMMARY = 1500


def brief_of(context: HeadContext, tx: Tx, row: MissionRow, purpose: OrderKind, *, task: str = "") -> Brief:
    project = projects.get(tx, row.project)
    assert project is not None  # missions have a foreign key to it
    read = seen(tx, row)
    plan = plans.newest(tx, row.id)
    known = missions.planned_of(tx, row.id)
    stuck = next((one for one in known if one.id == task), None)
    settings = settings_of(project.settings)
    return Brief(
        mission=row.id,
        purpose=purpose,
        text=row.text,
        language=language(context, project),
        model=settings.planner.model,
        window=settings.planner.window,
        project=project.name,
        target=row.target,
        scan=(context.blobs.get(read.text) or texts.get(tx, read.text) or "") if read else "",
        has_tests=read.has_tests if read else True,
        agents=_agents(tx, project),
        checks=tuple(check.command for check in settings.dod.checks),
        max_concurrent=_max_concurrent(context),
        size=row.size,
        conversation=_conversation(tx, row),
        questions=tuple(
            QuestionBrief(
                id=one.id, text=one.text, options=tuple(one.options), default=one.default, answer=one.answer
            )
            for one in missions.questions_of(tx, row.id)
        ),
        finished=_finished(tx, row) if purpose is OrderKind.QUESTION and not row.alone else (),
        follows=_followed(tx, row),
        plan=_plan(plan) if plan else None,
        rejected=plan.rejection if plan else "",
        faults=tuple(plan.faults) if plan and plan.request == row.request else (),
        demand=str((row.demand or {}).get("text", "")),
        tasks=tuple(_task(one) for one in known),
        task=_stuck(tx, stuck) if stuck else None,
    )


def _agents(tx: Tx, project: ProjectRow) -> tuple[AgentBrief, ...]:
    return tuple(
        AgentBrief(
            name=one.id, role=one.role, client=one.client, write=tuple((one.scope or {}).get("write") or ())
        )
        for one in projects.agents_of(tx, project.id, only_active=True)
    )


def _max_concurrent(context: HeadContext) -> int:
    return max((one.max_concurrent for one in context.capacities.values()), default=0) or 1


def _conversation(tx: Tx, row: MissionRow) -> tuple[MessageBrief, ...]:
    """What the person and the planner said, all of it: where it is too long the planner has it summarised."""
    said = [one for one in missions.messages_of(tx, row.id) if one.who != Speaker.PROGRESS]
    over = max(0, len(said) - MESSAGES)
    dropped = {one.id for one in [one for one in said if one.who == Speaker.SYSTEM][:over]}
    kept = (one for one in said if one.id not in dropped)
    return tuple(MessageBrief.model_validate({"who": one.who, "text": one.text}) for one in kept)


def _finished(tx: Tx, row: MissionRow) -> tuple[FinishedBrief, ...]:
    return tuple(_one_finished(tx, one) for one in missions.finished(tx, row.project, FINISHED))


def _followed(tx: Tx, row: MissionRow) -> FinishedBrief | None:
    before = missions.get(tx, row.follows) if row.follows else None
    return _one_finished(tx, before, whole=True) if before else None


def _one_finished(tx: Tx, row: MissionRow, *, whole: bool = False) -> FinishedBrief:
    plan = plans.newest(tx, row.id)
    summary = (plan.spec if whole else plan.spec[:SUMMARY]) if plan else ""
    spec = row.spec_dir if is_continued(tx, row) else ""
    return FinishedBrief(mission=row.id, title=row.title, spec=spec, summary=summary)


def _plan(row: PlanRow) -> PlanBrief:
    planned = tuple(PlannedTask.model_validate(one) for one in row.tasks)
    return PlanBrief(version=row.version, spec=row.spec, plan=row.plan, tasks=planned)


def _task(row: TaskRow) -> TaskBrief:
    return TaskBrief(
        id=row.planned or row.id,
        task=row.id,
        title=row.title,
        status=row.status,
        reason=row.reason,
        detail=row.detail[:500],
    )


def _stuck(tx: Tx, row: TaskRow) -> TaskBrief:
    """With what failed: the end of the check that is red, else the agent's last words."""
    return _task(row).model_copy(update={"description": row.description, "output": _output(tx, row)})


def _output(tx: Tx, row: TaskRow) -> str:
    landed: Sequence[object] = landings.of_task(tx, row.id)
    gate = landings.of_task(tx, row.id)[-1].gate if landed else ""
    failed = [one for one in gates.checks_of(tx, gate) if one.result == "failed"] if gate else []
    if failed:
        return f"$ {failed[-1].command}\n{failed[-1].tail[-OUTPUT:]}"
    said = claims.of_task(tx, row.id)
    if said:
        return said[-1].summary[-OUTPUT:]
    past = runs.of_task(tx, row.id)
    words = (past[-1].said or {}).get("words") or (past[-1].said or {}).get("message") if past else ""
    return str(words or "")[-OUTPUT:]
