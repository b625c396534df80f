"""One function per kind of order: inputs in, the workbench does it, the fact that ends the order out.

Journal, repetition and reporting are left to `orders`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from toryo import disks
from toryo.coordinator.launching import Launching
from toryo.coordinator.notifying import notes_of, notify
from toryo.coordinator.observe import Targets, moved
from toryo.coordinator.reading import read_answer
from toryo.coordinator.records import Records
from toryo.coordinator.runs import Runs
from toryo.coordinator.saying import look_again_s, say
from toryo.coordinator.windows import Windows
from toryo.domain.errors import ToryoError
from toryo.domain.words import TARGET_MOVED, CheckResult, OrderKind
from toryo.processes import TimeLimit
from toryo.protocol import models
from toryo.protocol.models import INPUTS, Model, Order, Problem
from toryo.workbench.gates import checking, detect
from toryo.workbench.git import (
    adopt,
    candidates,
    collect,
    identity,
    places,
    publish,
    restoring,
    retire,
    reverts,
    survey,
    tips,
    worktrees,
)
from toryo.workbench.git.looks import Looks
from toryo.workbench.runs.stop import stop

log = logging.getLogger(__name__)

SUBJECT = 72
"""Characters of a task's words in a merge commit's first line."""

LARGEST_OUTPUT = 700_000
"""Bytes of JSON."""

_BEGINS_WITHIN_S = 0.25

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Done:
    """The order has its final fact."""

    fact: str
    model: Model
    blobs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Again:
    """Not yet: what it waits for is a fact on the way."""

    fact: str
    model: Model
    after_s: float = 1.0
    """When to look again."""


@dataclass(frozen=True)
class Begun:
    """Under way; whoever watches it tells its end."""

    tell: Callable[[], None]
    """Reports that it began."""


Result = Done | Again | Begun


@dataclass(frozen=True)
class Acts:
    folder: Path
    """coordinators/{name}"""
    gates: Path
    runs: Runs
    targets: Targets
    clients: Callable[[], Mapping[str, str]]
    records: Records
    windows: Windows
    launching: Launching
    expect_prompt: Callable[[str], None]
    """A run with this prompt is coming."""
    expected_run: Callable[[str], Order | None]
    """The order to run what is being prepared, its intent written down; None: it was not ordered yet."""
    looks: Looks

    words: Callable[[str], str]
    """A text of the daemon's by its hash; neither parsed nor logged here."""

    is_wanted: Callable[[str], bool]
    """Whether the daemon still asks for this order."""

    is_to_stop: Callable[[str], bool]
    """Whether the daemon asks to stop this run."""

    def carry_out(self, order: Order) -> Result:
        repo = order.inputs.get("repo")
        if order.project and order.kind in _AT_HOME and isinstance(repo, str):
            identity.insist(repo, order.project)
        return _ACTS[order.kind](self, order)

    def failed(self, order: Order, error: Exception) -> Result:
        """What becomes of an order whose effect raised; a run that may have begun is only watched."""
        if order.kind is OrderKind.RUN and self.runs.may_have_begun(order.run):
            return _run(self, order)
        return problem_fact(order.kind, error)

    def may_begin(self, order: Order) -> bool:
        """A run that was ordered with its claim begins once its worktree is there, or it began before."""
        if order.kind is not OrderKind.RUN or order.inputs.get("worktree"):
            return True
        return worktrees.prepared(self.runs.directory(order.run)) is not None

    def let_begin(self, order: Order) -> None:
        """An agent that is about to begin has the cores to itself until it did."""
        self.runs.wait_started(order.run, _BEGINS_WITHIN_S)

    def after(self, order: Order, told: Mapping[str, Any]) -> None:
        """Once reported: a move of ours is looked at before somebody asks, and a check leaves nothing."""
        # a tip that moved is published next, and looked at after that; not one that a person set
        unpublished = order.kind is OrderKind.ACCEPT and (not told.get("moved") or order.inputs.get("reset"))
        if order.kind is OrderKind.PUBLISH or unpublished:
            self.targets.look_again(order.project, str(order.inputs.get("target", "")))
        elif order.kind is OrderKind.CHECK:
            shutil.rmtree(self.check_folder(order), ignore_errors=True)
        elif order.kind is OrderKind.NOTIFY:
            notes_of(self.folder, order.id).unlink(missing_ok=True)

    def check_folder(self, order: Order) -> Path:
        return self.folder / "checks" / order.id


def _survey(acts: Acts, order: Order) -> Done:
    found = survey.survey(_inputs(order, models.SurveyInputs), acts.clients())
    if found.root:
        checks = detect.detect(Path(found.root))
        found = found.model_copy(
            update={"checks": checks.checks, "setup": checks.setup, "setup_inputs": checks.setup_inputs}
        )
    return Done("surveyed", found)


