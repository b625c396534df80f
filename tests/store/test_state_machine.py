"""The head's promises under chance: simulated coordinators, agents and people round the real store.

Short and repeatable by default; `TORYO_EXAMPLES=2000 pytest tests/store/test_state_machine.py` searches anew.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

import pytest
from house_rules import check_live_runs, check_liveness, look_over
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from simulated_hands import CHECKS, Hands, Pick
from simulated_house import AGENTS, OUTSIDE, PROJECTS, Conduct, a_house

from toryo.domain.errors import UserError
from toryo.domain.words import ClaimResult, FilesPurpose, Priority, Verb
from toryo.engine.subjects.files import land_files, land_stuck_again
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions
from toryo.usecases.runs.runs import release_run, stop_run
from toryo.usecases.sessions.agent_calls import Asked, authenticate, get_my_task, report_completed
from toryo.usecases.tasks.add import NewTask, add_task
from toryo.usecases.tasks.revert import revert
from toryo.usecases.tasks.submit import retry, submit
from toryo.usecases.tasks.update import Update, update_task
from toryo.usecases.tasks.verbs import say

EXAMPLES = int(os.environ.get("TORYO_EXAMPLES", "0"))
PROFILE = settings(
    max_examples=EXAMPLES or 60,
    stateful_step_count=40,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=bool(EXAMPLES),
)

LIKELY = {
    Verb.RETRY: ("failed", "cancelled", "needs_review", "blocked"),
    Verb.APPROVE: ("needs_review", "open", "blocked"),
    Verb.REJECT: ("needs_review",),
    Verb.CANCEL: ("open", "blocked", "ready", "running", "verifying", "landing", "needs_review"),
}
"""Where a verb has a meaning; said elsewhere it is refused."""

which = st.integers(0, 1)
projects = st.sampled_from(("p1", "p1", "p1", *PROJECTS))
data = st.data()


def drawn(source: Any) -> Pick:
    return lambda what, choices: source.draw(st.sampled_from(choices), label=what)


class TheHouse(RuleBasedStateMachine):
    @initialize(
        one=st.sampled_from(tuple(CHECKS)),
        other=st.sampled_from(tuple(CHECKS)),
        agents=st.lists(st.sampled_from((*AGENTS, *AGENTS, OUTSIDE)), min_size=1, max_size=4),
        rounds=st.integers(0, 9),
    )
    def open(self, one: str, other: str, agents: list[str], rounds: int) -> None:
        """Some tasks, and some rounds of honest work: chance begins anywhere on the way."""
        self.stack = ExitStack()
        self.house = self.stack.enter_context(a_house())
        self.trusted_trees: set[tuple[str, str]] = set()
        self.sessions: list[tuple[str, str]] = []
        self.requests: list[tuple[str, str, str]] = []
        self.house.checks("p1", one)
        self.house.checks("p2", other, flaky="review")
        for number, agent in enumerate(agents):
            add_task(self.house.context, NewTask(f"first {number}", project="p1", agent=agent))
        for _ in range(rounds):
            self.house.round(Conduct())

    def teardown(self) -> None:
        if not hasattr(self, "stack"):
            return
        with self.stack:
            self.house.settle()
            self.look_over()
            check_liveness(self.house)

    def tasks(self) -> list[str]:
        return [row["id"] for row in self.house.rows("tasks")]

    def runs(self) -> list[str]:
        return [row["id"] for row in self.house.rows("runs")]

    # ── people ────────────────────────────────────────────────────────────────────────────────────────

    @rule(
        project=projects,
        agent=st.sampled_from((*AGENTS, *AGENTS, OUTSIDE)),
        priority=st.sampled_from(Priority),
        write=st.sampled_from((None, None, ("src/a/",), ("src/b/",))),
        held=st.sampled_from((False, False, False, True)),
        source=data,
    )
    def add_task(
        self, project: str, agent: str, priority: Priority, write: Any, held: bool, source: Any
    ) -> None:
        there = self.tasks()
        after = source.draw(st.lists(st.sampled_from(there), max_size=2)) if there else []
        wish = NewTask(
            f"task {len(there)}",
            project=project,
            agent=agent,
            priority=priority,
            write=write,
            held=held,
            after=tuple(after),
            checks=source.draw(st.sampled_from(((), (), ("make more",)))),
        )
        add_task(self.house.context, wish)

    @precondition(lambda self: self.tasks())
    @rule(
        verb=st.sampled_from((Verb.RETRY, Verb.APPROVE, Verb.APPROVE, Verb.CANCEL, Verb.REJECT)), source=data
    )
    def say(self, verb: Verb, source: Any) -> None:
        rows = self.house.rows("tasks")
        likely = [row for row in rows if row["status"] in LIKELY[verb]]
        task = source.draw(st.sampled_from([row["id"] for row in likely or rows]))
        try:
            say(self.house.context, verb, task, "")
        except UserError:
            return
        for target in self.house.rows("targets"):
            self.trusted_trees.add((target["project"], target["trusted_tree"]))

    @rule(project=projects, version=st.integers(1, 3))
    def land_files(self, project: str, version: int) -> None:
        """A mission lands something of its own; twice the same is once."""
        with self.house.context.store.change() as tx:
            mission = missions.get(tx, f"n{project}")
            if mission is None:
                whole = {"target": "main", "text": "do it", "status": "completed"}
                mission = MissionRow(
                    id=f"n{project}", project=project, created_at=tx.now, changed_at=tx.now, **whole
                )
                missions.insert(tx, mission)
            text = [(f"specs/{version % 2}.md", f"version {version % 2}")]
            land_files(tx, mission, FilesPurpose.SPEC, version, text, "docs: the spec")

    @rule(project=projects)
    def try_stuck_files_again(self, project: str) -> None:
        with self.house.context.store.change() as tx:
            land_stuck_again(tx, f"n{project}")

    @precondition(lambda self: self.tasks())
    @rule(what=st.sampled_from(("submit", "submit", "retry", "revert")), source=data)
    def work_by_hand(self, what: str, source: Any) -> None:
        """A person submits what lies there, starts over and keeps it, or takes a done task back."""
        rows = self.house.rows("tasks")
        statuses = ("done",) if what == "revert" else ("failed", "needs_review", "cancelled", "ready")
        likely = [row for row in rows if row["status"] in statuses]
        task = source.draw(st.sampled_from([row["id"] for row in likely or rows]))
        try:
            if what == "submit":
                submit(self.house.context, task, "")
            elif what == "revert":
                revert(self.house.context, task, "")
            else:
                retry(self.house.context, task, "", keep=True)
        except UserError:
            return

    @precondition(lambda self: self.tasks())
    @rule(again=st.sampled_from(("", "", "", "open")), source=data)
    def set_what_it_waits_for(self, again: str, source: Any) -> None:
        """Of any task, also one that has begun: that is refused, as a cycle is."""
        there = self.tasks()
        task = source.draw(st.sampled_from(there))
        after = source.draw(st.lists(st.sampled_from(there), max_size=2))
        try:
            update_task(self.house.context, Update(task, status=again, after=tuple(after)))
        except UserError:
            return

    @precondition(lambda self: self.runs())
    @rule(what=st.sampled_from((stop_run, release_run)), source=data)
    def end_a_run(self, what: Any, source: Any) -> None:
        run = source.draw(st.sampled_from(self.runs()))
        if what is release_run and run in self.house.world.processes:
            return  # people do not release what they see working
        try:
            what(self.house.context, run)
        except UserError:
            return

    @rule(
        project=projects,
        what=st.sampled_from(("commit", "commit", "merge", "rewind", "amend", "delete", "restore", "meddle")),
    )
    def move_the_branch(self, project: str, what: str) -> None:
        repository = self.house.world.repositories[project]
        older = sorted(repository.history(repository.branch) - {repository.branch})
        if what == "restore" and not repository.branch:
            repository.move(repository.reflog[-1])
        elif what == "commit" and repository.branch:
            repository.move(repository.commit(repository.branch))
        elif what == "merge" and repository.branch and repository.worktrees:
            theirs = sorted(repository.worktrees.items())[-1][1].head
            repository.move(repository.commit(repository.branch, theirs))
        elif what == "meddle":
            repository.tip = repository.commit(repository.tip)
        elif what == "rewind" and older:
            repository.move(older[-1])
        elif what == "amend" and older:
            repository.move(repository.commit(older[-1]))
        elif what == "delete":
            repository.move("")

    @rule(project=projects, which=st.sampled_from(tuple(CHECKS)))
    def commit_other_settings(self, project: str, which: str) -> None:
        repository = self.house.world.repositories[project]
        if repository.branch:
            repository.move(repository.commit(repository.branch))
            repository.settings[repository.branch] = which

    @rule(project=projects, why=st.sampled_from(("", "dirty", "rebase")))
    def hold_the_checkout(self, project: str, why: str) -> None:
        self.house.world.repositories[project].busy = why

    @rule(project=projects, what=st.sampled_from(tuple(CHECKS)), flaky=st.sampled_from(("land", "review")))
    def change_the_checks(self, project: str, what: str, flaky: str) -> None:
        self.house.checks(project, what, flaky=flaky)

    # ── coordinators ──────────────────────────────────────────────────────────────────────────────────

    @rule(number=which, again=st.sampled_from((False, False, False, True)), source=data)
    def claim(self, number: int, again: bool, source: Any) -> None:
        if again and self.requests:
            agent, project, request = source.draw(st.sampled_from(self.requests))
        else:
            agent, project = source.draw(st.sampled_from(self.house.ready_pairs() or [("ann", "p1")]))
            request = f"request {len(self.requests)}"
            self.requests.append((agent, project, request))
        before = {row["request"]: row["id"] for row in self.house.rows("runs")}
        run = self.house.hands[number].claim(agent, project, request)
        assert before.get(request, run) == run, "the same request had another answer"
        check_live_runs(self.house.everything())

    @rule(number=which, most=st.integers(1, 4), source=data)
    def work(self, number: int, most: int, source: Any) -> None:
        hands = self.house.hands[number]
        for order in hands.todo()[:most]:
            hands.carry_out(order, drawn(source))

    @rule(number=which, source=data)
    def work_on_one(self, number: int, source: Any) -> None:
        hands = self.house.hands[number]
        if todo := hands.todo():
            chosen = source.draw(st.integers(0, len(todo) - 1))
            hands.carry_out(todo[chosen], drawn(source))

    @rule(number=which, heard=st.booleans(), source=data)
    def deliver(self, number: int, heard: bool, source: Any) -> None:
        """Some of the facts, in any order; the answer may get lost, so they are sent again."""
        hands = self.house.hands[number]
        if hands.outbox:
            facts = source.draw(st.lists(st.sampled_from(hands.outbox), unique_by=lambda one: one.seq))
            hands.deliver(facts, is_heard=heard)

    @rule(number=which)
    def deliver_all(self, number: int) -> None:
        hands = self.house.hands[number]
        hands.deliver(list(hands.outbox))

    @rule(number=which, source=data)
    def deliver_as_a_ghost(self, number: int, source: Any) -> None:
        """The process that was superseded tells what it knows."""
        hands = self.house.hands[number]
        if hands.outbox and hands.incarnation > 1:
            fact = source.draw(st.sampled_from(hands.outbox))
            hands.deliver([fact], incarnation=hands.incarnation - 1)

    @rule(number=which)
    def start_anew(self, number: int) -> None:
        self.house.hands[number].start()

    @rule(number=which, polls=st.booleans())
    def look(self, number: int, polls: bool) -> None:
        hands = self.house.hands[number]
        hands.beat()
        if polls:
            hands.poll()
        hands.look()

    # ── agents ────────────────────────────────────────────────────────────────────────────────────────

    @precondition(lambda self: self.house.world.processes)
    @rule(source=data)
    def agent_ends(self, source: Any) -> None:
        process = source.draw(st.sampled_from(sorted(self.house.world.processes.items())))[1]
        process.hands.end(process, drawn(source))

    @precondition(lambda self: self.house.world.begun)
    @rule(result=st.sampled_from(ClaimResult), source=data)
    def agent_claims(self, result: ClaimResult, source: Any) -> None:
        """Said while it works, or after its end, which the daemon may not know yet."""
        begun = [row for row in self.house.rows("runs") if row["id"] in self.house.world.begun]
        row = source.draw(st.sampled_from(begun))
        asked = Asked(row["agent"], row["project"], run=row["id"])
        try:
            token = authenticate(self.house.context, asked)["session_token"]
        except UserError:
            return
        report_completed(self.house.context, token, row["id"], result, "", "")

    @rule(project=projects)
    def outsider_comes(self, project: str) -> None:
        asked = Asked(OUTSIDE, project, passkey_fits=True)
        try:
            token = authenticate(self.house.context, asked)["session_token"]
            get_my_task(self.house.context, token, "")
        except UserError:
            return
        self.sessions.append((project, token))

    @precondition(lambda self: self.sessions)
    @rule(works=st.booleans(), result=st.sampled_from(ClaimResult), source=data)
    def outsider_reports(self, works: bool, result: ClaimResult, source: Any) -> None:
        project, token = source.draw(st.sampled_from(self.sessions))
        try:
            run, _ = get_my_task(self.house.context, token, "")
        except UserError:
            return
        worktree = self.house.world.worktrees.get(run)
        if works and worktree:
            worktree.head = self.house.world.repositories[project].commit(worktree.head)
        report_completed(self.house.context, token, "", result, "", "")

    # ── time ──────────────────────────────────────────────────────────────────────────────────────────

    @rule(seconds=st.sampled_from((1, 5, 40, 4000)))
    def time_passes(self, seconds: int) -> None:
        self.house.clock.now += seconds

    @rule()
    def drain(self) -> None:
        self.house.drain()

    @rule(source=data)
    def bustle(self, source: Any) -> None:
        self._bustle(source)

    @rule(source=data)
    def bustle_more(self, source: Any) -> None:
        self._bustle(source)
        self._bustle(source)

    def _bustle(self, source: Any) -> None:
        """Everybody does something: long ways are gone in few steps."""
        for hands in self.house.hands:
            self._bustle_of(hands, source)
        for process in list(self.house.world.processes.values()):
            process.hands.end(process, drawn(source))
        self.look_over()

    def _bustle_of(self, hands: Hands, source: Any) -> None:
        hands.deliver(list(hands.outbox))
        self.house.drain()
        for order in hands.todo():
            hands.carry_out(order, drawn(source))
        for agent, project in self.house.ready_pairs():
            self.requests.append((agent, project, f"request {len(self.requests)}"))
            hands.claim(*self.requests[-1])

    @rule()
    def look_over(self) -> None:
        self.house.drain()
        look_over(self.house, self.trusted_trees)


TestTheHouse = pytest.mark.slow(TheHouse.TestCase)
TestTheHouse.settings = PROFILE
