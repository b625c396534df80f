"""Promises of `decide` over any facts at all, however unlikely together."""

from __future__ import annotations

from dataclasses import replace

from fact_builders import POLICY, a_run, a_task, an_order, said, work
from hypothesis import given, settings
from hypothesis import strategies as st

from toryo.domain.words import AT_REST, ClaimResult, OrderKind, OrderState, Purpose, TaskStatus, Verb, Verdict
from toryo.reconciler.attempts import current_attempt
from toryo.reconciler.decide import decide_task
from toryo.reconciler.problems import Problem
from toryo.reconciler.subjects import Dependency, LandingFacts, RunFacts, TaskFacts

flags = st.booleans()
rarely = st.sampled_from((False, False, False, True))
CLIENTS_OWN = (Problem("no_result"), Problem("api_error"))
LIMITS = (Problem("usage_limit"), Problem("outage"))
ENDS = ("landed", "red", "conflict", "stale", "withdrawn", "could_not_run", "flaky", "problem", "dropped")


@st.composite
def some_run(draw, generation: int, last: bool) -> RunFacts:
    ended = draw(flags) or not last
    prepared = draw(flags)
    collected = st.builds(
        work,
        st.integers(0, 2),
        violations=st.sampled_from(((), (), ("exclude .env",))),
        problem=st.sampled_from((None, None, None, Problem("git_failed", "x"))),
    )
    return a_run(
        generation,
        draw(st.sampled_from((Purpose.IMPLEMENT, Purpose.FIX, Purpose.RESOLVE))),
        outside=draw(rarely),
        prepared=prepared,
        started=prepared and draw(flags),
        ended=ended,
        exit_code=draw(st.sampled_from((0, 0, 3, None))) if ended else None,
        signal=draw(st.sampled_from(("", "", "SIGKILL"))) if ended else "",
        lost=ended and draw(rarely),
        expired=ended and draw(rarely),
        released=ended and draw(rarely),
        withdrawn=ended and draw(rarely),
        timed_out=ended and draw(rarely),
        collected=draw(st.none() | collected) if ended and prepared else None,
        claim=draw(st.none() | st.sampled_from(ClaimResult)),
        unseen=draw(rarely),
        client=draw(st.sampled_from(("", "claude"))),
        problem=draw(st.sampled_from((None, None, *CLIENTS_OWN))) if ended else None,
        denied=draw(st.sampled_from(((), (), ("Bash",)))),
        parked=draw(st.sampled_from((None, None, None, *LIMITS))) if ended else None,
        parked_until=draw(st.sampled_from((None, 60.0))) if ended else None,
    )


@st.composite
def some_landing(draw, seq: int, newest: int) -> LandingFacts:
    ended = draw(st.sampled_from(("", *ENDS)))
    accepted = ended in ("landed", "dropped")
    return LandingFacts(
        f"l{seq}",
        seq,
        draw(st.integers(1, max(newest, 1))),
        "h1",
        begun=draw(flags),
        accepted=accepted,
        published=ended == "landed" and draw(flags),
        ended=ended,
    )


@st.composite
def tasks(draw) -> TaskFacts:
    count = draw(st.integers(0, 4))
    runs = tuple(draw(some_run(number, number == count)) for number in range(1, count + 1))
    landings = tuple(draw(some_landing(seq, count)) for seq in range(1, draw(st.integers(0, 3)) + 1))
    reasons = st.sampled_from(
        ("claimed_failed", "claimed_blocked", "outside_run", "scope_violation", "no_change", "flaky")
    )
    verbs = st.builds(
        said,
        st.sampled_from(Verb),
        reasons,
        generation=st.integers(0, count),
        landing_seq=st.integers(0, len(landings)),
    )
    kinds = st.sampled_from((OrderKind.PREPARE, OrderKind.RUN, OrderKind.ACCEPT, OrderKind.CANDIDATE))
    orders = st.builds(
        an_order, kinds, st.sampled_from((OrderState.OPEN, OrderState.TAKEN)), run=st.just(f"r{count}")
    )
    return a_task(
        held=draw(rarely),
        base=draw(st.sampled_from((Verdict.GREEN, Verdict.GREEN, Verdict.RED, None))),
        stopped=draw(st.sampled_from(("", "", "target_rewound"))),
        dependencies=draw(st.sampled_from(((), (Dependency("t0", True),), (Dependency("t0", False),)))),
        runs=runs,
        landings=landings,
        verbs=tuple(draw(st.lists(verbs, max_size=3))),
        orders=tuple(draw(st.lists(orders, max_size=2))),
    )


