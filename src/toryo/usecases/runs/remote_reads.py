"""Orders that somebody waits for: what a coordinator is to do or look up, once, and report to the caller.

What is only read, and leaves nothing to keep, is an ask (usecases/asks).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toryo.domain.errors import NoRepository, NotFound, Refused, Unavailable, UserError
from toryo.domain.words import CheckResult, OrderKind, OrderState, Verdict
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.orders.compose import worktree_of
from toryo.engine.orders.insertion import hub, insert
from toryo.protocol.base import Model
from toryo.protocol.kinds.repository import SurveyInputs
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.work import RestoreInputs
from toryo.store.database.engine import Tx
from toryo.store.tables import facts, orders, projects, runs, texts
from toryo.usecases.finding import names_run, the_run, the_task


class NobodyAnswered(Unavailable):
    """No coordinator answered in time."""


def nobody_answered(kind: str) -> NobodyAnswered:
    return NobodyAnswered(
        f"No coordinator carried out `{kind}` in time.", hint="See `toryo status`; start one with `toryo up`."
    )


def order_survey(
    context: HeadContext,
    machine: str,
    path: str,
    base: str,
    *,
    working_copy: bool = False,
    create: bool = False,
) -> str:
    inputs = SurveyInputs(path=path, base=base, working_copy=working_copy, create=create)
    return _order(context, OrderKind.SURVEY, f"machine:{machine}", inputs)


def order_restore(context: HeadContext, text: str, destination: str, *, worktree: bool = False) -> str:
    """A snapshot's files into `destination`, or the worktree itself where it was."""
    with context.store.read() as tx:
        candidates = [the_run(tx, text)] if names_run(text) else runs.of_task(tx, the_task(tx, text).id)
        kept = [(run, (run.collected or {}).get("snapshot") or {}) for run in candidates]
        found = [(run, str(snapshot["commit"])) for run, snapshot in kept if snapshot.get("commit")]
        project = projects.get(tx, candidates[-1].project) if candidates else None
        past = runs.of_task(tx, candidates[-1].task) if candidates else []
    if not found or project is None:
        raise NotFound(f"There is no snapshot of {text}.", hint="See `toryo evidence` for what a run left.")
    run, commit = found[-1]
    if worktree and run.live:
        raise Refused(f"{run.id} still works there.", hint=f"`toryo run stop {run.id}` ends it.")
    inputs = RestoreInputs(
        repo=project.path,
        run=run.id,
        snapshot=commit,
        destination=destination,
        scope=ScopeInputs.model_validate(run.scope),
        wrote=tuple(one["path"] for one in (run.collected or {}).get("violations", ())),
    )
    if worktree:
        collected = run.collected or {}
        used = [one.id for one in past if one.worktree == run.worktree and one.generation <= run.generation]
        where = {
            "worktree": worktree_of(project, run),
            "branch": collected["branch"],
            "head": collected["head"],
        }
        inputs = inputs.model_copy(update={**where, "destination": "", "runs": tuple(used)})
    return _order(context, OrderKind.RESTORE, hub(project), inputs, run=run.id)


def verdict_of(results: Sequence[str]) -> Verdict:
    """One attempt each, without a second chance: this is a person's question about a tree."""
    if not results:
        return Verdict.UNCHECKED
    if CheckResult.COULD_NOT_RUN in results:
        return Verdict.COULD_NOT_RUN
    return Verdict.GREEN if set(results) == {CheckResult.PASSED} else Verdict.RED


def answer(context: HeadContext, order_id: str) -> tuple[bool, dict[str, Any] | None]:
    """For a long poll: whether the final fact is there, and its body."""
    with context.store.read() as tx:
        order = orders.get(tx, order_id)
        found = facts.of_order(tx, order_id)
    if order is None or order.state == OrderState.WITHDRAWN:
        raise nobody_answered("order")
    if order.state != OrderState.REPORTED or not found:
        return False, None
    return True, dict(found[-1].body)


def text_of(context: HeadContext, hash: str) -> str | None:
    """A prompt or title from the store, or a blob."""
    with context.store.read() as tx:
        found = texts.get(tx, hash)
    return context.blobs.get(hash) if found is None else found


def place_of(context: HeadContext, order_id: str) -> str:
    with context.store.read() as tx:
        order = orders.get(tx, order_id)
    return order.place if order else ""


def give_up(context: HeadContext, order_id: str) -> None:
    """The caller left: nobody needs the answer any more."""
    with context.store.change() as tx:
        order = orders.get(tx, order_id)
        if order and order.state in (OrderState.OPEN, OrderState.TAKEN):
            orders.set_state(tx, order, OrderState.WITHDRAWN)


NO_REPOSITORY = ("not_a_repository", "no_commits")


def refuse_problem(body: dict[str, Any]) -> dict[str, Any]:
    """A problem that the hands reported is the user's to mend."""
    problem = body.get("problem")
    if problem and problem.get("code") in NO_REPOSITORY:
        raise NoRepository(problem["message"], hint=problem.get("hint", ""))
    if problem:
        raise UserError(problem["message"], hint=problem.get("hint", ""))
    return body


def _order(
    context: HeadContext, kind: OrderKind, place: str, inputs: Model, *, task: str = "", run: str = ""
) -> str:
    with context.store.change() as tx:
        return insert_once(tx, kind, place, inputs, task=task, run=run)


def insert_once(
    tx: Tx, kind: OrderKind, place: str, inputs: Model, *, project: str = "", task: str = "", run: str = ""
) -> str:
    key = f"{kind}/{new_id('a')}{new_id('k')}"
    return insert(tx, kind, key, place, inputs, project=project, task=task, run=run).id


def order_adopt(context: HeadContext, place: str, inputs: Model) -> str:
    return _order(context, OrderKind.ADOPT, place, inputs)
