"""Effects of orders, one function a kind: inputs in, the workbench does it, the fact that ends the order
out.

Journal, repetition and reporting are left to the worker.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from toryo import disks
from toryo.coordinator.acts.branches import opened
from toryo.coordinator.acts.files import scanned, written
from toryo.coordinator.acts.notify import notes_of, notify
from toryo.coordinator.acts.say import look_again_s, say
from toryo.coordinator.observe.targets import Targets, moved
from toryo.coordinator.runs.launch import Launching
from toryo.coordinator.runs.runs import Runs
from toryo.coordinator.runs.windows import Windows
from toryo.domain.errors import ToryoError
from toryo.domain.words import TARGET_MOVED, CheckResult, OrderKind
from toryo.place.acts import Acts, Again, Begun, Done, Handling, Result
from toryo.place.order_set import OrderSet
from toryo.protocol.base import Model, Problem
from toryo.protocol.kinds.branch import BranchDropped, BranchOpened, DropBranchInputs, OpenBranchInputs
from toryo.protocol.kinds.files import ScanInputs, Scanned, WriteInputs, Written
from toryo.protocol.kinds.gate import Checked, CheckInputs
from toryo.protocol.kinds.landing import (
    Accepted,
    AcceptInputs,
    CandidateBuilt,
    CandidateInputs,
    Published,
    PublishInputs,
    PublishWaiting,
    RevertInputs,
)
from toryo.protocol.kinds.notify import Notified, NotifyInputs
from toryo.protocol.kinds.repository import (
    Adopted,
    AdoptInputs,
    Surveyed,
    SurveyInputs,
    Unadopted,
    UnadoptInputs,
)
from toryo.protocol.kinds.run import Exited, Prepared, PrepareInputs, RunInputs, StopInputs, Stopped
from toryo.protocol.kinds.say import SayInputs, SayWaiting, Spoken
from toryo.protocol.kinds.table import INPUTS
from toryo.protocol.kinds.units import OpenTargetInputs, Refreshed, RefreshInputs, TargetOpened
from toryo.protocol.kinds.work import Cleaned, CleanInputs, Collected, CollectInputs, Restored, RestoreInputs
from toryo.protocol.order import Order
from toryo.workbench.gates import checking, detect
from toryo.workbench.git.door import layout
from toryo.workbench.git.inspect import identity, survey
from toryo.workbench.git.keep.fingerprint_prefetch import FingerprintPrefetch
from toryo.workbench.git.landing import candidates, reverts, tips, unit_targets
from toryo.workbench.git.publish import publish
from toryo.workbench.git.trash import dropped_branches, restore, retire
from toryo.workbench.git.worktrees import adopt, collect, first_commit, prepare, unadopt, unit_files
from toryo.workbench.runs import hearing, records, word_places
from toryo.workbench.runs.stop import stop

log = logging.getLogger(__name__)

SUBJECT = 72
"""Characters of a task's words in a merge commit's first line."""

LARGEST_OUTPUT = 700_000
"""Bytes of JSON."""

_BEGINS_WITHIN_S = 0.25

M = TypeVar("M", bound=Model)


_HANDLED = {
    # each message has a note, or a place in the spool, of its own before an agent can hear it (ADR 27)
    OrderKind.SAY: Handling("orders", has_intent=False),
    # a notice has a note of its own right before its command starts (ADR 44): a person's, which holds up
    # nothing but the next notice
    OrderKind.NOTIFY: Handling("notices", has_intent=False),
    OrderKind.CHECK: Handling("checks"),
    OrderKind.RESTORE: Handling("orders", is_synced=True),
}
_PLAIN = Handling("orders")


@dataclass(frozen=True)
class CoordinatorActs(Acts):
    lanes: Mapping[str, int]
    folder: Path
    """coordinators/{name}"""
    gates: Path
    runs: Runs
    targets: Targets
    clients: Callable[[], Mapping[str, str]]
    windows: Windows
    launching: Launching
    expect_prompt: Callable[[str], None]
    """A run with this prompt is coming."""
    prefetch: FingerprintPrefetch

    words: Callable[[str], str]
    """A text of the daemon's by its hash; neither parsed nor logged here."""

    orders: OrderSet
    """Asked whether the daemon still wants an order."""

    def handling(self, order: Order) -> Handling:
        return _HANDLED.get(order.kind, _PLAIN)

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
        return prepare.prepared(self.runs.directory(order.run)) is not None

    def follower(self, order: Order, wanted: Iterable[Order]) -> Order | None:
        """The run that this preparation was for: its agent does not wait until the preparation is told."""
        if order.kind is not OrderKind.PREPARE:
            return None
        runs = (one for one in wanted if one.kind is OrderKind.RUN and one.run == order.run)
        return next(filter(self.may_begin, runs), None)

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

    def writes_in(self, order: Order) -> list[Path]:
        """The repository, a worktree."""
        named = [order.inputs.get(key) for key in ("worktree", "repo", "path", "destination")]
        return [Path(place) for place in named if isinstance(place, str) and place.startswith("/")]

    def check_folder(self, order: Order) -> Path:
        return self.folder / "checks" / order.id


