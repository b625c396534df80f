"""One target's queue: one at a time, people's moves followed, never a force, publishing what was accepted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.words import MAY_LAND, OrderKind, OrderState, Verdict
from toryo.reconciler.decisions import EndedLanding, GateWish, NewLanding, QueueDecision
from toryo.reconciler.problems import Problem
from toryo.reconciler.queueing import decide_queue
from toryo.reconciler.subjects import OrderFact, Policy, QueuedLanding, QueueFacts

POLICY = Policy()
HOUR = 3600.0
NOW = 100 * HOUR
AHEAD = {"seen": "x1", "seen_tree": "tx1", "seen_relation": "ahead"}
DIVERGED = {**AHEAD, "seen_relation": "diverged"}
UNPUBLISHED = {"tip": "c1", "tip_tree": "t1"}


def a_queue(*landings: QueuedLanding, **facts: Any) -> QueueFacts:
    """At rest on a green tip that is published."""
    whole = {"tip": "c0", "tip_tree": "t0", "published": "c0", "tip_gate": "g0", "tip_verdict": Verdict.GREEN}
    return QueueFacts("p1", "main", landings=landings, **{**whole, "seen": "c0", "seen_tree": "t0", **facts})


def queued(number: int = 1, **facts: Any) -> QueuedLanding:
    whole = {"kind": "task", "task": f"t{number}", "head": f"h{number}", "priority": 2, "created_at": NOW}
    return QueuedLanding(f"l{number}", number, **{**whole, **facts})


def current(**facts: Any) -> QueuedLanding:
    return queued(**{"begun": True, "old_tip": "c0", **facts})


def built(verdict: Verdict | None = None, **facts: Any) -> QueuedLanding:
    return current(**{"candidate": "m1", "tree": "tm1", "gate": "g1", "verdict": verdict, **facts})


def an_order(kind: OrderKind, new: str = "", id: str = "o1") -> OrderFact:
    return OrderFact(id, kind, id, OrderState.TAKEN, landing="l1", new=new)


def decide(*landings: QueuedLanding, now: float = NOW, **facts: Any) -> QueueDecision:
    return decide_queue(a_queue(*landings, **facts), POLICY, now)


def kinds(decision: QueueDecision) -> list[str]:
    return [str(order.kind) for order in decision.orders]


def test_an_idle_queue_wants_nothing():
    assert decide() == QueueDecision()


def test_the_tip_itself_is_gated_first_and_nothing_lands_before_that():
    decision = decide(queued(), tip_gate="", tip_verdict=None)
    assert (decision.gates, decision.begin) == ((GateWish("c0", "t0"),), "")
    assert decide(queued(), tip_verdict=None) == QueueDecision()


# ── whose turn it is ──────────────────────────────────────────────────────────────────────────────────


def test_the_highest_priority_goes_first_then_the_oldest():
    low, high = queued(1, priority=3), queued(2, priority=0)
    assert decide(low, high).begin == "l2"
    assert decide(queued(1), queued(2, created_at=NOW - 1)).begin == "l2"
    assert decide(queued(2), queued(1)).begin == "l1"


def test_waiting_lifts_a_landing_by_one_class_per_hour():
    old, new = queued(1, priority=3, created_at=NOW - 2 * HOUR), queued(2, priority=2)
    assert decide(old, new).begin == "l1"
    assert decide(queued(1, priority=3, created_at=NOW - 0.9 * HOUR), new).begin == "l2"


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 9)), min_size=1, max_size=6), st.randoms())
def test_whose_turn_it_is_does_not_depend_on_how_they_are_listed(waiting, chance):
    mine = [queued(n, priority=p, created_at=NOW - h * HOUR) for n, (p, h) in enumerate(waiting)]
    mixed = list(mine)
    chance.shuffle(mixed)
    assert decide(*mine).begin == decide(*mixed).begin


def test_one_lands_at_a_time():
    assert decide(current(), queued(2, priority=0)).begin == ""


# ── one landing's way ─────────────────────────────────────────────────────────────────────────────────


def test_a_landing_is_built_gated_and_accepted():
    build = decide(current()).orders[0]
    assert (build.kind, build.old, build.new) == (OrderKind.CANDIDATE, "c0", "h1")
    assert decide(current(candidate="m1", tree="tm1")).gates == (GateWish("m1", "tm1", "l1"),)
    assert decide(built()) == QueueDecision()
    accept = decide(built(Verdict.GREEN)).orders[0]
    assert (accept.kind, accept.old, accept.new) == (OrderKind.ACCEPT, "c0", "m1")


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_three_verdicts_lead_to_the_tip(verdict):
    decision = decide(built(verdict))
    assert (kinds(decision) == ["accept"]) == (verdict in MAY_LAND)
    assert bool(decision.end) == (verdict not in MAY_LAND)


@pytest.mark.parametrize(
    ("landing", "why"),
    [
        (current(conflict=True), "conflict"),
        (current(stale=True), "stale"),
        (current(problem=Problem("git_failed", "x")), "problem"),
        (current(old_tip="c9"), "stale"),
        (built(Verdict.GREEN, accept_refused=True), "stale"),
        (built(Verdict.RED), "red"),
        (built(Verdict.COULD_NOT_RUN), "could_not_run"),
        (built(Verdict.FLAKY, review_flaky=True), "flaky"),
    ],
)
def test_a_dead_end_ends_the_landing_with_its_reason(landing, why):
    assert [end.reason for end in decide(landing).end] == [why]


def test_a_flaky_gate_under_review_lands_once_a_person_saw_it():
    assert kinds(decide(built(Verdict.FLAKY, review_flaky=True, trusted=True))) == ["accept"]


def test_a_yes_to_a_red_base_is_no_yes_to_a_tasks_red_work():
    assert decide(built(Verdict.RED), trusted_tree="tm1").end == (EndedLanding("l1", "red"),)


def test_while_the_tip_is_being_moved_nothing_else_begins_or_ends():
    moving = {"orders": (an_order(OrderKind.ACCEPT, "m1"),)}
    for landings in ((queued(2),), (built(Verdict.GREEN, old_tip="c9"),), (built(Verdict.GREEN), queued(2))):
        assert decide(*landings, **moving) == QueueDecision()
    assert decide(built(Verdict.GREEN), **moving, **AHEAD) == QueueDecision()


# ── files that no agent made ──────────────────────────────────────────────────────────────────────────


def files(**facts: Any) -> QueuedLanding:
    return current(**{"kind": "files", "task": "", "head": "", **facts})


def test_files_are_written_on_the_tip_then_built_gated_and_accepted_like_anything():
    write = decide(files()).orders[0]
    assert (write.kind, write.landing, write.old) == (OrderKind.WRITE, "l1", "c0")
    assert kinds(decide(files(head="w1"))) == ["candidate"]
    assert decide(files(head="w1", candidate="w1", tree="tw1")).gates == (GateWish("w1", "tw1", "l1"),)
    ready = files(head="w1", candidate="w1", tree="tw1", gate="g1", verdict=Verdict.GREEN)
    assert kinds(decide(ready)) == ["accept"]


def test_files_whose_tip_moved_are_written_anew_and_a_task_asks_by_itself():
    assert decide(files(old_tip="c9")).end == (
        EndedLanding("l1", "stale", "other work landed meanwhile", again=True),
    )
    assert decide(current(old_tip="c9")).end == (EndedLanding("l1", "stale", "other work landed meanwhile"),)


def test_files_that_the_tip_holds_already_have_landed():
    assert [end.reason for end in decide(files(head="c0", unchanged=True)).end] == ["landed"]
    assert [end.reason for end in decide(files(head="c9", unchanged=True, old_tip="c9")).end] == ["stale"]


def test_files_that_wait_stay_in_line_while_a_person_is_followed_and_begun_ones_come_again():
    waiting = files(begun=False, old_tip="")
    assert decide(waiting, **AHEAD).create == (NewLanding("adopt", "x1"),)
    assert decide(files(), **AHEAD).end == (EndedLanding("l1", "stale", "the target moved", again=True),)


@pytest.mark.parametrize("verdict", [Verdict.RED, Verdict.COULD_NOT_RUN])
def test_files_never_land_on_a_red_gate_whoever_trusts_their_tree(verdict):
    landing = files(head="w1", candidate="w1", tree="tw1", gate="g1", verdict=verdict, trusted=True)
    assert decide(landing, trusted_tree="tw1").end == (EndedLanding("l1", str(verdict)),)


# ── people move the target ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("relation", "kind"), [("ahead", "adopt"), ("diverged", "restack")])
def test_the_tip_follows_a_target_that_a_person_moved(relation, kind):
    moved = {**AHEAD, "seen_relation": relation}
    assert decide(**moved).create == (NewLanding(kind, "x1"),)
    mine = queued(9, kind=kind, task="", head="x1")
    assert decide(queued(1, priority=0), mine, **moved).begin == "l9"


@pytest.mark.parametrize("relation", ["same", "behind"])
def test_a_target_at_or_behind_the_tip_is_not_followed(relation):
    assert decide(seen_relation=relation) == QueueDecision()


def test_what_was_begun_makes_way_for_the_persons_commit():
    ended = decide(current(), queued(2), **AHEAD).end
    assert [(end.id, end.reason) for end in ended] == [("l1", "stale")]
    old = queued(3, kind="adopt", task="", head="x0", begun=True)
    assert [end.id for end in decide(old, **AHEAD).end] == ["l3"]


@pytest.mark.parametrize(
    ("how", "stopped"),
    [
        ("red", "base_red"),
        ("could_not_run", "base_could_not_run"),
        ("flaky", "base_flaky"),
    ],
)
def test_a_persons_commit_that_cannot_be_followed_stops_the_queue_with_a_reason(how, stopped):
    decision = decide(queued(), failed_follow=how, **DIVERGED)
    assert (decision.stopped, decision.create, decision.begin) == (stopped, (), "")


def test_accepted_work_that_conflicts_with_a_persons_commit_gives_way_to_it():
    decision = decide(queued(), clashes=True, **DIVERGED)
    assert (decision.stopped, decision.create) == ("", (NewLanding("adopt", "x1"),))


def test_a_yes_follows_a_red_commit_beside_accepted_work():
    trusted = {"trusted_tree": "tx1", **DIVERGED}
    assert decide(failed_follow="red", **trusted).create == (NewLanding("restack", "x1"),)


@pytest.mark.parametrize("kind", ["adopt", "restack"])
def test_a_followed_commit_that_a_person_trusts_may_be_red(kind):
    mine = built(Verdict.RED, kind=kind, task="", head="x1", trusted=True)
    facts = AHEAD if kind == "adopt" else DIVERGED
    assert kinds(decide(mine, trusted_tree="tx1", **facts)) == ["accept"]


def test_a_follow_that_git_refused_is_tried_again_after_a_while():
    assert decide(failed_follow="problem", retry_at=NOW + 1, **AHEAD) == QueueDecision()
    assert decide(failed_follow="problem", retry_at=NOW, **AHEAD).create


@pytest.mark.parametrize(
    ("facts", "stopped"),
    [
        ({"seen_relation": "missing", "seen": ""}, "target_missing"),
        ({"seen_relation": "gone", "seen": ""}, "repository_missing"),
        ({"seen_relation": "other", "seen": ""}, "repository_replaced"),
        ({"seen_relation": "owned"}, "owned_elsewhere"),
        ({"seen_relation": "no_tip"}, "tip_missing"),
        ({"seen_relation": "behind", "seen": "x0", "seen_tree": "tx0"}, "target_rewound"),
        (DIVERGED, "target_rewound"),
    ],
)
def test_a_target_that_lost_what_was_published_stops_the_queue(facts, stopped):
    decision = decide(queued(), built(Verdict.GREEN), seen_contains_published=False, **facts)
    assert decision == QueueDecision(stopped=stopped)


def test_a_yes_to_the_rewound_place_makes_it_the_tip():
    back = {"seen": "x0", "seen_tree": "tx0", "seen_relation": "behind", "trusted_tree": "tx0"}
    assert decide(seen_contains_published=False, **back).create == (NewLanding("adopt", "x0"),)


def test_a_tip_that_somebody_else_moved_stops_the_queue():
    assert decide(queued(), foreign_tip="x9").stopped == "foreign_move"


def test_a_lost_tip_begins_again_where_the_branch_stands():
    lost = {"tip": "", "tip_tree": "", "tip_gate": "", "tip_verdict": None, "seen_relation": "no_tip"}
    here = {"seen": "x1", "seen_tree": "tx1"}
    assert decide(queued(), **lost, **here) == QueueDecision(create=(NewLanding("adopt", "x1"),))
    assert decide(failed_follow="red", **lost, **here).stopped == "base_red"


def test_a_red_tip_stops_the_queue_until_a_person_takes_it_as_it_is():
    assert decide(queued(), tip_verdict=Verdict.RED).stopped == "base_red"
    assert decide(queued(), tip_verdict=Verdict.COULD_NOT_RUN).stopped == "base_could_not_run"
    assert decide(queued(), tip_verdict=Verdict.RED, trusted_tree="t0").begin == "l1"


# ── publishing ────────────────────────────────────────────────────────────────────────────────────────


def test_an_accepted_tip_is_published_from_what_was_published():
    publish = decide(**UNPUBLISHED).orders[0]
    assert (publish.kind, publish.old, publish.new) == (OrderKind.PUBLISH, "c0", "c1")


def test_at_most_one_publish_is_open():
    for new in ("c1", "c9"):
        assert kinds(decide(orders=(an_order(OrderKind.PUBLISH, new),), **UNPUBLISHED)) == []


def test_a_publish_that_waits_gives_way_to_a_newer_tip():
    decision = decide(orders=(an_order(OrderKind.PUBLISH, "c9"),), waiting=("a.txt",), **UNPUBLISHED)
    assert (kinds(decision), decision.withdraw) == (["publish"], ("o1",))


def test_a_publish_that_waits_for_this_very_tip_goes_on_waiting():
    decision = decide(orders=(an_order(OrderKind.PUBLISH, "c1"),), waiting=("a.txt",), **UNPUBLISHED)
    assert decision == QueueDecision()


def test_the_queue_goes_on_accepting_while_a_publish_waits():
    waiting = {"orders": (an_order(OrderKind.PUBLISH, "c1"),), "waiting": ("a.txt",), **UNPUBLISHED}
    assert decide(queued(), **waiting).begin == "l1"


@pytest.mark.parametrize("moved", [AHEAD, DIVERGED])
def test_nothing_is_published_while_the_target_is_being_followed(moved):
    assert "publish" not in kinds(decide(**{**UNPUBLISHED, **moved}))
    waiting = decide(orders=(an_order(OrderKind.PUBLISH, "c1"),), waiting=("a",), **{**UNPUBLISHED, **moved})
    assert waiting.withdraw == ("o1",)


def test_a_publish_that_git_refused_is_tried_again_after_a_while():
    assert decide(retry_at=NOW + 1, **UNPUBLISHED) == QueueDecision()
    assert kinds(decide(retry_at=NOW, **UNPUBLISHED)) == ["publish"]


# ── over any facts ────────────────────────────────────────────────────────────────────────────────────

verdicts = st.none() | st.sampled_from(Verdict)
landings = st.lists(
    st.builds(
        lambda number, kind, begun, verdict, candidate, trusted, old_tip, unchanged: queued(
            number,
            kind=kind,
            head={"task": "h", "files": "w" if candidate else ""}.get(kind, "x1"),
            begun=begun,
            old_tip=old_tip,
            unchanged=unchanged and kind == "files",
            verdict=verdict if candidate else None,
            candidate="m1" if candidate else "",
            tree="tm1" if candidate else "",
            gate="g1" if candidate else "",
            trusted=trusted,
        ),
        st.integers(1, 99),
        st.sampled_from(("task", "adopt", "restack", "files")),
        st.booleans(),
        verdicts,
        st.booleans(),
        st.booleans(),
        st.sampled_from(("c1", "c9")),
        st.booleans(),
    ),
    max_size=4,
    unique_by=lambda one: one.seq,
)
pending = st.lists(
    st.sampled_from((an_order(OrderKind.ACCEPT, "m1", "o1"), an_order(OrderKind.PUBLISH, "c1", "o2"))),
    max_size=2,
    unique=True,
).map(tuple)


@given(
    landings,
    st.sampled_from(("same", "ahead", "behind", "diverged", "missing")),
    st.booleans(),
    verdicts,
    st.sampled_from(("", "red", "conflict", "problem")),
    pending,
)
def test_any_decision_keeps_the_moves_of_a_target_apart(waiting, relation, contains, tip, failed, orders):
    facts = {**UNPUBLISHED, "seen": "x1", "seen_tree": "tx1", "seen_relation": relation}
    decision = decide(
        *waiting,
        tip_verdict=tip,
        seen_contains_published=contains,
        failed_follow=failed,
        orders=orders,
        **facts,
    )
    wished = [*kinds(decision), *(str(one.kind) for one in orders if one.id not in decision.withdraw)]
    assert wished.count("publish") <= 1
    accepting = any(one.kind is OrderKind.ACCEPT for one in orders)
    if accepting:
        assert (decision.begin, decision.create, decision.end) == ("", (), ())
        assert "accept" not in kinds(decision)
    if decision.stopped:
        assert (decision.orders, decision.begin, decision.create, decision.end) == ((), "", (), ())
    for order in decision.orders:
        if order.kind is OrderKind.ACCEPT:
            mine = next(one for one in waiting if one.id == order.landing)
            assert mine.verdict in MAY_LAND or (mine.kind in ("adopt", "restack") and mine.trusted)
            assert mine.head
            assert mine.old_tip == order.old
        if order.kind is OrderKind.WRITE:
            mine = next(one for one in waiting if one.id == order.landing)
            assert (mine.kind, mine.head, mine.old_tip) == ("files", "", order.old)
    for end in decision.end:
        mine = next(one for one in waiting if one.id == end.id)
        assert end.again == (mine.kind == "files" and end.reason == "stale")
        assert end.reason != "landed" or (mine.unchanged and mine.old_tip == "c1")
