"""Ways of the world that once led the head astray, told one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from house_rules import check_done, check_live_runs, look_over
from simulated_hands import ALWAYS, Pick, honest
from simulated_house import OUTSIDE, House, a_house

from toryo.domain.errors import Refused
from toryo.domain.words import ClaimResult, Verb
from toryo.store.database.engine import Committed
from toryo.store.tables import marks
from toryo.usecases.runs.runs import release_run
from toryo.usecases.sessions.agent_calls import Asked, authenticate, get_my_task, report_completed
from toryo.usecases.tasks.add import NewTask, add_task
from toryo.usecases.tasks.verbs import say


@dataclass
class Desk:
    """Someone who sees to it that things happen one at a time, in project p1."""

    house: House
    requests: int = 0

    @property
    def hands(self) -> Any:
        return self.house.hands[0]

    @property
    def repository(self) -> Any:
        return self.house.world.repositories["p1"]

    def add(self, agent: str = "bob", **wish: Any) -> str:
        made = add_task(self.house.context, NewTask("a task", project="p1", agent=agent, **wish))
        self.house.drain()
        return str(made["id"])

    def claim(self, agent: str = "bob") -> str:
        self.requests += 1
        return self.hands.claim(agent, "p1", f"request {self.requests}")

    def do(self, *kinds: str, pick: Pick = honest, told: bool = True) -> None:
        """Carry out what is asked of these kinds, each once."""
        for kind in kinds:
            self.house.drain()
            mine = [
                order for order in self.hands.todo() if order["kind"] == kind and order["project"] == "p1"
            ]
            assert mine, f"nobody asks for {kind}"
            for order in mine:
                self.hands.carry_out(order, pick)
            if told:
                self.tell()

    def tell(self, *kinds: str) -> None:
        facts = [fact for fact in self.hands.outbox if not kinds or fact.kind in kinds]
        self.hands.deliver(facts)
        self.house.drain()

    def end(self, how: str = "exit 0 commit") -> None:
        for process in list(self.house.world.processes.values()):
            process.hands.end(process, lambda _what, _choices: how)
        self.tell()

    def see(self) -> None:
        self.hands.poll()
        self.hands.look()
        self.tell()

    def work(self, agent: str = "bob", how: str = "exit 0 commit") -> None:
        """One run from its claim to its collection."""
        assert self.claim(agent)
        self.do("prepare", "run")
        self.end(how)
        self.do("collect")

    def state(self, task: str) -> str:
        row = next(row for row in self.house.rows("tasks") if row["id"] == task)
        return f"{row['status']} {row['reason']}".strip()

    def say(self, verb: Verb, task: str) -> None:
        say(self.house.context, verb, task, "")
        self.house.drain()

    def target(self) -> dict[str, Any]:
        return next(row for row in self.house.rows("targets") if row["project"] == "p1")


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Unchecked: whatever can be built may land."""
    with a_house() as house:
        house.checks("p1", "none")
        house.drain()
        yield Desk(house)


def always(answers: dict[str, Any]) -> Pick:
    return lambda what, choices: answers.get(what, choices[0])


# ── starting and stopping ─────────────────────────────────────────────────────────────────────────────


def test_a_second_claim_before_the_drain_does_not_start_the_same_task_again(desk: Desk) -> None:
    desk.add()
    assert desk.claim()
    assert not desk.claim()
    check_live_runs(desk.house.everything())


def test_a_task_that_was_cancelled_is_not_claimed_before_the_drain(desk: Desk) -> None:
    task = desk.add()
    say(desk.house.context, Verb.CANCEL, task, "")
    assert not desk.claim()


def test_a_claim_before_the_drain_gets_the_purpose_that_the_facts_ask_for(desk: Desk) -> None:
    desk.house.checks("p1", "one")
    desk.do("check")
    task = desk.add()
    desk.work()
    desk.do("candidate")
    desk.do("check", "check", pick=always({"check": "failed"}))
    assert desk.state(task) == "ready checks_failed"
    with desk.house.context.store.change() as tx:
        tx.mark(f"task:{task}")
    assert desk.claim()
    assert [row["purpose"] for row in desk.house.rows("runs")] == ["implement", "fix"]


def test_a_run_that_was_cancelled_between_prepare_and_start_frees_its_slot(desk: Desk) -> None:
    task = desk.add("ann")
    other = desk.add("ann")
    desk.claim("ann")
    desk.say(Verb.CANCEL, task)
    desk.do("prepare", "stop", "run")
    desk.do("collect")
    assert [row["outcome"] for row in desk.house.rows("runs")] == ["cancelled"]
    assert desk.claim("ann")
    assert desk.state(other) == "ready"
    desk.house.drain()
    assert desk.state(other) == "running preparing"


