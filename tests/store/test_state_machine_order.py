"""The same facts in another order, doubled, delayed, lost and repeated, lead to the same states.

What each run does is written down beforehand; only when and how often it is told is left to chance.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from house_rules import look_over
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_hands import ALWAYS, Hands, Pick, Process
from simulated_house import AGENTS, PROJECTS, Conduct, House, a_house

from toryo.domain.words import ClaimResult
from toryo.usecases.sessions.agent_calls import Asked, authenticate, report_completed
from toryo.usecases.tasks.add import NewTask, add_task

EXAMPLES = int(os.environ.get("TORYO_EXAMPLES", "0"))
PROFILE = settings(
    max_examples=EXAMPLES or 20,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class RunScript:
    """What one run does, and what becomes of its work."""

    end: str = "exit 0 commit"
    claim: ClaimResult | None = None
    merge: str = "clean"
    check: str = "passed"


@dataclass(frozen=True)
class TaskScript:
    agent: str
    project: str
    runs: tuple[RunScript, ...]
    """By generation; what comes after them is honest."""
    after: tuple[int, ...] = ()

    def of(self, generation: int) -> RunScript:
        return self.runs[generation - 1] if generation <= len(self.runs) else RunScript()


ends = st.sampled_from(("exit 0 commit", "exit 0 commit", "exit 0", "exit 3", "signal", "timed out", "lost"))
runs = st.builds(
    RunScript,
    end=ends,
    claim=st.sampled_from((None, None, None, *ClaimResult)),
    merge=st.sampled_from(("clean", "clean", ALWAYS)),
    check=st.sampled_from(("passed", "passed", "failed", "could_not_run")),
)


@st.composite
def scripts(draw: Any) -> list[TaskScript]:
    made: list[TaskScript] = []
    for number in range(draw(st.integers(1, 4))):
        earlier = st.lists(st.integers(0, number - 1), max_size=2, unique=True) if number else st.just([])
        script = TaskScript(
            agent=draw(st.sampled_from(tuple(AGENTS))),
            project=draw(st.sampled_from(PROJECTS)),
            runs=tuple(draw(st.lists(runs, max_size=3))),
            after=tuple(draw(earlier)),
        )
        made.append(script)
    return made


@dataclass
class Play(Conduct):
    """A house in which every task has its script."""

    house: House
    scripts: list[TaskScript]
    ids: list[str] = field(default_factory=list)

    def begin(self) -> None:
        self.house.checks("p1", "two")
        self.house.checks("p2", "one")
        for number, script in enumerate(self.scripts):
            after = tuple(self.ids[one] for one in script.after)
            wish = NewTask(f"task {number}", project=script.project, agent=script.agent, after=after)
            self.ids.append(add_task(self.house.context, wish)["id"])

    def pick_for(self, order: dict[str, Any]) -> Pick:
        """What the script of the task says that this order is about."""
        script = self._script(order)
        answers = {"merge": script.merge, "check": script.check} if script else {}
        return lambda what, choices: answers.get(what, choices[0])

    def _script(self, order: dict[str, Any]) -> RunScript | None:
        if order["kind"] not in ("candidate", "check"):
            return None
        commit = order["inputs"].get("commit")
        for landing in self.house.rows("landings"):
            if landing["id"] == order["landing"] or (commit and landing["candidate"] == commit):
                return self.scripts[self.ids.index(landing["task"])].of(landing["generation"])
        return None  # the gate of the base

    def end(self, process: Process) -> None:
        row = next(row for row in self.house.rows("runs") if row["id"] == process.run)
        script = self.scripts[self.ids.index(process.task)].of(row["generation"])
        if script.claim:
            asked = Asked(row["agent"], row["project"], run=row["id"])
            token = authenticate(self.house.context, asked)["session_token"]
            report_completed(self.house.context, token, row["id"], script.claim, "", "")
        process.hands.end(process, lambda _what, _choices: script.end)

    def finish(self) -> dict[str, Any]:
        """Everything is done and told; what has become of the tasks and their runs."""
        self.house.settle(self)
        look_over(self.house, set())
        return self.states()

    def states(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for task in self.house.rows("tasks"):
            mine = [row for row in self.house.rows("runs") if row["task"] == task["id"]]
            ran = [(row["generation"], row["purpose"], row["outcome"], row["exit_code"]) for row in mine]
            found[task["title"]] = (task["status"], task["reason"].partition(":")[0], sorted(ran))
        return found


def in_order(made: list[TaskScript]) -> dict[str, Any]:
    with a_house() as house:
        play = Play(house, made)
        play.begin()
        return play.finish()


def in_disorder(made: list[TaskScript], chance: random.Random) -> dict[str, Any]:
    with a_house() as house:
        play = Play(house, made)
        play.begin()
        for number in range(60):
            _something_happens(play, chance, number)
        return play.finish()


def _something_happens(play: Play, chance: random.Random, number: int) -> None:
    house = play.house
    hands = chance.choice(house.hands)
    match chance.choice(("drain", "claim", "work", "work", "end", "end", "tell", "tell", "life", "time")):
        case "drain":
            house.drain()
        case "claim":
            for agent, project in house.ready_pairs():
                hands.claim(agent, project, f"request {number // chance.choice((1, 2))}/{agent}/{project}")
        case "work":
            for order in chance.sample(todo := hands.todo(), k=chance.randint(0, len(todo))):
                hands.carry_out(order, _maybe_interrupted(play, order, chance))
        case "end":
            for process in list(house.world.processes.values())[: chance.randint(0, 2)]:
                play.end(process)
        case "tell":
            _tell(hands, chance)
        case "life":
            chance.choice((hands.start, hands.beat, hands.look, hands.poll))()
        case "time":
            house.clock.now += chance.choice((1, 5, 40))
            chance.choice(list(house.world.repositories.values())).busy = chance.choice(("", "dirty"))


def _maybe_interrupted(play: Play, order: dict[str, Any], chance: random.Random) -> Pick:
    """An interrupted check says nothing about the work, so chance may interrupt: twice at most."""
    number = order["inputs"].get("attempt", 1) if order["kind"] == "check" else 3
    if number < 3 and chance.random() < 0.2:
        return lambda what, choices: "interrupted" if what == "check" else choices[0]
    return play.pick_for(order)


def _tell(hands: Hands, chance: random.Random) -> None:
    """Some facts in any order, some of them twice, some by a process that was superseded."""
    if not hands.outbox:
        return
    facts = chance.sample(hands.outbox, k=chance.randint(1, len(hands.outbox)))
    hands.deliver([*facts, *facts[:1]], is_heard=chance.random() < 0.6)
    if hands.incarnation > 1 and chance.random() < 0.3:
        hands.deliver(facts, incarnation=hands.incarnation - 1)


@pytest.mark.slow
@PROFILE
@given(scripts(), st.integers(0, 2**32))
def test_order_loss_and_repetition_of_reports_end_in_the_same_states(made, seed):
    assert in_disorder(made, random.Random(seed)) == in_order(made)
