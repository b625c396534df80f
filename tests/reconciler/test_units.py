"""Units: split or implement, wait for children, integrate, go up; limits of a tree; the tree as a mission."""

from __future__ import annotations

from typing import Any

import pytest
from fact_builders import POLICY, a_landing, a_run, a_task, landed, said, shown, work
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.reasons import Reason
from toryo.domain.words import MissionStatus, Purpose, TaskStatus, Verb, Verdict
from toryo.reconciler.decide import decide_task
from toryo.reconciler.decisions import TaskDecision
from toryo.reconciler.queueing import decide_queue
from toryo.reconciler.subjects import ChildFacts, QueuedLanding, QueueFacts, RunFacts, TaskFacts, UnitFacts
from toryo.reconciler.unit_trees import TreeFacts, decide_tree
from toryo.reconciler.units import SpawnFacts, SpawnLimits, refused, stopped

NOTHING = work(0, head="h1", changes=False)


def child(number: int, generation: int = 1, **facts: Any) -> ChildFacts:
    return ChildFacts(f"c{number}", f"root-c{number}", generation, **facts)


LANDED = {"landed": True, "at_rest": True}
GONE = {"at_rest": True}


def a_unit(*children: ChildFacts, runs: tuple[RunFacts, ...] = (), **facts: Any) -> TaskFacts:
    covered = facts.pop("covered", False)
    pauses = facts.pop("pauses", False)
    return a_task(unit=UnitFacts(children, covered, pauses), runs=runs, **facts)


def decided(task: TaskFacts) -> TaskDecision:
    return decide_task(task, POLICY)


def decompose(**facts: Any) -> RunFacts:
    return a_run(1, Purpose.DECOMPOSE, **{"collected": NOTHING, **facts})


def integrate(generation: int = 2, **facts: Any) -> RunFacts:
    return a_run(generation, Purpose.INTEGRATE, **{"collected": NOTHING, **facts})


def test_a_units_first_run_divides_or_implements() -> None:
    assert (decided(a_unit()).status, decided(a_unit()).purpose) == (TaskStatus.READY, Purpose.DECOMPOSE)
    assert decided(a_task()).purpose is Purpose.IMPLEMENT


def test_a_unit_that_implemented_lands_like_any_task() -> None:
    assert shown(decided(a_unit(runs=(decompose(collected=work()),)))) == "verifying queued"


def test_a_unit_that_neither_spawned_nor_committed_is_a_persons_matter() -> None:
    assert shown(decided(a_unit(runs=(decompose(),)))) == "needs_review not_split"


def test_a_unit_that_spawned_and_ended_waits_for_its_children() -> None:
    task = a_unit(child(1, **LANDED), child(2), runs=(decompose(),))
    assert shown(decided(task)) == "blocked waiting_for_children"
    assert "1 of 2 landed; waits for root-c2" in decided(task).detail


@pytest.mark.parametrize("how", [{"exit_code": 1}, {"signal": "SIGKILL", "exit_code": None}, {"lost": True}])
def test_children_go_on_although_their_parents_run_ended_badly(how: dict[str, Any]) -> None:
    assert shown(decided(a_unit(child(1), runs=(decompose(**how),)))) == "blocked waiting_for_children"
    rested = decided(a_unit(child(1, **LANDED), runs=(decompose(**how),)))
    assert (shown(rested), rested.purpose) == ("ready children_at_rest", Purpose.INTEGRATE)


def test_an_integrate_run_that_changes_nothing_is_fine() -> None:
    task = a_unit(child(1, **LANDED), runs=(decompose(), integrate()), covered=True)
    assert shown(decided(task)) == "verifying queued"
    assert decided(task).enqueue is not None


def test_news_of_a_child_after_an_integrate_run_leads_to_another_one() -> None:
    task = a_unit(child(1, **LANDED), child(2, **GONE), runs=(decompose(), integrate()), covered=False)
    assert decided(task).purpose is Purpose.INTEGRATE


def test_a_failed_integration_is_tried_once_more_and_then_the_unit_has_failed() -> None:
    bad = {"exit_code": 3}
    once = a_unit(child(1, **LANDED), runs=(decompose(), integrate(2, **bad)), covered=True)
    assert (shown(decided(once)), decided(once).purpose) == ("ready integrate_failed", Purpose.INTEGRATE)
    twice = (decompose(), integrate(2, **bad), integrate(3, **bad))
    assert shown(decided(a_unit(child(1, **LANDED), runs=twice, covered=True))) == "failed exit:3"