def test_a_run_whose_start_is_under_way_is_stopped_after_it_began(desk: Desk) -> None:
    task = desk.add()
    run = desk.claim()
    desk.do("prepare")
    desk.hands.wanted()  # the order to run is taken
    desk.say(Verb.CANCEL, task)
    desk.do("run", "stop")
    assert desk.house.world.processes[run].is_asked_to_stop
    desk.end()
    desk.do("collect")
    assert desk.state(task) == "cancelled cancelled"


def test_a_released_run_is_not_started_when_its_coordinator_comes_back(desk: Desk) -> None:
    desk.add()
    run = desk.claim()
    desk.do("prepare")
    desk.house.clock.now += 100
    desk.house.drain()
    release_run(desk.house.context, run)
    desk.hands.beat()
    desk.house.drain()
    assert [order["kind"] for order in desk.hands.wanted()] == ["collect"]


def test_an_agent_that_said_no_and_got_lost_is_not_started_again(desk: Desk) -> None:
    task = desk.add()
    run = desk.claim()
    desk.do("prepare", "run")
    token = authenticate(desk.house.context, Asked("bob", "p1", run=run))["session_token"]
    report_completed(desk.house.context, token, run, ClaimResult.FAILED, "", "")
    desk.end("lost")
    desk.do("collect")
    assert desk.state(task) == "needs_review claimed_failed"


def test_an_outside_agent_that_reports_before_it_had_a_worktree_is_for_a_person(desk: Desk) -> None:
    task = desk.add(OUTSIDE)
    token = authenticate(desk.house.context, Asked(OUTSIDE, "p1", passkey_fits=True))["session_token"]
    get_my_task(desk.house.context, token, "")
    report_completed(desk.house.context, token, "", ClaimResult.SUCCESS, "", "")
    desk.house.drain()
    assert desk.state(task) == "needs_review no_commit"
    assert desk.hands.todo() == []


def test_what_a_superseded_process_said_does_not_hide_what_the_new_one_says(desk: Desk) -> None:
    task = desk.add()
    desk.claim()
    desk.do("prepare", "run")
    desk.hands.end(next(iter(desk.house.world.processes.values())), honest)
    desk.hands.start()
    desk.hands.deliver(list(desk.hands.outbox), incarnation=desk.hands.incarnation - 1)
    desk.tell()
    desk.house.drain()
    assert desk.state(task) == "verifying collecting"


# ── gates ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_check_that_failed_before_it_passed_is_never_reused_as_a_pass(desk: Desk) -> None:
    desk.house.checks("p1", "one")
    desk.do("check")
    desk.add()
    desk.work()
    desk.do("candidate")
    desk.do("check", pick=always({"check": "failed"}))
    desk.do("check", "accept", "publish")
    desk.house.checks("p1", "two")  # the same tree, now with one check more
    desk.do("check")
    asked = [order["inputs"]["command"] for order in desk.hands.todo() if order["kind"] == "check"]
    assert asked == ["make test"]


def test_a_plain_pass_of_the_same_tree_is_reused(desk: Desk) -> None:
    desk.house.checks("p1", "one")
    desk.do("check")
    desk.house.checks("p1", "two")
    desk.do("check")
    assert [order["kind"] for order in desk.hands.todo()] == []
    assert desk.target()["stopped"] == ""


# ── landing ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_landing_that_is_being_accepted_is_not_overtaken_by_the_next(desk: Desk) -> None:
    one, two = desk.add(), desk.add()
    for _ in range(2):
        desk.work()
    desk.do("candidate")
    desk.hands.wanted()  # the accept is taken
    landing = next(row for row in desk.house.rows("landings") if row["begun"])
    desk.say(Verb.CANCEL, landing["task"])
    assert desk.state(landing["task"]) == "verifying accepting"
    assert [order["kind"] for order in desk.hands.todo()] == ["accept"]
    desk.do("accept", "publish")
    assert desk.state(landing["task"]) == "done"
    desk.do("candidate", "accept", "publish")
    assert {desk.state(one), desk.state(two)} == {"done"}


def test_a_task_that_lands_twice_counts_once_for_those_who_need_it(desk: Desk) -> None:
    needed, other = desk.add(), desk.add("ann")
    last = desk.add(after=(needed, other))
    desk.work()
    desk.house.world.repositories["p1"].busy = "dirty"
    desk.do("candidate", "accept", "publish")
    desk.repository.move(desk.repository.commit())  # a history without anything that was published
    desk.see()
    desk.say(Verb.APPROVE, needed)
    desk.do("accept")
    desk.do("candidate", "accept")
    assert desk.state(needed) == "landing publishing"
    assert desk.state(last) == "blocked dependency"
    look_over(desk.house, set())


