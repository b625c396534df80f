"""Which runs, landings and verbs count now: a `retry` of a person opens a new attempt. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from toryo.domain.words import HELD, Purpose, Verb
from toryo.reconciler.subjects import DROPPED, LandingFacts, RunFacts, TaskFacts, VerbFact


@dataclass(frozen=True)
class Attempt:
    runs: tuple[RunFacts, ...]
    landings: tuple[LandingFacts, ...]
    verbs: tuple[VerbFact, ...]

    @property
    def last_run(self) -> RunFacts | None:
        return self.runs[-1] if self.runs else None

    @property
    def accepted(self) -> LandingFacts | None:
        """The landing that the tip holds; one that a person's reset of the target dropped is not there."""
        held = (landing for landing in self.landings if landing.accepted and landing.ended != DROPPED)
        return next(held, None)

    def said(self, verb: Verb) -> bool:
        """Since the last submit: that takes back an earlier cancel or reject."""
        words = [fact.verb for fact in self.verbs]
        since = len(words) - words[::-1].index(Verb.SUBMIT) if Verb.SUBMIT in words else 0
        return verb in words[since:]

    @property
    def released(self) -> bool:
        """Whether a person let the task go that was held, and not something else that it waited for."""
        return any(fact.verb is Verb.RELEASE and fact.reason == HELD for fact in self.verbs)

    def approved(self, reason: str, generation: int) -> bool:
        """Whether a person said yes to this very reason about this very run."""
        return any(
            fact.verb is Verb.APPROVE and fact.reason == reason and fact.generation == generation
            for fact in self.verbs
        )

    def answered(self, generation: int) -> bool:
        """Whether a person answered the question that this very run ended with."""
        return any(fact.verb is Verb.ANSWER and fact.generation == generation for fact in self.verbs)

    def commented(self, generation: int) -> bool:
        """Whether a person commented on what this very run left."""
        return any(fact.verb is Verb.COMMENT and fact.generation == generation for fact in self.verbs)

    def paused(self, generation: int) -> bool:
        """Whether this very run was stopped because its mission was paused, or is planned anew."""
        return any(fact.verb is Verb.PAUSE_NOW and fact.generation == generation for fact in self.verbs)

    def approved_after(self, reason: str, landing: LandingFacts) -> bool:
        return any(
            fact.verb is Verb.APPROVE and fact.reason == reason and fact.landing_seq >= landing.seq
            for fact in self.verbs
        )

    def count(self, purpose: Purpose) -> int:
        """Runs of a purpose that were real tries; one that was lost, parked or only asked costs no credit."""
        return sum(
            1
            for run in self.runs
            if run.purpose is purpose
            and not (run.lost or run.expired or run.withdrawn or run.parked)
            and not self.answered(run.generation)
            and not (run.stopped and self.paused(run.generation))
        )

    @property
    def parked_in_a_row(self) -> int:
        """How many of the newest runs a usage limit or an outage stopped, one after the other."""
        return len(list(takewhile(lambda run: run.parked, reversed(self.runs))))

    def newest_landing(self, generation: int) -> LandingFacts | None:
        mine = [landing for landing in self.landings if landing.generation == generation]
        return mine[-1] if mine else None


def current_attempt(task: TaskFacts) -> Attempt:
    floor = -1
    generation = landing_seq = 0
    for index, fact in enumerate(task.verbs):
        if fact.verb is Verb.RETRY:
            floor, generation, landing_seq = index, fact.generation, fact.landing_seq
    return Attempt(
        runs=tuple(run for run in task.runs if run.generation > generation),
        landings=tuple(landing for landing in task.landings if landing.seq > landing_seq),
        verbs=task.verbs[floor + 1 :],
    )