def test_a_unit_none_of_whose_children_landed_has_failed() -> None:
    task = a_unit(child(1, **GONE), runs=(decompose(), integrate()), covered=True)
    assert shown(decided(task)) == "failed children_failed"


def test_a_unit_whose_children_failed_may_still_have_done_the_work_itself() -> None:
    task = a_unit(child(1, **GONE), runs=(decompose(), integrate(collected=work())), covered=True)
    assert shown(decided(task)) == "verifying queued"


def test_a_retry_begins_without_the_children_of_before() -> None:
    task = a_unit(
        child(1, 1, at_rest=False),
        runs=(decompose(), a_run(2, Purpose.DECOMPOSE, collected=work())),
        verbs=(said(Verb.RETRY, generation=1),),
    )
    assert shown(decided(task)) == "verifying queued"


def test_a_red_integration_is_mended_like_any_work() -> None:
    runs = (decompose(), integrate())
    red = a_landing(1, 2, ended="red", detail="exited 1")
    task = a_unit(child(1, **LANDED), runs=runs, landings=(red,), covered=True)
    assert (shown(decided(task)), decided(task).purpose) == ("ready checks_failed", Purpose.FIX)


def test_a_landing_that_its_parents_run_is_in_the_way_of_waits_for_that_one() -> None:
    task = a_task(
        runs=(a_run(),), landings=(landed(),), waiting_why="dirty", waiting=("a.py",), above="root-api"
    )
    assert shown(decided(task)) == "landing waiting_for_parent"
    assert "root-api" in decided(task).detail


def test_a_paused_unit_is_ready_and_starts_nothing() -> None:
    assert shown(decided(a_unit(pauses=True))) == "ready paused"
    runs = (decompose(),)
    assert shown(decided(a_unit(child(1, **LANDED), runs=runs, pauses=True))) == "ready paused"


@pytest.mark.parametrize(
    ("hold", "expected"),
    [("plan_ready", "blocked plan_ready"), ("tree_stopped", "blocked tree_stopped")],
)
def test_children_wait_for_a_yes_to_the_first_breakdown_and_while_the_tree_is_stopped(
    hold: str, expected: str
) -> None:
    assert shown(decided(a_unit(mission_hold=hold))) == expected


RUNS = st.lists(
    st.tuples(
        st.sampled_from([Purpose.INTEGRATE, Purpose.FIX, Purpose.RESOLVE]),
        st.sampled_from([{}, {"exit_code": 1}, {"lost": True}, {"collected": work()}]),
    ),
    max_size=4,
)
CHILDREN = st.lists(st.sampled_from([{}, LANDED, GONE]), max_size=5)


@given(RUNS, CHILDREN, st.booleans())
def test_nothing_is_started_or_landed_above_children_that_move(
    past: list[tuple[Purpose, dict[str, Any]]], kinds: list[dict[str, Any]], covered: bool
) -> None:
    runs = (decompose(), *(a_run(n, purpose, **facts) for n, (purpose, facts) in enumerate(past, 2)))
    children = tuple(child(n, **facts) for n, facts in enumerate(kinds))
    moving = any(not one.at_rest for one in children)
    decision = decided(a_unit(*children, runs=runs, covered=covered and not moving))
    if moving:
        assert shown(decision) == "blocked waiting_for_children"
        assert decision.enqueue is None
    if decision.enqueue is not None:
        assert covered or not children
    assert decision.status is not TaskStatus.DONE, "only a landing makes it done"


def test_what_a_parent_commits_on_its_own_branch_is_followed_without_a_gate() -> None:
    queue = QueueFacts("p1", "agent/root-t1", "t", "tree", "t", seen="s", seen_relation="ahead", ungated=True)
    followed = decide_queue(queue, POLICY, 0)
    assert ([one.kind for one in followed.create], followed.gates) == (["adopt"], ())
    mine = QueuedLanding("l1", 1, "adopt", "", "s", 0, 0, begun=True, old_tip="t", candidate="s", tree="x")
    going = decide_queue(QueueFacts(**{**vars(queue), "landings": (mine,)}), POLICY, 0)
    assert [order.kind.value for order in going.orders] == ["accept"]