def test_work_that_a_reset_of_the_target_dropped_lands_again_before_it_is_done(desk: Desk) -> None:
    first = desk.add()
    desk.work()
    desk.do("candidate", "accept", "publish")
    assert desk.state(first) == "done"
    second = desk.add()
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "accept", "publish")
    desk.repository.move("c0")  # the first one's work was taken back by hand
    desk.see()
    assert desk.state(second) == "needs_review target_rewound"
    desk.say(Verb.APPROVE, second)
    desk.do("accept")
    assert (desk.repository.tip, desk.state(second)) == ("c0", "verifying checking")
    desk.repository.busy = ""
    desk.do("candidate", "accept", "publish")
    assert desk.state(second) == "done"
    check_done(desk.house, desk.house.everything(), set())
    look_over(desk.house, set())


def dropped(desk: Desk, task: str) -> None:
    """Its work was accepted, then its target was set back by hand, and a person said yes to that."""
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "accept", "publish")
    desk.repository.move(desk.repository.commit())  # a history without anything that was published
    desk.see()
    desk.say(Verb.APPROVE, task)
    desk.do("accept")


def test_a_dependency_whose_accepted_work_was_dropped_and_is_cancelled_did_not_land(desk: Desk) -> None:
    needed = desk.add()
    follower = desk.add("ann", after=(needed,))
    dropped(desk, needed)
    assert desk.state(follower) == "blocked dependency"
    desk.say(Verb.CANCEL, needed)
    assert desk.state(needed) == "cancelled cancelled"
    assert desk.state(follower) == f"blocked dependency_failed:{needed}"
    late = desk.add("ann", after=(needed,))
    assert desk.state(late) == f"blocked dependency_failed:{needed}"
    assert not desk.claim("ann")
    look_over(desk.house, set())


def test_a_landing_that_is_queued_again_keeps_its_age(desk: Desk) -> None:
    first, second = desk.add(), desk.add()
    for _ in range(2):
        desk.work()
        desk.house.clock.now += 10
    desk.repository.move(desk.repository.commit("c0"))  # whatever was begun is stale
    desk.see()
    desk.house.clock.now += 10
    desk.do("accept")
    queued = [row for row in desk.house.rows("landings") if row["task"]]
    assert [row["ended"] for row in queued if row["task"] == first] == ["stale", ""]
    ages = {row["created_at"] for row in queued if row["task"] == first}
    assert len(ages) == 1
    assert max(ages) < min(row["created_at"] for row in queued if row["task"] == second)
    begun = [row["task"] for row in queued if row["begun"] and not row["ended"]]
    assert begun == [first]


def test_after_a_yes_to_a_rewound_target_nothing_begins_before_the_tip_is_there_too(desk: Desk) -> None:
    desk.add()
    desk.work()
    desk.do("candidate", "accept", "publish")
    removed = desk.repository.branch
    desk.repository.move("c0")
    desk.see()
    second = desk.add()
    assert desk.state(second) == "blocked target_rewound"
    desk.say(Verb.APPROVE, second)
    assert not desk.claim()
    desk.do("accept")
    desk.work()
    desk.do("candidate", "accept", "publish")
    assert desk.state(second) == "done"
    assert removed not in desk.repository.history(desk.repository.branch)
    look_over(desk.house, set())


def test_work_that_was_begun_on_removed_commits_does_not_bring_them_back(desk: Desk) -> None:
    desk.add()
    desk.work()
    desk.do("candidate", "accept", "publish")
    removed = desk.repository.branch
    second = desk.add()
    assert desk.claim()
    desk.do("prepare", "run")
    desk.repository.move("c0")
    desk.end()
    desk.see()
    desk.do("collect")
    desk.say(Verb.APPROVE, second)
    desk.do("accept", "candidate", "accept", "publish")
    assert desk.state(second) == "done"
    assert removed not in desk.repository.history(desk.repository.branch)
    look_over(desk.house, set())