def _adopt(acts: Acts, order: Order) -> Done:
    return Done("adopted", adopt.adopt(_inputs(order, models.AdoptInputs)))


def _prepare(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.PrepareInputs)
    found = moved(order.project, inputs.repo, inputs.target, inputs)
    if found and worktrees.prepared(acts.runs.directory(inputs.run)) is None:
        acts.runs.give_up(inputs.run)
        problem = Problem(code=TARGET_MOVED, message=f"{inputs.target} was moved: it is followed first.")
        return Done("prepared", models.Prepared(problem=problem, moved_to=found))
    made = worktrees.prepare(
        inputs,
        acts.runs.directory(inputs.run),
        looked=lambda: acts.looks.take(inputs.repo),
        meanwhile=lambda worktree: _get_ready(acts, order, worktree),
    )
    if made.problem:
        acts.runs.give_up(inputs.run)
    return Done("prepared", made)


def _get_ready(acts: Acts, order: Order, worktree: Path) -> None:
    """While git checks out: whatever of the run's start can be done before its worktree is whole."""
    acts.expect_prompt(str(order.inputs.get("prompt", "")))
    try:
        after = acts.expected_run(order.run)
        if after is None or acts.is_to_stop(order.run):
            return
        inputs = _inputs(after, models.RunInputs).model_copy(update={"worktree": str(worktree)})
        early = partial(acts.launching.early_spec, inputs, after.generation)
        acts.runs.get_ready(after, inputs, early)
    except (ToryoError, OSError, TimeLimit, ValueError) as failed:
        # then it is started the longer way, which says so
        log.debug("Not ready early: %s", failed, extra={"run": order.run})


def _run(acts: Acts, order: Order) -> Begun:
    inputs = _inputs(order, models.RunInputs)
    if not inputs.worktree:
        made = worktrees.prepared(acts.runs.directory(inputs.run))
        inputs = inputs.model_copy(update={"worktree": made.worktree if made else ""})
    if acts.is_to_stop(inputs.run):
        stop(acts.runs.directory(inputs.run))  # in its way before it begins: both orders came at once
    elif disks.is_full(Path(inputs.worktree)) and not acts.runs.may_have_begun(inputs.run):
        raise disks.full(inputs.worktree)  # what an agent does there would be lost, and its run with it
    if not acts.runs.start_ready(order, inputs, lambda: acts.launching.needs_no_context(inputs)):
        acts.runs.start(order, inputs, partial(acts.launching.spec, inputs, order.generation))
    return Begun(lambda: acts.runs.tell_started(order, inputs.run))


def _stop(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.StopInputs)
    return Done("stopped", stop(acts.runs.directory(inputs.run), inputs.grace_s))


def _say(acts: Acts, order: Order) -> Result:
    inputs = _inputs(order, models.SayInputs)
    run_dir = acts.runs.directory(inputs.run)
    told = say(inputs, run_dir, acts.windows, lambda: inputs.words or acts.words(inputs.text))
    if isinstance(told, models.SayWaiting):
        return Again("say_waiting", told, look_again_s(run_dir))
    return Done("spoken", told)


def _notify(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.NotifyInputs)
    return Done("notified", notify(inputs, acts.folder, order.id, lambda: acts.words(inputs.text)))


def _collect(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.CollectInputs)
    return Done("collected", collect.collect(inputs, acts.runs.directory(inputs.run)))


def _revert(acts: Acts, order: Order) -> Done:
    return Done("collected", reverts.revert(_inputs(order, models.RevertInputs), acts.folder / "bench"))


def _candidate(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.CandidateInputs)
    if inputs.subject:
        first, _, rest = inputs.message.partition("\n")
        words = acts.words(inputs.subject)[:SUBJECT]
        inputs = inputs.model_copy(update={"message": f"{first}: {words}\n{rest}"})
    found = moved(order.project, inputs.repo, inputs.target, inputs)
    if found:
        return Done("candidate_built", models.CandidateBuilt(moved_to=found))
    return Done("candidate_built", candidates.build(inputs, acts.folder / "bench"))


def _check(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.CheckInputs)
    checked, output = checking.check(
        inputs, acts.gates, acts.check_folder(order), lambda: acts.is_wanted(order.id)
    )
    text = _fitting(output)
    if text is not output:
        checked = checked.model_copy(update={"output": hashlib.sha256(text.encode()).hexdigest()})
    return Done("checked", checked, {checked.output: text})


def _accept(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.AcceptInputs)
    problem = identity.owned_elsewhere(inputs.repo, inputs.installation) if inputs.installation else None
    if problem:
        return Done("accepted", models.Accepted(problem=problem))
    found = moved(order.project, inputs.repo, inputs.target, inputs)
    # one that was accepted before a crash stays so
    if found and found.tip != inputs.new:
        return Done("accepted", models.Accepted(moved_to=found, tip=found.tip))
    return Done("accepted", tips.accept(inputs))