def _survey(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, SurveyInputs)
    if inputs.create and Path(inputs.path).is_dir():
        first_commit.make(Path(inputs.path))
    found = survey.survey(inputs, acts.clients())
    if found.root:
        seen = detect.detect(Path(found.root))
        found = found.model_copy(update={one.name: getattr(seen, one.name) for one in fields(seen)})
    return Done("surveyed", found)


def _adopt(acts: CoordinatorActs, order: Order) -> Done:
    return Done("adopted", adopt.adopt(_inputs(order, AdoptInputs)))


def _unadopt(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, UnadoptInputs)
    if not inputs.dry_run:
        acts.targets.forget(inputs.project)
    return Done("unadopted", unadopt.unadopt(inputs))


def _prepare(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, PrepareInputs)
    found = moved(order.project, inputs.repo, inputs.target, inputs)
    if found and prepare.prepared(acts.runs.directory(inputs.run)) is None:
        problem = Problem(code=TARGET_MOVED, message=f"{inputs.target} was moved: it is followed first.")
        return Done("prepared", Prepared(problem=problem, moved_to=found))
    made = prepare.prepare(
        inputs,
        acts.runs.directory(inputs.run),
        looked=lambda: acts.prefetch.take(inputs.repo),
        meanwhile=lambda _: acts.expect_prompt(inputs.prompt),
        text_of=acts.words,
    )
    return Done("prepared", made)


def _run(acts: CoordinatorActs, order: Order) -> Begun:
    inputs = _inputs(order, RunInputs)
    if not inputs.worktree:
        made = prepare.prepared(acts.runs.directory(inputs.run))
        inputs = inputs.model_copy(update={"worktree": made.worktree if made else ""})
    if _is_to_stop(acts, inputs.run):
        stop(acts.runs.directory(inputs.run))  # in its way before it begins: both orders came at once
    elif disks.is_full(Path(inputs.worktree)) and not acts.runs.may_have_begun(inputs.run):
        raise disks.full(inputs.worktree)  # what an agent does there would be lost, and its run with it
    acts.runs.start(order, inputs, partial(acts.launching.spec, inputs, order.generation))
    return Begun(lambda: acts.runs.tell_started(order, inputs.run))


def _is_to_stop(acts: CoordinatorActs, run: str) -> bool:
    return any(one.kind is OrderKind.STOP and one.run == run for one in acts.orders.wanted().values())


def _stop(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, StopInputs)
    return Done("stopped", stop(acts.runs.directory(inputs.run), inputs.grace_s))


def _say(acts: CoordinatorActs, order: Order) -> Result:
    inputs = _inputs(order, SayInputs)
    run_dir = acts.runs.directory(inputs.run)
    note = acts.runs.note(inputs.run)
    if note is not None and hearing.can_hear(run_dir):  # on a screen the words themselves are seen
        word_places.note(run_dir, inputs.message, Path(note.log))
    told = say(inputs, run_dir, acts.windows, lambda: inputs.words or acts.words(inputs.text))
    if isinstance(told, SayWaiting):
        return Again("say_waiting", told, look_again_s(run_dir))
    return Done("spoken", told)


