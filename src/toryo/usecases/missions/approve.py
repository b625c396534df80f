"""Verdicts of a person on a mission's plan: approved or rejected whole; and free words while it waits.

Which words approve is a fixed list (`domain/approval_words`), never a model's judgement.
"""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.approval_words import approves
from toryo.domain.errors import Refused, UserError
from toryo.domain.planned_tasks import asked_about
from toryo.domain.times import iso
from toryo.domain.words import MISSION_ENDED, MessageType, Speaker
from toryo.engine.context import HeadContext
from toryo.engine.missions import judge_questions
from toryo.engine.missions.conversation import say
from toryo.engine.subjects.mission import facts_of
from toryo.engine.units.subtrees import end_children
from toryo.protocol.views import missions as views
from toryo.reconciler.bus.validation import checked_data
from toryo.reconciler.missions.facts import MissionFacts
from toryo.reconciler.missions.plan_steps import is_offered
from toryo.reconciler.plans.sentences import CHECKS_OF_ALL
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.tables import missions, plans, projects, tasks
from toryo.usecases.bus.send import say_to_unit
from toryo.usecases.finding import the_mission
from toryo.usecases.missions.answer import take
from toryo.usecases.missions.replies import reply

LONGEST_WORDS = 20_000


def approve_mission(context: HeadContext, text: str, version: int = 0) -> views.SaidToMission:
    with context.store.change() as tx:
        row = the_mission(tx, text)
        return approve(context, tx, row, version)


def approve(context: HeadContext, tx: Tx, row: MissionRow, version: int = 0) -> views.SaidToMission:
    plan = plans.newest(tx, row.id)
    if plan is not None and plan.approved_at is not None and version in (0, plan.version):
        by = f"version {plan.version} was approved at {iso(plan.approved_at)}"
        if not row.plan_only:
            return reply(tx, row, "approve", already=True, by=by)
    waiting = _waiting(row, plan, version, "approve")
    if plan is not None and plan.faults:
        raise Refused(
            f"Version {plan.version} of the plan has faults: {'; '.join(plan.faults)[:500]}.",
            hint=_way_out(context, tx, row),
        )
    if not _is_offered(context, tx, row):
        raise _too_early(tx, row, waiting)
    plans.update(tx, row.id, waiting.version, approved_at=tx.now)
    columns = {"plan_only": False}
    missions.update(tx, row.id, **columns, approved_at=row.approved_at or tx.now)
    say(tx, row.id, Speaker.PERSON, f"Plan version {waiting.version} approved.")
    _note(tx, row, "mission_approved", waiting.version)
    return reply(tx, row, "approve")


def _way_out(context: HeadContext, tx: Tx, row: MissionRow) -> str:
    """Of a plan with faults: the planner's, and what the project's settings can do."""
    anew = f"`toryo mission reject {row.id} 'what to change'` has it planned anew."
    plan = None if row.root else _facts(context, tx, row).plan
    if plan is None or not plan.unchecked:
        return anew
    return f"Name a command {CHECKS_OF_ALL} and commit it: the plan is judged again then. Or {anew}"


def reject_mission(context: HeadContext, text: str, reason: str, version: int = 0) -> views.SaidToMission:
    why = reason.strip()
    if not why:
        raise UserError(
            "A rejection needs a reason: the plan is made anew with it.", hint="Say what to change."
        )
    with context.store.change() as tx:
        row = the_mission(tx, text)
        return reject(tx, row, why[:LONGEST_WORDS], version)


def reject(tx: Tx, row: MissionRow, why: str, version: int = 0) -> views.SaidToMission:
    plan = plans.newest(tx, row.id)
    if plan is not None and plan.rejected_at is not None and version in (0, plan.version):
        by = f"version {plan.version} was rejected: {plan.rejection[:200]}"
        return reply(tx, row, "reject", already=True, by=by)
    waiting = _waiting(row, plan, version, "reject")
    plans.update(tx, row.id, waiting.version, rejected_at=tx.now, rejection=why)
    missions.update(tx, row.id, request=row.request + 1)
    if row.root:
        end_children(tx, row.root, f"a person rejected how the work was divided: {why[:300]}")
    say(tx, row.id, Speaker.PERSON, why)
    _note(tx, row, "mission_rejected", waiting.version)
    return reply(tx, row, "reject")


