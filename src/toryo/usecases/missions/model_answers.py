"""Answers of the model, applied: each is a claim with a form, kept as rows of its mission."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from toryo.domain import subjects
from toryo.domain.speckit import directories
from toryo.domain.times import iso
from toryo.domain.words import MissionStatus, OrderKind, Speaker
from toryo.engine.context import HeadContext
from toryo.engine.missions.conversation import say
from toryo.engine.missions.plan_rules import keep_plan
from toryo.engine.missions.questions import Wanted, ask
from toryo.engine.missions.spec_directories import directory_of
from toryo.engine.orders.planner import is_stale
from toryo.protocol.base import Model
from toryo.protocol.kinds.planner import (
    ANSWERS,
    AnalyzeAnswer,
    ImpactAnswer,
    JudgeAnswer,
    ModelAnswered,
    PlanAnswer,
    QuestionAnswer,
)
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, ModelCallRow
from toryo.store.database.rows import OrderRow
from toryo.store.tables import missions, plans, texts
from toryo.usecases.missions.impacts import apply_impact
from toryo.usecases.missions.judgements import apply_judgement

SHOWN = 4000
STALE = "stale"
"""Problem code of an answer to a request that is not the newest: it was not applied."""


def apply_answered(context: HeadContext, tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    row = missions.get(tx, order.mission)
    if row is None:
        return
    told = ModelAnswered.model_validate(body)
    if is_stale(order, row):
        count_unused(tx, order, body)
        return
    answer = None if told.problem else _form(context, tx, order, told)
    problem = "" if answer else told.problem.code if told.problem else "malformed"
    _count(tx, order, row, told, problem)
    tx.mark(subjects.mission(row.id))
    if answer is None:
        _tell_problem(context, tx, row, order, told)
        return
    match answer:
        case QuestionAnswer():
            _questioned(tx, row, answer)
        case PlanAnswer():
            _planned(tx, row, order, answer)
        case AnalyzeAnswer():
            _analyzed(tx, row, answer)
        case JudgeAnswer():
            apply_judgement(tx, row, order, answer)
        case ImpactAnswer():
            apply_impact(tx, row, answer)


def count_unused(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """An answer that nobody waits for any more says nothing, and cost what it cost."""
    row = missions.get(tx, order.mission)
    if row is not None:
        _count(tx, order, row, ModelAnswered.model_validate(body), STALE)
        tx.mark(subjects.mission(row.id))


def apply_waiting_model(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """An outage or a limit: said once a reason, and the mission shows it."""
    row = missions.get(tx, order.mission)
    if row is None:
        return
    why = str(body.get("message") or body.get("why"))[:500]
    if not any(why in one.text for one in missions.messages_of(tx, row.id)[-3:]):
        until = f" until {body['until']}" if body.get("until") else ""
        say(tx, row.id, Speaker.SYSTEM, f"The model cannot be asked now{until}: {why}")
    tx.emit(
        "model_waiting",
        {"mission": row.id, "why": body.get("why", ""), "message": why},
        project=row.project,
        subject=subjects.mission(row.id),
    )
    tx.mark(subjects.mission(row.id))


def _form(context: HeadContext, tx: Tx, order: OrderRow, told: ModelAnswered) -> Model | None:
    text = context.blobs.get(told.answer) or texts.get(tx, told.answer) or ""
    try:
        return ANSWERS[OrderKind(order.kind)].model_validate_json(text)
    except ValidationError:
        return None


def _count(tx: Tx, order: OrderRow, row: MissionRow, told: ModelAnswered, problem: str) -> None:
    usage = told.usage
    missions.add_call(
        tx,
        ModelCallRow(
            order=order.id,
            mission=row.id,
            task=order.task,
            purpose=order.kind,
            problem=problem,
            calls=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
            cost=usage.cost,
            at=tx.now,
        ),
    )


def _tell_problem(
    context: HeadContext, tx: Tx, row: MissionRow, order: OrderRow, told: ModelAnswered
) -> None:
    why = told.problem.message if told.problem else "its answer keeps to no form"
    text = (context.blobs.get(told.text) or "") if told.text else ""
    shown = f"\n\n{text[:SHOWN]}" if text else ""
    say(tx, row.id, Speaker.SYSTEM, f"The model gave no answer for `{order.kind}`: {why}{shown}")


def _questioned(tx: Tx, row: MissionRow, answer: QuestionAnswer) -> None:
    columns: dict[str, Any] = {"size": answer.size, "plan_only": row.plan_only or answer.plan_only}
    if answer.title.strip():
        columns["title"] = " ".join(answer.title.split())[:200]
    before = missions.get(tx, answer.continues) if answer.continues and not row.alone else None
    if before and before.project == row.project and before.status == MissionStatus.COMPLETED:
        columns |= {"follows": before.id, "spec_dir": before.spec_dir}
        say(tx, row.id, Speaker.PLANNER, f"This continues {before.id}: {before.title}")
    elif row.spec_dir == directories.by_id(row.id):  # it goes on in nobody's
        columns["spec_dir"] = directory_of(tx, row, columns.get("title", row.title))
    missions.update(tx, row.id, **columns)
    ask(tx, row, [Wanted(one.id, one.text, one.options, one.default) for one in answer.questions])


def _planned(tx: Tx, row: MissionRow, order: OrderRow, answer: PlanAnswer) -> None:
    plan = keep_plan(tx, row, _as_ticked(tx, row, answer), mends=int(order.inputs.get("n", 0)))
    tx.emit(
        "mission_planned",
        {"mission": row.id, "version": plan.version, "tasks": len(plan.tasks), "at": iso(tx.now)},
        project=row.project,
        subject=subjects.mission(row.id),
    )


def _as_ticked(tx: Tx, row: MissionRow, answer: PlanAnswer) -> PlanAnswer:
    """Done is what was ticked in the folder that was taken in; no model says so."""
    written = plans.of_mission(tx, row.id)[:1] if row.taken_from else []
    ticked = {str(task["id"]) for plan in written for task in plan.tasks if task.get("done")}
    tasks = tuple(one.model_copy(update={"done": one.id in ticked}) for one in answer.tasks)
    return answer.model_copy(update={"tasks": tasks})


def _analyzed(tx: Tx, row: MissionRow, answer: AnalyzeAnswer) -> None:
    plan = plans.newest(tx, row.id)
    if plan is not None:
        plans.update(
            tx, row.id, plan.version, findings=[one.model_dump(mode="json") for one in answer.findings]
        )