@settings(max_examples=400)
@given(tasks())
def test_done_is_exactly_a_published_landing_of_this_attempt(task):
    published = any(one.accepted and one.published for one in current_attempt(task).landings)
    assert (decide_task(task, POLICY).status is TaskStatus.DONE) <= published


@settings(max_examples=400)
@given(tasks())
def test_nothing_is_started_while_a_run_of_the_task_may_still_write(task):
    if any(not run.ended for run in task.runs):
        assert decide_task(task, POLICY).status is not TaskStatus.READY


@settings(max_examples=400)
@given(tasks())
def test_what_is_unknown_leads_to_no_order_and_no_end(task):
    blind = replace(task, runs=tuple(replace(run, unseen=True) for run in task.runs), verbs=())
    live = [run for run in blind.runs if not run.ended]
    decision = decide_task(blind, POLICY)
    if live and not current_attempt(blind).accepted:
        assert (decision.status, decision.reason) == (TaskStatus.RUNNING, "unknown")
        assert (decision.orders, decision.end_runs, decision.end_landings) == ((), (), ())


@settings(max_examples=400)
@given(tasks())
def test_only_what_was_collected_is_retired_and_only_a_run_that_may_begin_is_stopped(task):
    runs = {run.id: run for run in task.runs}
    for order in decide_task(task, POLICY).orders:
        run = runs[order.run]
        if order.kind is OrderKind.CLEAN:
            assert run.ended
            assert run.collected
        if order.kind is OrderKind.COLLECT:
            assert run.ended
            assert run.prepared
        if order.kind is OrderKind.STOP:
            taken = {(one.kind, one.run) for one in task.orders if one.state is OrderState.TAKEN}
            assert run.started or (OrderKind.RUN, run.id) in taken
            assert not run.ended


@settings(max_examples=400)
@given(tasks())
def test_an_agent_that_said_no_is_not_started_again_without_a_word(task):
    attempt = current_attempt(task)
    last = attempt.last_run
    decision = decide_task(task, POLICY)
    real = last and last.ended and last.collected and not (last.withdrawn or last.prepare_problem)
    if real and last.claim in (ClaimResult.FAILED, ClaimResult.BLOCKED):
        approved = attempt.approved(f"claimed_{last.claim}", last.generation)
        assert decision.status is not TaskStatus.READY or approved


@settings(max_examples=200)
@given(tasks(), st.integers(0, 3))
def test_an_attempt_is_bounded(task, cap):
    tight = replace(POLICY, runs_per_attempt=cap)
    decision = decide_task(task, tight)
    if current_attempt(task).runs:
        assert decision.status is not TaskStatus.READY or len(current_attempt(task).runs) < cap


@settings(max_examples=400)
@given(tasks())
def test_a_task_rests_or_something_is_under_way_or_it_says_what_it_waits_for(task):
    decision = decide_task(task, POLICY)
    if decision.status in (TaskStatus.BLOCKED, TaskStatus.RUNNING, TaskStatus.VERIFYING, TaskStatus.OPEN):
        assert decision.reason
    if decision.status in AT_REST - {TaskStatus.DONE}:
        assert decision.reason
    assert (decision.purpose is not None) == (decision.status is TaskStatus.READY)
