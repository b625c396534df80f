"""AI summary of a branch: asked of the planner's model once a commit, and kept with the order that asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from toryo.domain.errors import Refused, Unavailable, UserError
from toryo.domain.words import PLANNERS, OrderKind, OrderState
from toryo.engine import planner_settings
from toryo.engine.context import HeadContext
from toryo.engine.orders.insertion import hub, insert
from toryo.protocol.asks import CommitsRead, DiffRead
from toryo.protocol.kinds.planner import BranchBrief, Brief, ModelAnswered, PlannerInputs, SummariseAnswer
from toryo.protocol.views.repositories import BranchView
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow
from toryo.store.tables import facts, orders, texts
from toryo.usecases.asks.read import Read
from toryo.usecases.finding import the_project
from toryo.usecases.missions.start import insist_on_model

LIMIT_S = 600
MOST_TRIES = 5
"""Of one commit; a model that failed so often says nothing better about it."""
MOST_COMMITS = 60
LARGEST_STAT = 12_000
"""Bytes of the list of changed files."""


class NoSummary(Unavailable):
    """The model gave no summary in time."""

    way_out = "`toryo planner check` says whether it answers."


def insist(context: HeadContext, project: str) -> None:
    insist_on_model(context, project)


def reads(context: HeadContext, project: str, one: BranchView, target: str) -> tuple[Read, Read]:
    """The branch's own commits, and which files they change."""
    with context.store.read() as tx:
        row = the_project(tx, project)
    head, base = one["commit"], one.get("base") or target
    log = CommitsRead(repo=row.path, base=base, head=head, limit=MOST_COMMITS)
    stat = DiffRead(repo=row.path, base=base, head=head, stat=True, limit=LARGEST_STAT)
    return Read(hub(row), log), Read(hub(row), stat)


def known(context: HeadContext, project: str, commits: Iterable[str]) -> dict[str, str]:
    """Commit → the summary that was made for it."""
    wanted = {_key(project, commit, number): commit for commit in commits for number in range(MOST_TRIES)}
    with context.store.read() as tx:
        made = [one for one in orders.by_keys(tx, list(wanted)) if one.state == OrderState.REPORTED]
        found = {wanted[one.key]: _summary(context, tx, one) for one in made}
    return {commit: text for commit, text in found.items() if text}


def order(
    context: HeadContext,
    project: str,
    one: BranchView,
    target: str,
    commits: list[dict[str, Any]],
    stat: str,
) -> str:
    """The order's id; one that is under way for the commit is joined."""
    with context.store.change() as tx:
        row = the_project(tx, project)
        number = 0
        while earlier := orders.by_key(tx, _key(row.id, one["commit"], number)):
            if earlier.state in (OrderState.OPEN, OrderState.TAKEN):
                return earlier.id
            number += 1
        if number >= MOST_TRIES:
            hint = "Another model: `toryo planner use`; it is asked again after the branch's next commit."
            raise Refused(f"The model failed {number} times with {one['commit'][:12]}.", hint=hint)
        log = "\n".join(f"{commit['id'][:12]} {commit['subject']}" for commit in commits)
        brief = Brief(
            mission="",
            purpose=OrderKind.SUMMARISE,
            text="",
            language=planner_settings.language(context, row) or "English",
            project=row.name,
            target=target,
            branch=BranchBrief(name=one["name"], log=log, stat=stat),
        )
        inputs = PlannerInputs(mission="", request=0, brief=texts.put(tx, brief.model_dump_json()))
        key = _key(row.id, one["commit"], number)
        return insert(tx, OrderKind.SUMMARISE, key, PLANNERS, inputs, project=row.id, limit_s=LIMIT_S).id


def told(context: HeadContext, body: dict[str, Any]) -> tuple[str, str]:
    """(summary, model) of the fact that ended the order."""
    answered = ModelAnswered.model_validate(body)
    if answered.problem is not None:
        raise UserError(
            f"The model gave no summary: {answered.problem.message}",
            hint=answered.problem.hint or "`toryo planner check` asks it for a word.",
        )
    with context.store.read() as tx:
        text = _form(context, tx, answered)
    if not text:
        raise UserError("The model's summary keeps to no form.", hint="Ask once more.")
    return text, answered.model


def _summary(context: HeadContext, tx: Tx, row: OrderRow) -> str:
    ended = [fact for fact in facts.of_order(tx, row.id) if fact.kind == "summarised"]
    return _form(context, tx, ModelAnswered.model_validate(ended[-1].body)) if ended else ""


def _form(context: HeadContext, tx: Tx, answered: ModelAnswered) -> str:
    text = (context.blobs.get(answered.answer) or texts.get(tx, answered.answer)) if answered.answer else ""
    try:
        return SummariseAnswer.model_validate_json(text or "").summary.strip()
    except ValidationError:
        return ""


def _key(project: str, commit: str, number: int) -> str:
    return f"summarise/{project}/{commit}" + (f"/{number + 1}" if number else "")