def test_a_done_task_that_is_no_longer_on_its_target_says_so_until_it_is_there_again(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.do("candidate", "accept", "publish")
    landed = desk.repository.branch
    desk.repository.move("c0")
    desk.see()
    assert desk.state(task) == "done removed"
    row = next(row for row in desk.house.rows("tasks") if row["id"] == task)
    assert row["detail"] == "no longer on main"
    desk.say(Verb.APPROVE, task)  # nobody else waits
    desk.do("accept")
    desk.see()
    assert desk.state(task) == "done removed"
    look_over(desk.house, set())
    desk.repository.move(landed)
    desk.see()
    desk.do("accept")
    assert desk.state(task) == "done"
    look_over(desk.house, set())


def test_commits_of_a_person_that_conflict_with_accepted_work_are_resolved_by_its_agent(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "accept", "publish")
    assert desk.state(task) == "landing waiting_for_checkout"
    mine = desk.repository.commit("c0")
    desk.repository.move(mine)
    desk.see()
    desk.do("candidate", pick=always({"merge": "conflict"}))
    assert desk.target()["stopped"] == ""
    desk.do("accept")  # the tip gives way to the branch
    assert desk.repository.tip == mine
    desk.do("candidate", pick=always({"merge": "conflict"}))
    assert desk.state(task) == "ready conflict"
    desk.repository.busy = ""
    desk.work()
    assert [row["purpose"] for row in desk.house.rows("runs")] == ["implement", "resolve"]
    desk.do("candidate", "accept", "publish")
    assert desk.state(task) == "done"
    assert mine in desk.repository.history(desk.repository.branch)
    look_over(desk.house, set())


@pytest.mark.parametrize(
    ("verb", "end"), [(Verb.REJECT, "failed rejected"), (Verb.CANCEL, "cancelled cancelled")]
)
def test_work_that_is_rejected_before_it_is_published_is_taken_off_the_tip(
    desk: Desk, verb: Verb, end: str
) -> None:
    first, other = desk.add(), desk.add()
    desk.work()
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "accept", "publish")
    rejected = next(row for row in desk.house.rows("landings") if row["accepted_at"] is not None)
    assert rejected["task"] == first
    third = desk.add("ann")
    assert desk.claim("ann")  # on the tip that holds it
    desk.say(verb, first)
    assert desk.state(first) == "landing taken_off"
    desk.do("accept")
    assert desk.state(first) == end
    desk.repository.busy = ""
    desk.house.settle()
    assert (desk.state(other), desk.state(third)) == ("done", "done")
    assert rejected["head"] not in desk.repository.history(desk.repository.branch)
    look_over(desk.house, set())


