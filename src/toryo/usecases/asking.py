"""Orders with a waiting caller: what lives with the hands is asked of the coordinator that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toryo.domain.errors import NotFound, Refused, Unavailable, UserError
from toryo.domain.words import CheckResult, OrderKind, OrderState, Verdict
from toryo.protocol.models import Model, ReadInputs, RestoreInputs, ScopeInputs, SurveyInputs
from toryo.store import agents, coordinators, facts, orders, projects, runs, texts
from toryo.usecases.agent_definitions import program_of
from toryo.usecases.context import HeadContext
from toryo.usecases.finding import names_run, the_run, the_task
from toryo.usecases.ids import new_id
from toryo.usecases.ordering import hub, insert, worktree_of
from toryo.usecases.speaking import running


class NobodyAnswered(Unavailable):
    """No coordinator answered in time."""


def nobody_answered(kind: str) -> NobodyAnswered:
    return NobodyAnswered(
        f"No coordinator carried out `{kind}` in time.", hint="See `toryo status`; start one with `toryo up`."
    )


def order_survey(
    context: HeadContext, machine: str, path: str, base: str, *, working_copy: bool = False
) -> str:
    inputs = SurveyInputs(path=path, base=base, working_copy=working_copy)
    return _ask(context, OrderKind.SURVEY, f"machine:{machine}", inputs)


def order_read_log(
    context: HeadContext, text: str, offset: int, limit: int, *, raw: bool = False
) -> tuple[str, str, bool]:
    """The order, the run, and whether the run has ended: its log then grows no more."""
    with context.store.read() as tx:
        run = the_run(tx, text)
        project = projects.get(tx, run.project)
    if not run.coordinator or project is None:
        raise Refused(
            f"{run.id} is an outside agent's run: its output is not ours.",
            hint=f"`toryo run show {run.id}` has what it reported.",
        )
    inputs = ReadInputs(
        repo=project.path, what="log", run=run.id, client=run.client, raw=raw, offset=offset, limit=limit
    )
    return _ask(context, OrderKind.READ, run.coordinator, inputs, run=run.id), run.id, not run.live


def order_read_window(context: HeadContext, text: str) -> tuple[str, str]:
    """The order, and the run whose window is meant."""
    with context.store.read() as tx:
        run = running(tx, text)
    inputs = ReadInputs(what="window", run=run.id)
    return _ask(context, OrderKind.READ, run.coordinator, inputs, run=run.id), run.id


def order_health(context: HeadContext) -> list[tuple[str, str]]:
    """(machine, order): one coordinator of each machine is asked, if any answers."""
    with context.store.read() as tx:
        live = [row for row in coordinators.listing(tx) if row.incarnation and not row.unseen]
        named = {program_of(agent.client, agent.command) for agent in agents.listing(tx)}
    asked = {row.machine: row.id for row in reversed(live)}
    programs = tuple(sorted(name for name in named if name and "/" not in name))
    inputs = ReadInputs(what="health", programs=programs)
    return [(machine, _ask(context, OrderKind.READ, place, inputs)) for machine, place in asked.items()]


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
    return _ask(context, OrderKind.RESTORE, hub(project), inputs, run=run.id)


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


def forget(context: HeadContext, order_id: str) -> None:
    """What was only read is handed to the caller and not kept."""
    with context.store.change() as tx:
        orders.forget(tx, order_id)


def give_up(context: HeadContext, order_id: str) -> None:
    """The caller left: nobody needs the answer any more."""
    with context.store.change() as tx:
        order = orders.get(tx, order_id)
        if order and order.state in (OrderState.OPEN, OrderState.TAKEN):
            orders.set_state(tx, order, OrderState.WITHDRAWN)


def refuse_problem(body: dict[str, Any]) -> dict[str, Any]:
    """A problem that the hands reported is the user's to mend."""
    problem = body.get("problem")
    if problem:
        raise UserError(problem["message"], hint=problem.get("hint", ""))
    return body


def _ask(
    context: HeadContext, kind: OrderKind, place: str, inputs: Model, *, task: str = "", run: str = ""
) -> str:
    with context.store.change() as tx:
        return insert(tx, kind, f"{kind}/{new_id('a')}{new_id('k')}", place, inputs, task=task, run=run).id


def ask_read(context: HeadContext, place: str, inputs: ReadInputs, run: str = "") -> str:
    return _ask(context, OrderKind.READ, place, inputs, run=run)


def ask_adopt(context: HeadContext, place: str, inputs: Model) -> str:
    return _ask(context, OrderKind.ADOPT, place, inputs)