def say_mission(context: HeadContext, text: str, words: str) -> views.SaidToMission:
    """Free words: an approval or a rejection while a plan waits, else a demand that is weighed; of a tree
    an instruction to its root."""
    said = words.strip()[:LONGEST_WORDS]
    if not said:
        raise UserError(
            "There is nothing in that.", hint='For example `toryo mission say ID "also for PUT"`.'
        )
    with context.store.change() as tx:
        row = the_mission(tx, text)
        if row.status in MISSION_ENDED:
            raise Refused(
                f"{row.id} is {row.status}.", hint=f"`toryo do --follow {row.id} TEXT` goes on from it."
            )
        if approves(said) and _is_undecided(row, plans.newest(tx, row.id)):
            return approve(context, tx, row)  # refused while it is not offered: a yes throws no plan away
        if _is_offered(context, tx, row):
            return reject(tx, row, said)
        if asked := {question.id: question for question, _ in judge_questions.open_of(tx, row)}:
            take(tx, row, dict.fromkeys(asked, said), asked)
            return reply(tx, row, "answer")
        say(tx, row.id, Speaker.PERSON, said)
        if row.root:
            _instruct_root(tx, row, said)
        elif any(one.made_at is not None for one in plans.of_mission(tx, row.id)):
            missions.update(tx, row.id, demand=_demand(row, said), request=row.request + 1)
        else:  # nothing was planned yet with it: it is planned anew
            missions.update(tx, row.id, request=row.request + 1)
        _note(tx, row, "mission_said", 0)
        return reply(tx, row, "say")


def _instruct_root(tx: Tx, row: MissionRow, said: str) -> None:
    """A tree is planned by its root: that hears it while it runs, or in its next prompt."""
    root = tasks.get(tx, row.root)
    if root is not None:
        data = checked_data(MessageType.INSTRUCT, {"message": said})
        say_to_unit(tx, root, MessageType.INSTRUCT, data)


def _demand(row: MissionRow, said: str) -> dict[str, object]:
    """With what was asked for before and is in no approved plan yet: its tasks stay held."""
    earlier = row.demand or {}
    is_open = bool(earlier) and (not earlier["weighed"] or bool(earlier["replan"]))
    text = f"{earlier['text']}\n{said}" if is_open else said
    return {
        "request": row.request + 1,
        "text": text.strip()[-LONGEST_WORDS:],
        "weighed": False,
        "replan": is_open and bool(earlier["replan"]),
        "affected": list(earlier["affected"]) if is_open else [],
    }


def _is_undecided(row: MissionRow, plan: PlanRow | None) -> bool:
    """Whether it answers what is wanted now, and nobody said yes or no to it."""
    is_new = plan is not None and plan.request == row.request
    return is_new and plan is not None and plan.approved_at is None and plan.rejected_at is None


def _is_offered(context: HeadContext, tx: Tx, row: MissionRow) -> bool:
    """Whether a version of its plan waits for a verdict; also while it is paused, or earlier tasks go on."""
    if row.root:
        return _is_undecided(row, plans.newest(tx, row.id))
    return is_offered(_facts(context, tx, row))


def _facts(context: HeadContext, tx: Tx, row: MissionRow) -> MissionFacts:
    project = projects.get(tx, row.project)
    assert project is not None  # missions have a foreign key to it
    return facts_of(context, tx, project, row)


def _too_early(tx: Tx, row: MissionRow, plan: PlanRow) -> Refused:
    """Nobody approves what they were not shown whole."""
    asked = missions.questions_of(tx, row.id)
    is_open = any(one.answer is None and asked_about(one.id) is None for one in asked)
    why = "its questions are open" if is_open else "it is being looked at"
    line = f"toryo mission answer {row.id} --defaults" if is_open else f"toryo mission wait {row.id}"
    return Refused(f"Version {plan.version} of the plan is not offered yet: {why}.", hint=line)


def _waiting(row: MissionRow, plan: PlanRow | None, version: int, verb: str) -> PlanRow:
    if row.status in MISSION_ENDED:
        raise Refused(
            f"{row.id} is {row.status}.", hint=f"`toryo do --follow {row.id} TEXT` goes on from it."
        )
    if plan is None:
        raise Refused(f"{row.id} has no plan yet: it is {row.status}.", hint=f"toryo mission wait {row.id}")
    if version not in (0, plan.version):
        raise Refused(
            f"Version {version} is not the one that waits: that is version {plan.version}.",
            hint=f"`toryo mission show {row.id}`, then {verb} that one.",
        )
    if plan.request != row.request:
        raise Refused(f"{row.id} is being planned anew.", hint=f"toryo mission wait {row.id}")
    return plan


def _note(tx: Tx, row: MissionRow, kind: str, version: int) -> None:
    about = {"mission": row.id, **({"version": version} if version else {})}
    tx.emit(kind, about, project=row.project, subject=subjects.mission(row.id))
    tx.mark(subjects.mission(row.id))
