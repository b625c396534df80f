"""Answers of a person to a mission's questions: the first valid one wins, and everybody sees it."""

from __future__ import annotations

from collections.abc import Mapping

from toryo.domain import subjects
from toryo.domain.errors import Refused, UserError
from toryo.domain.planned_tasks import asked_about
from toryo.domain.words import OrderKind, Speaker, Verb
from toryo.engine.context import HeadContext
from toryo.engine.missions import judge_questions
from toryo.engine.missions.conversation import say
from toryo.protocol.views import missions as views
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, QuestionRow
from toryo.store.tables import missions, orders, plans
from toryo.usecases.finding import the_mission
from toryo.usecases.missions.replies import reply
from toryo.usecases.tasks.verbs import said

LONGEST_ANSWER = 20_000


def answer_mission(
    context: HeadContext, text: str, answers: Mapping[str, str], *, defaults: bool = False
) -> views.SaidToMission:
    with context.store.change() as tx:
        row = the_mission(tx, text)
        known = {one.id.lower(): one for one in missions.questions_of(tx, row.id)}
        given = _understood(row, known, answers)
        is_open = [one for one in known.values() if one.answer is None]
        if not is_open:
            return reply(tx, row, "answer", already=bool(known), by=_answered(known))
        chosen = {one.id: given[one.id] for one in is_open if one.id in given}
        if defaults:
            _insist_on_defaults(row, [one for one in is_open if one.id not in chosen])
            chosen |= {one.id: one.default for one in is_open if one.id not in chosen}
        if not chosen:
            raise UserError(f"Nothing in that answers a question of {row.id}.", hint=_hint(row, is_open))
        take(tx, row, chosen, {one.id: one for one in is_open})
        return reply(tx, row, "answer")


def take(tx: Tx, row: MissionRow, chosen: Mapping[str, str], asked: Mapping[str, QuestionRow]) -> None:
    lines = []
    stuck = {question.id: task for question, task in judge_questions.open_of(tx, row)}
    for id, answer in chosen.items():
        if missions.answer(tx, row.id, id, answer):
            lines.append(f"{asked[id].text}\n→ {answer}")
            if id in stuck:
                said(tx, stuck[id], Verb.RETRY, answer)
    say(tx, row.id, Speaker.PERSON, "\n".join(lines))
    is_written = bool(row.taken_from) and row.request == 1  # by a person: the answers stand in each prompt
    if not is_written and chosen.keys() - stuck.keys() and _are_answered(tx, row) and _is_past(tx, row):
        missions.update(tx, row.id, request=row.request + 1)  # planned anew with the answers
    tx.emit(
        "mission_answered",
        {"mission": row.id, "questions": sorted(chosen)},
        project=row.project,
        subject=subjects.mission(row.id),
    )
    tx.mark(subjects.mission(row.id))


def _are_answered(tx: Tx, row: MissionRow) -> bool:
    """All that is about the whole mission."""
    asked = [one for one in missions.questions_of(tx, row.id) if asked_about(one.id) is None]
    return all(one.answer is not None for one in asked)


def _is_past(tx: Tx, row: MissionRow) -> bool:
    """Whether the plan that waits, or is being made, was asked for without these answers."""
    plan = plans.newest(tx, row.id)
    if plan is not None and plan.request == row.request:
        return plan.approved_at is None and plan.rejected_at is None
    pending = orders.pending_of_mission(tx, row.id)
    return any(one.kind == OrderKind.PLAN and one.inputs["request"] == row.request for one in pending)


def _understood(
    row: MissionRow, known: Mapping[str, QuestionRow], answers: Mapping[str, str]
) -> dict[str, str]:
    """By question id; the number of an option stands for its text."""
    found = {}
    for name, text in answers.items():
        question = known.get(name.lower())
        if question is None:
            names = ", ".join(one.id for one in known.values()) or "none"
            raise UserError(f"{row.id} has no question {name[:40]!r}.", hint=f"There are: {names}.")
        words = text.strip()[:LONGEST_ANSWER]
        if words.isdecimal() and 0 < int(words) <= len(question.options):
            words = question.options[int(words) - 1]
        if not words:
            words = question.default
        if not words:
            raise UserError(f"{question.id} has no default: an answer is needed.", hint=question.text)
        found[question.id] = words
    return found


def _insist_on_defaults(row: MissionRow, left: list[QuestionRow]) -> None:
    without = [one for one in left if not one.default]
    if without:
        raise Refused(
            f"{', '.join(one.id for one in without)} of {row.id} has no default.", hint=_hint(row, without)
        )


def _answered(known: Mapping[str, QuestionRow]) -> str:
    return "; ".join(f"{one.id}: {one.answer}" for one in known.values())


def _hint(row: MissionRow, asked: list[QuestionRow]) -> str:
    first = asked[0]
    return f"`toryo mission answer {row.id} {first.id}='your answer'`: {first.text}"