def _publish(acts: Acts, order: Order) -> Result:
    inputs = _inputs(order, models.PublishInputs)
    problem = identity.owned_elsewhere(inputs.repo, inputs.installation) if inputs.installation else None
    if problem:
        return Done("published", models.Published(problem=problem))
    # beside the repository, not beside us: any coordinator of the machine may have to mend an interrupted one
    notes = places.common_dir(inputs.repo) / "toryo" / "publish"
    answer = publish.publish(inputs, notes / f"{quote(inputs.target, safe='')}.json")
    if isinstance(answer, models.PublishWaiting):
        return Again("publish_waiting", answer)
    return Done("published", answer)


def _clean(acts: Acts, order: Order) -> Done:
    return Done("cleaned", retire.clean(_inputs(order, models.CleanInputs)))


def _restore(acts: Acts, order: Order) -> Done:
    return Done("restored", restoring.restore(_inputs(order, models.RestoreInputs)))


def _read(acts: Acts, order: Order) -> Done:
    inputs = _inputs(order, models.ReadInputs)
    return Done(
        "answered", read_answer(inputs, acts.runs, acts.records, acts.windows, acts.folder / "checks")
    )


_AT_HOME = frozenset(
    {
        OrderKind.COLLECT,
        OrderKind.REVERT,
        OrderKind.CANDIDATE,
        OrderKind.CHECK,
        OrderKind.ACCEPT,
        OrderKind.PUBLISH,
        OrderKind.CLEAN,
    }
)
"""What waits until the project's repository is where it should be: nothing about it can be told till then."""

_ACTS: dict[OrderKind, Callable[[Acts, Order], Result]] = {
    OrderKind.SURVEY: _survey,
    OrderKind.ADOPT: _adopt,
    OrderKind.PREPARE: _prepare,
    OrderKind.RUN: _run,
    OrderKind.STOP: _stop,
    OrderKind.SAY: _say,
    OrderKind.NOTIFY: _notify,
    OrderKind.COLLECT: _collect,
    OrderKind.REVERT: _revert,
    OrderKind.CANDIDATE: _candidate,
    OrderKind.CHECK: _check,
    OrderKind.ACCEPT: _accept,
    OrderKind.PUBLISH: _publish,
    OrderKind.CLEAN: _clean,
    OrderKind.RESTORE: _restore,
    OrderKind.READ: _read,
}


def problem_fact(kind: OrderKind, error: Exception) -> Done:
    """What ends an order whose effect raised: the fact's own way of saying that it did not happen."""
    code = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(error).__name__).lower()
    message = str(error)[:2000] or code
    problem = Problem(code=code, message=message, hint=error.hint if isinstance(error, ToryoError) else "")
    match kind:
        case OrderKind.SURVEY:
            return Done("surveyed", models.Surveyed(problem=problem))
        case OrderKind.ADOPT:
            return Done("adopted", models.Adopted(problem=problem))
        case OrderKind.PREPARE:
            return Done("prepared", models.Prepared(problem=problem))
        case OrderKind.RUN:
            return Done("exited", models.Exited(exit_code=None, could_not_start=message))
        case OrderKind.STOP:
            return Done("stopped", models.Stopped(asked=False, gone=False))
        case OrderKind.SAY:
            return Done("spoken", models.Spoken(problem=problem))
        case OrderKind.NOTIFY:
            return Done("notified", models.Notified(problem=problem))
        case OrderKind.COLLECT | OrderKind.REVERT:
            return Done("collected", models.Collected(problem=problem))
        case OrderKind.CANDIDATE:
            return Done("candidate_built", models.CandidateBuilt(problem=problem))
        case OrderKind.CHECK:
            reason = f"{code}: {message}"
            return Done("checked", models.Checked(result=CheckResult.COULD_NOT_RUN, reason=reason))
        case OrderKind.ACCEPT:
            return Done("accepted", models.Accepted(problem=problem))
        case OrderKind.PUBLISH:
            return Done("published", models.Published(problem=problem))
        case OrderKind.CLEAN:
            return Done("cleaned", models.Cleaned(refused=message))
        case OrderKind.RESTORE:
            return Done("restored", models.Restored(problem=problem))
        case OrderKind.READ:
            return Done("answered", models.ReadAnswer(problem=problem))


def _fitting(output: str) -> str:
    """The whole text, or so much of its head and tail that it fits the one line that carries it."""
    text, room = output, len(output)
    while len(json.dumps(text)) > LARGEST_OUTPUT:
        room //= 2
        text = (
            f"{output[: room // 2]}\n[… {len(output) - room} characters left out …]\n{output[-room // 2 :]}"
        )
    return text


def _inputs(order: Order, kind: type[M]) -> M:
    assert INPUTS[order.kind] is kind
    return kind.model_validate(order.inputs)