def test_a_commit_seen_before_an_accept_is_joined_to_it_and_takes_nothing_away(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.do("candidate")
    desk.hands.wanted()  # the accept is taken
    desk.repository.move(desk.repository.commit("c0"))
    desk.see()
    assert desk.target()["seen_relation"] == "ahead"
    desk.do("accept", told=False)
    desk.tell("accepted")
    assert desk.target()["seen_relation"] == "diverged"
    desk.do("candidate", "accept", "publish")
    assert desk.state(task) == "done"


def test_a_sight_of_a_tip_that_is_not_known_yet_is_taken_after_what_moved_it(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.do("candidate")
    desk.do("accept", told=False)
    desk.repository.move(desk.repository.commit("c0"))
    desk.hands.look()
    desk.tell("target_seen")
    assert [fact.kind for fact in desk.hands.outbox] == ["accepted", "target_seen"]
    desk.tell("accepted")
    desk.tell()
    assert desk.target()["seen_relation"] == "diverged"
    desk.house.settle()
    assert desk.state(task) == "done"


def test_a_branch_that_stands_further_on_than_what_was_published_is_followed(desk: Desk) -> None:
    desk.add()
    desk.work()
    desk.do("candidate", "accept")
    desk.hands.wanted()  # the publish is taken
    desk.repository.move(desk.repository.commit(desk.repository.tip))
    desk.see()
    desk.do("publish", told=False)
    desk.tell("published")
    assert desk.target()["seen_relation"] == "ahead"
    desk.do("accept")
    assert desk.target()["tip"] == desk.repository.branch


@pytest.mark.parametrize("why", ["dirty", "rebase"])
def test_a_publish_that_waits_gives_way_to_a_newer_tip(desk: Desk, why: str) -> None:
    desk.repository.busy = why
    desk.add()
    first = desk.add("ann")
    desk.work()
    desk.work("ann")
    desk.do("candidate", "accept", "publish")
    desk.do("candidate", "accept")
    assert desk.state(first) == "landing publishing"
    look_over(desk.house, set())
    desk.do("publish")
    publishes = [row for row in desk.house.rows("orders") if row["kind"] == "publish"]
    assert [row["state"] for row in publishes] == ["withdrawn", "taken"]
    assert publishes[-1]["inputs"]["new"] == desk.repository.tip


def test_a_merge_of_accepted_work_by_hand_settles_a_conflict_with_it(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "accept", "publish")
    desk.repository.move(desk.repository.commit("c0"))
    desk.see()
    desk.do("candidate", pick=always({"merge": ALWAYS}))
    assert desk.state(task) == "landing publishing"
    desk.repository.move(desk.repository.commit(desk.repository.branch, desk.repository.tip))
    desk.see()
    desk.house.settle()
    assert desk.state(task) == "done"


def test_a_yes_to_a_red_commit_beside_accepted_work_lets_both_go_on(desk: Desk) -> None:
    desk.house.checks("p1", "one")
    desk.do("check")
    task = desk.add()
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "check", "accept", "publish")
    desk.repository.move(desk.repository.commit("c0"))
    desk.see()
    desk.do("candidate")
    desk.do("check", "check", pick=always({"check": "failed"}))
    assert desk.state(task) == "needs_review base_red"
    desk.repository.busy = ""
    desk.say(Verb.APPROVE, task)
    desk.do("candidate")
    desk.do("check", "check", pick=always({"check": "failed"}))
    desk.do("accept", "publish")
    assert desk.state(task) == "done"
    other = desk.add()
    assert desk.state(other) == "ready"


def test_a_cancel_that_came_too_late_counts_again_once_the_target_was_set_back(desk: Desk) -> None:
    desk.add()
    desk.work()
    desk.do("candidate", "accept", "publish")
    task = desk.add()
    desk.work()
    desk.do("candidate")
    desk.hands.wanted()  # the accept is taken
    desk.repository.busy = "dirty"
    desk.say(Verb.CANCEL, task)
    assert desk.state(task) == "verifying accepting"
    desk.do("accept")
    assert desk.state(task) == "landing publishing"
    desk.repository.move("c0")
    desk.see()
    desk.say(Verb.APPROVE, task)
    desk.do("accept")
    assert desk.state(task) == "cancelled cancelled"
    look_over(desk.house, set())


def test_a_retry_takes_the_old_work_out_of_the_queue(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.repository.move("")
    desk.see()
    assert desk.state(task) == "needs_review target_missing"
    desk.say(Verb.RETRY, task)
    desk.repository.move("c0")
    desk.see()
    assert desk.state(task) == "ready"
    assert [row["ended"] for row in desk.house.rows("landings")] == ["withdrawn"]
    assert [order["kind"] for order in desk.hands.todo()] == ["clean"]


def test_accepted_work_is_not_retried_and_what_is_rejected_waits_for_its_branch(desk: Desk) -> None:
    task = desk.add()
    desk.work()
    desk.repository.busy = "dirty"
    desk.do("candidate", "accept", "publish")
    desk.repository.move("")
    desk.see()
    assert desk.state(task) == "needs_review target_missing"
    with pytest.raises(Refused):
        desk.say(Verb.RETRY, task)
    desk.say(Verb.REJECT, task)
    assert desk.state(task) == "needs_review target_missing"
    desk.repository.move("c0")
    desk.see()
    desk.do("accept")
    assert desk.state(task) == "failed rejected"


def test_checks_that_change_while_an_accept_is_under_way_leave_nobody_waiting_for_the_old_tip(
    desk: Desk,
) -> None:
    desk.add()
    desk.work()
    desk.do("candidate")
    desk.hands.wanted()  # the accept is taken
    waiting = desk.add()
    desk.house.checks("p1", "two")
    desk.house.drain()
    assert desk.state(waiting) == "blocked base_gate"
    desk.do("accept")
    look_over(desk.house, set())


# ── what waits costs nothing ──────────────────────────────────────────────────────────────────────────


def test_a_landing_has_no_task_looked_at_that_only_waits(desk: Desk) -> None:
    """With hundreds of ready tasks the head did little else than look at them, once for each landing."""
    first = desk.add()
    waiting = {f"task:{desk.add()}" for _ in range(3)}
    desk.work()
    desk.see()
    looked = marked_in(desk, lambda: land(desk))
    assert desk.state(first) == "done"
    assert f"task:{first}" in looked
    assert not looked & waiting


def land(desk: Desk) -> None:
    desk.do("candidate", "accept")
    desk.see()  # between the two the branch is behind the tip
    desk.do("publish")
    desk.see()


def marked_in(desk: Desk, act: Callable[[], None]) -> set[str]:
    """Everything that was marked meanwhile."""
    found: set[str] = set()

    def heard(_committed: Committed) -> None:
        with desk.house.context.store.read() as tx:
            found.update(marks.due(tx, desk.house.clock.now, 1000))

    desk.house.context.store.listen(heard)
    act()
    return found