def _notify(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, NotifyInputs)
    return Done("notified", notify(inputs, acts.folder, order.id, lambda: acts.words(inputs.text)))


def _collect(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, CollectInputs)
    return Done("collected", collect.collect(inputs, acts.runs.directory(inputs.run)))


def _revert(acts: CoordinatorActs, order: Order) -> Done:
    return Done("collected", reverts.revert(_inputs(order, RevertInputs), acts.folder / "bench"))


def _candidate(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, CandidateInputs)
    if inputs.subject:
        first, _, rest = inputs.message.partition("\n")
        words = acts.words(inputs.subject)[:SUBJECT]
        inputs = inputs.model_copy(update={"message": f"{first}: {words}\n{rest}"})
    found = moved(order.project, inputs.repo, inputs.target, inputs)
    if found:
        return Done("candidate_built", CandidateBuilt(moved_to=found))
    return Done("candidate_built", candidates.build(inputs, acts.folder / "bench"))


def _check(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, CheckInputs)
    checked, output = checking.check(
        inputs, acts.gates, acts.check_folder(order), lambda: acts.orders.is_wanted(order.id)
    )
    text = _fitting(output)
    if text is not output:
        checked = checked.model_copy(update={"output": hashlib.sha256(text.encode()).hexdigest()})
    return Done("checked", checked, {checked.output: text})


def _accept(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, AcceptInputs)
    problem = identity.owned_elsewhere(inputs.repo, inputs.installation) if inputs.installation else None
    if problem:
        return Done("accepted", Accepted(problem=problem))
    found = moved(order.project, inputs.repo, inputs.target, inputs)
    # one that was accepted before a crash stays so
    if found and found.tip != inputs.new:
        return Done("accepted", Accepted(moved_to=found, tip=found.tip))
    return Done("accepted", tips.accept(inputs))


def _publish(acts: CoordinatorActs, order: Order) -> Result:
    inputs = _inputs(order, PublishInputs)
    problem = identity.owned_elsewhere(inputs.repo, inputs.installation) if inputs.installation else None
    if problem:
        return Done("published", Published(problem=problem))
    # beside the repository, not beside us: any coordinator of the machine may have to mend an interrupted one
    notes = layout.common_dir(inputs.repo) / "toryo" / "publish"
    answer = publish.publish(inputs, notes / f"{quote(inputs.target, safe='')}.json")
    if isinstance(answer, PublishWaiting):
        return Again("publish_waiting", answer)
    return Done("published", answer)


def _open_target(_acts: CoordinatorActs, order: Order) -> Done:
    return Done("target_opened", unit_targets.open_target(_inputs(order, OpenTargetInputs)))


def _refresh(acts: CoordinatorActs, order: Order) -> Done:
    inputs = _inputs(order, RefreshInputs)
    if records.state(acts.runs.directory(inputs.run)).ended:  # its next run finds them as they are then
        return Done("refreshed", Refreshed())
    worktree = layout.find_worktree(inputs.repo, inputs.worktree, inputs.branch)
    return Done("refreshed", Refreshed(kept=unit_files.refresh(worktree, inputs.files, acts.words)))


def _scan(_acts: CoordinatorActs, order: Order) -> Done:
    return Done("scanned", *scanned(_inputs(order, ScanInputs)))


def _write(acts: CoordinatorActs, order: Order) -> Done:
    return Done("written", written(_inputs(order, WriteInputs), acts.folder / "bench", acts.words))


def _clean(acts: CoordinatorActs, order: Order) -> Done:
    return Done("cleaned", retire.clean(_inputs(order, CleanInputs)))


def _restore(acts: CoordinatorActs, order: Order) -> Done:
    return Done("restored", restore.restore(_inputs(order, RestoreInputs)))