def test_a_childs_work_is_gated_before_it_lands_on_its_parents_branch() -> None:
    queue = QueueFacts("p1", "agent/root-t1", "t", "tree", "t", ungated=True)
    mine = QueuedLanding("l1", 1, "task", "t2", "h", 2, 0, begun=True, old_tip="t", candidate="c", tree="x")
    wanted = decide_queue(QueueFacts(**{**vars(queue), "landings": (mine,)}), POLICY, 0)
    assert ([one.landing for one in wanted.gates], wanted.orders) == (["l1"], ())
    red = QueuedLanding(**{**vars(mine), "gate": "g1", "verdict": Verdict.RED})
    refused_landing = decide_queue(QueueFacts(**{**vars(queue), "landings": (red,)}), POLICY, 0)
    assert [one.reason for one in refused_landing.end] == ["red"]


def test_a_person_reviews_a_tree_as_a_whole_and_not_each_unit() -> None:
    green = QueuedLanding(
        "l1", 1, "task", "t2", "h", 2, 0, begun=True, old_tip="t", candidate="c", tree="x", gate="g1",
        verdict=Verdict.GREEN, review=True,
    )  # fmt: skip
    queue = QueueFacts("p1", "agent/root-t1", "t", "tree", "t", landings=(green,), ungated=True)
    assert [order.kind.value for order in decide_queue(queue, POLICY, 0).orders] == ["accept"]
    above = QueueFacts(**{**vars(queue), "ungated": False, "tip_gate": "g", "tip_verdict": Verdict.GREEN})
    assert [one.reason for one in decide_queue(above, POLICY, 0).end] == ["review"]


LIMITS = SpawnLimits(depth=3, children=2, total=5, fruitless=4)


@pytest.mark.parametrize(
    ("facts", "new", "why"),
    [
        (SpawnFacts(1, 0, 1, 0, 0), 2, ""),
        (SpawnFacts(3, 0, 3, 1, 0), 1, "units.depth"),
        (SpawnFacts(2, 1, 3, 1, 0), 2, "units.children"),
        (SpawnFacts(2, 0, 4, 1, 0), 2, "units.total"),
    ],
)
def test_a_tree_grows_within_its_limits(facts: SpawnFacts, new: int, why: str) -> None:
    told = refused(facts, new, LIMITS)
    assert (why in told) if why else not told


def test_a_tree_that_turns_in_a_circle_is_stopped_with_the_reason() -> None:
    assert stopped(SpawnFacts(1, 0, 1, 0, 1), 1, LIMITS) == ""
    assert stopped(SpawnFacts(1, 0, 1, 0, 2), 1, LIMITS) == "the same breakdown was spawned 3 times"
    assert "none has landed" in stopped(SpawnFacts(1, 0, 4, 0, 0), 1, LIMITS)
    assert stopped(SpawnFacts(1, 0, 4, 1, 0), 1, LIMITS) == ""


@pytest.mark.parametrize(
    ("facts", "status", "reason"),
    [
        ({"root": TaskStatus.RUNNING}, MissionStatus.ACTIVE, ""),
        (
            {"root": TaskStatus.BLOCKED, "unapproved": True},
            MissionStatus.AWAITING_APPROVAL,
            Reason.PLAN_READY,
        ),
        ({"root": TaskStatus.BLOCKED, "stopped": "again"}, MissionStatus.PAUSED, Reason.TREE_STOPPED),
        ({"root": TaskStatus.DONE, "live_runs": 1}, MissionStatus.ACTIVE, ""),
        ({"root": TaskStatus.DONE, "unclean": 1}, MissionStatus.ACTIVE, ""),
        ({"root": TaskStatus.DONE}, MissionStatus.COMPLETED, ""),
        ({"root": TaskStatus.FAILED}, MissionStatus.FAILED, Reason.GIVEN_UP),
        ({"root": TaskStatus.CANCELLED}, MissionStatus.CANCELLED, Reason.CANCELLED),
        ({"root": TaskStatus.NEEDS_REVIEW}, MissionStatus.ACTIVE, Reason.NEEDS_YOU),
        ({"root": TaskStatus.BLOCKED, "paused": True}, MissionStatus.PAUSED, Reason.PAUSED),
        ({"root": TaskStatus.BLOCKED, "cancelled": True}, MissionStatus.CANCELLED, Reason.CANCELLED),
    ],
)
def test_a_trees_mission_is_its_root_seen_from_above(
    facts: dict[str, Any], status: MissionStatus, reason: str
) -> None:
    found = decide_tree(TreeFacts(**facts))
    assert (found.status, found.reason) == (status, reason)
