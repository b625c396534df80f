"""A person's verb about a task: which verb is recorded, what else it does, or why it is refused. Pure.

Facts in, a meaning out: `usecases/tasks/verbs.py` gathers the facts and carries the meaning out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toryo.domain.actions import Action, Do, action
from toryo.domain.ids import TaskId
from toryo.domain.reasons import About, meaning, verdicts
from toryo.domain.words import HELD, TaskStatus, Verb
from toryo.reconciler.target_verbs import PUBLISH_FAILED, REWOUND, TargetEffect, effect_of

RETRIED = (TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW, TaskStatus.CANCELLED)
OVER = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)


class TaskEffect(StrEnum):
    """What a verb about a task does besides being recorded."""

    START_OVER = "start_over"
    """A new attempt from the tip, in a fresh worktree."""
    TAKE_OFF = "take_off"
    """Accepted work leaves the tip before it reaches the branch."""
    RELEASE_ACCOUNT = "release_account"
    """The account of its next run need not wait any longer."""


@dataclass(frozen=True)
class VerbFacts:
    """What decides the meaning of a verb about a task."""

    task: TaskId
    status: TaskStatus
    reason: str = ""
    target: str = ""
    landed: bool = False
    """Its work was accepted."""
    has_live_run: bool = False
    is_accepting: bool = False
    """Somebody was told to move the tip to its work: from then on the ref decides."""
    account_waits: bool = False
    target_is_rewound: bool = False


@dataclass(frozen=True)
class Meaning:
    verb: Verb
    """What is recorded of the task; a release where the word is about its target or account."""
    effect: TaskEffect | TargetEffect | None = None


@dataclass(frozen=True)
class Refusal:
    why: str
    action: Action
    """What leads on instead."""


SAME = {Verb.APPROVE: (Verb.APPROVE, Verb.RELEASE)}
"""Verbs that are recorded for one word of a person."""
ANSWERS = (
    Verb.RELEASE, Verb.RETRY, Verb.CANCEL, Verb.APPROVE, Verb.REJECT, Verb.SUBMIT, Verb.ANSWER, Verb.DISMISS,
)  # fmt: skip
"""Verbs after which a task does not wait for what it waited for."""


@dataclass(frozen=True)
class Said:
    """The newest verb about a task, and the reason that it answered."""

    verb: Verb
    reason: str


def is_answered(verb: Verb, task: VerbFacts, seen: str, newest: Said | None) -> bool:
    """Whether somebody was first. `seen`: the reason that a front showed; empty: it names none."""
    if newest is None:
        return False
    is_over = seen and newest.reason == seen and task.reason != seen
    if is_over and verb is not Verb.CANCEL and newest.verb in ANSWERS:
        return True
    if newest.verb not in SAME.get(verb, (verb,)):
        return False
    return verb is Verb.DISMISS or isinstance(meaning_of(verb, task), Refusal)


def meaning_of(verb: Verb, task: VerbFacts, note: str = "") -> Meaning | Refusal:
    match verb:
        case Verb.RETRY if task.reason == "asked" and note.strip():
            return Meaning(Verb.ANSWER)
        case Verb.RETRY:
            return _retry(task)
        case Verb.APPROVE | Verb.RELEASE if task.status is TaskStatus.OPEN or task.reason == HELD:
            return Meaning(Verb.RELEASE)
        case Verb.APPROVE:
            return _approve(task)
        case Verb.CANCEL:
            return _cancel(task)
        case Verb.REJECT:
            return _reject(task)
        case Verb.DISMISS if task.status is not TaskStatus.FAILED:
            return _refused(task, f"{task.task} is {task.status}: only failed tasks are dismissed.")
        case _:
            return Meaning(verb)


def retries_target(reason: str) -> bool:
    """Whether a retry of a task that waits for that reason is a word about its target: its worktree stays."""
    return reason in ("tip_missing", PUBLISH_FAILED) or reason.startswith("base_")


def _retry(task: VerbFacts) -> Meaning | Refusal:
    if retries_target(task.reason):
        return Meaning(Verb.RELEASE, effect_of(Verb.RETRY, task.reason))
    if task.status is TaskStatus.READY and task.account_waits:
        return Meaning(Verb.RELEASE, TaskEffect.RELEASE_ACCOUNT)
    if task.landed or task.status not in RETRIED:
        return _refused(
            task, f"{task.task} is {task.status}: only failed, cancelled or reviewed work is retried."
        )
    if task.has_live_run:
        return Refusal(f"A run of {task.task} has not ended.", action(Do.WAIT, task.task))
    if task.is_accepting:
        return _refused(task, f"{task.task} is being accepted just now.")
    return Meaning(Verb.RETRY, TaskEffect.START_OVER)


def _approve(task: VerbFacts) -> Meaning | Refusal:
    effect = effect_of(Verb.APPROVE, task.reason)
    if effect:
        return Meaning(Verb.RELEASE, effect)
    if task.status in OVER and task.target_is_rewound:  # any task of a target may stand for it
        return Meaning(Verb.RELEASE, effect_of(Verb.APPROVE, REWOUND))
    if task.status is not TaskStatus.NEEDS_REVIEW:
        return _waits_for_nobody(task)
    if Verb.APPROVE not in verdicts(task.status, task.reason):
        return Refusal(f"{task.task}: {task.reason} leaves nothing to approve.", action(Do.RETRY, task.task))
    is_about_account = meaning(task.reason).about is About.ACCOUNT
    return Meaning(Verb.APPROVE, TaskEffect.RELEASE_ACCOUNT if is_about_account else None)


def _cancel(task: VerbFacts) -> Meaning | Refusal:
    if task.landed and task.status is not TaskStatus.DONE:
        return Meaning(Verb.CANCEL, TaskEffect.TAKE_OFF)
    if task.status is TaskStatus.DONE:
        return _too_late(task, f"{task.task} is done: there is nothing to cancel.")
    if task.status is TaskStatus.CANCELLED:
        return _refused(task, f"{task.task} is {task.status}: there is nothing to cancel.")
    return Meaning(Verb.CANCEL)


def _reject(task: VerbFacts) -> Meaning | Refusal:
    if task.landed and task.status is not TaskStatus.DONE:
        return Meaning(Verb.REJECT, TaskEffect.TAKE_OFF)
    if task.status is TaskStatus.OPEN:
        return Meaning(Verb.CANCEL)
    if task.landed:
        return _too_late(task, f"{task.task} is on {task.target} already: there is nothing to reject.")
    return Meaning(Verb.REJECT) if task.status is TaskStatus.NEEDS_REVIEW else _waits_for_nobody(task)


def _waits_for_nobody(task: VerbFacts) -> Refusal:
    return _refused(task, f"{task.task} is {task.status}: it waits for nobody.")


def _refused(task: VerbFacts, why: str) -> Refusal:
    return Refusal(why, action(Do.SHOW_TASK, task.task))


def _too_late(task: VerbFacts, why: str) -> Refusal:
    return Refusal(f"{why[:-1]}; a revert takes its work back.", action(Do.REVERT, task.task))