def _drop_branch(_acts: CoordinatorActs, order: Order) -> Done:
    return Done("branch_dropped", dropped_branches.drop(_inputs(order, DropBranchInputs)))


def _open_branch(acts: CoordinatorActs, order: Order) -> Done:
    return Done("branch_opened", opened(_inputs(order, OpenBranchInputs), acts.folder, acts.clients()))


_AT_HOME = frozenset(
    {
        OrderKind.COLLECT,
        OrderKind.REVERT,
        OrderKind.CANDIDATE,
        OrderKind.CHECK,
        OrderKind.ACCEPT,
        OrderKind.PUBLISH,
        OrderKind.CLEAN,
        OrderKind.OPEN_TARGET,
        OrderKind.SCAN,
        OrderKind.WRITE,
    }
)
"""What waits until the project's repository is where it should be: nothing about it can be told till then."""

_ACTS: dict[OrderKind, Callable[[CoordinatorActs, Order], Result]] = {
    OrderKind.SURVEY: _survey,
    OrderKind.ADOPT: _adopt,
    OrderKind.UNADOPT: _unadopt,
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
    OrderKind.OPEN_TARGET: _open_target,
    OrderKind.REFRESH: _refresh,
    OrderKind.SCAN: _scan,
    OrderKind.WRITE: _write,
    OrderKind.DROP_BRANCH: _drop_branch,
    OrderKind.OPEN_BRANCH: _open_branch,
}


_SEE_DOCTOR = "Mend what it names, then ask again; `toryo doctor` says what is wrong on that machine."


def problem_fact(kind: OrderKind, error: Exception) -> Done:
    """What ends an order whose effect raised: the fact's own way of saying that it did not happen."""
    code = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(error).__name__).lower()
    message = str(error)[:2000] or code
    hint = error.hint if isinstance(error, ToryoError) else _SEE_DOCTOR
    problem = Problem(code=code, message=message, hint=hint)
    match kind:
        case OrderKind.SURVEY:
            return Done("surveyed", Surveyed(problem=problem))
        case OrderKind.ADOPT:
            return Done("adopted", Adopted(problem=problem))
        case OrderKind.UNADOPT:
            return Done("unadopted", Unadopted(problem=problem))
        case OrderKind.PREPARE:
            return Done("prepared", Prepared(problem=problem))
        case OrderKind.RUN:
            return Done("exited", Exited(exit_code=None, could_not_start=message))
        case OrderKind.STOP:
            return Done("stopped", Stopped(asked=False, gone=False))
        case OrderKind.SAY:
            return Done("spoken", Spoken(problem=problem))
        case OrderKind.NOTIFY:
            return Done("notified", Notified(problem=problem))
        case OrderKind.COLLECT | OrderKind.REVERT:
            return Done("collected", Collected(problem=problem))
        case OrderKind.CANDIDATE:
            return Done("candidate_built", CandidateBuilt(problem=problem))
        case OrderKind.CHECK:
            reason = f"{code}: {message}"
            return Done("checked", Checked(result=CheckResult.COULD_NOT_RUN, reason=reason))
        case OrderKind.ACCEPT:
            return Done("accepted", Accepted(problem=problem))
        case OrderKind.PUBLISH:
            return Done("published", Published(problem=problem))
        case OrderKind.CLEAN:
            return Done("cleaned", Cleaned(refused=message))
        case OrderKind.RESTORE:
            return Done("restored", Restored(problem=problem))
        case OrderKind.OPEN_TARGET:
            return Done("target_opened", TargetOpened(problem=problem))
        case OrderKind.REFRESH:
            return Done("refreshed", Refreshed(problem=problem))
        case OrderKind.SCAN:
            return Done("scanned", Scanned(problem=problem))
        case OrderKind.WRITE:
            return Done("written", Written(problem=problem))
        case OrderKind.DROP_BRANCH:
            return Done("branch_dropped", BranchDropped(problem=problem))
        case OrderKind.OPEN_BRANCH:
            return Done("branch_opened", BranchOpened(problem=problem))
    raise ValueError(f"{kind} is no order of a coordinator") from error


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
