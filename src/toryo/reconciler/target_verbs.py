"""A person's verb about a target branch: what it sets going, by the reason for which the target waits. Pure.

A task's verb stands for its target's where the task waits for nothing else (`task_verbs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toryo.domain.reasons import Reason, verdicts
from toryo.domain.words import TaskStatus, Verb, Verdict

PUBLISH_FAILED = Reason.PUBLISH_FAILED.value
WAITING_FOR_CHECKOUT = Reason.WAITING_FOR_CHECKOUT.value
BASE_GATE = Reason.BASE_GATE.value
FOLLOWED = Reason.FOLLOWED.value
REWOUND = Reason.TARGET_REWOUND.value


class TargetEffect(StrEnum):
    TRUST = "trust"
    """The tree that the branch has now is taken as it is: work starts from it, whatever its checks say."""
    PUT_TIP_BACK = "put_tip_back"
    """Toryo's own ref is set to the tip that the store knows."""
    CHECK_AGAIN = "check_again"
    """The base is checked once more, and the branch is followed once more."""
    TRY_AGAIN = "try_again"
    """The branch is followed and published once more, without a wait."""


@dataclass(frozen=True)
class TargetState:
    """What of a target decides why it waits."""

    stopped: str = ""
    base: Verdict | None = None
    followed: bool = False
    """A person moved the branch, and the tip is on its way there."""
    waiting_why: str = ""


def reason_of(target: TargetState) -> str:
    """Why nothing lands on the target, or its branch does not move; empty: it waits for nothing."""
    if target.stopped:
        return target.stopped
    if target.base in (Verdict.RED, Verdict.COULD_NOT_RUN):
        return f"base_{target.base}"
    if target.waiting_why:
        return PUBLISH_FAILED if target.waiting_why == PUBLISH_FAILED else WAITING_FOR_CHECKOUT
    if target.followed:
        return FOLLOWED
    return BASE_GATE if target.base is None else ""


def effect_of(verb: Verb, reason: str) -> TargetEffect | None:
    """What an approval or a retry of a target does while it waits for that reason; None: nothing."""
    about_base = reason.startswith("base_")
    match verb:
        case Verb.APPROVE if about_base or reason == REWOUND:
            return TargetEffect.TRUST
        case Verb.APPROVE if reason == "foreign_move":
            return TargetEffect.PUT_TIP_BACK
        case Verb.RETRY if reason == "tip_missing":
            return TargetEffect.PUT_TIP_BACK
        case Verb.RETRY if about_base:
            return TargetEffect.CHECK_AGAIN
        case Verb.RETRY if reason in (PUBLISH_FAILED, "target_missing"):
            return TargetEffect.TRY_AGAIN
        case _:
            return None


def verbs_for(reason: str) -> tuple[Verb, ...]:
    """Those that are enough to set something going, the likelier first; none for what goes on by itself.

    A retry of a flaky base finds the same verdict; one of a missing branch nothing at all."""
    if reason == BASE_GATE:
        return ()
    said = verdicts(TaskStatus.BLOCKED, reason)
    order = (Verb.RETRY, Verb.APPROVE) if reason == "base_could_not_run" else (Verb.APPROVE, Verb.RETRY)
    return tuple(verb for verb in order if verb in said and effect_of(verb, reason))
