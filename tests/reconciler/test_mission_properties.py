"""What holds for a mission of any facts: pure, quiet while idle, and never asking the same twice."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from mission_facts_made import an_active, counts, missions, missions_with_tasks

from toryo.domain.reasons import Reason, Turn, meaning, parse
from toryo.domain.words import MISSION_ENDED, MissionStatus, OrderKind
from toryo.reconciler.missions.decide import decide_mission
from toryo.reconciler.missions.facts import CallState, Landed, MissionFacts, PlannerCall, TaskCounts
from toryo.reconciler.missions.judgements import MOST_JUDGEMENTS

QUIET = MISSION_ENDED | {MissionStatus.AWAITING_APPROVAL, MissionStatus.PAUSED}


@given(missions())
def test_the_same_facts_lead_to_the_same_decision(facts: MissionFacts) -> None:
    assert decide_mission(facts) == decide_mission(replace(facts))


@given(missions())
def test_a_mission_that_waits_is_paused_or_has_ended_asks_no_model(facts: MissionFacts) -> None:
    decision = decide_mission(facts)
    if decision.status in QUIET or not facts.planner:
        assert decision.wishes == ()
    if decision.status in MISSION_ENDED or decision.status is MissionStatus.PAUSED:
        assert (decision.scan, decision.create_tasks, decision.land_spec, decision.land_ticks) == (
            False,
            0,
            False,
            False,
        )


@given(counts())
def test_an_active_mission_whose_agents_work_or_sleep_asks_no_model(tasks: TaskCounts) -> None:
    decision = decide_mission(an_active(tasks))
    assert (decision.wishes, decision.scan, decision.create_tasks) == ((), False, 0)


@given(st.one_of(missions(), missions_with_tasks()))
@settings(max_examples=300)
def test_no_call_that_exists_is_wished_again(facts: MissionFacts) -> None:
    asked = {(call.purpose, call.task or call.request, call.n) for call in facts.calls}
    wishes = decide_mission(facts).wishes
    assert not asked & {(wish.purpose, wish.task or wish.request, wish.n) for wish in wishes}
    assert len({wish.key for wish in wishes}) == len(wishes)


def answered(facts: MissionFacts, state: CallState) -> MissionFacts:
    """The same facts after every wish was asked and ended like this, and its answer changed nothing."""
    new = tuple(
        PlannerCall(wish.purpose, wish.request, wish.n, state, wish.task)
        for wish in decide_mission(facts).wishes
    )
    return replace(facts, calls=(*facts.calls, *new))


@given(missions())
def test_a_mission_whose_answers_change_nothing_soon_asks_no_more(facts: MissionFacts) -> None:
    for state in (CallState.ANSWERED, CallState.PROBLEM):
        now = replace(facts, scanned=True)
        for _ in range(6):
            now = answered(now, state)
        assert decide_mission(now).wishes == ()


@given(st.one_of(missions(), missions_with_tasks()))
@settings(max_examples=300)
def test_at_most_two_mends_a_request_and_two_judgements_a_task(facts: MissionFacts) -> None:
    for wish in decide_mission(facts).wishes:
        if wish.purpose is OrderKind.PLAN:
            assert wish.n <= 2
        if wish.purpose is OrderKind.JUDGE:
            about = [
                call for call in facts.calls if call.purpose is OrderKind.JUDGE and call.task == wish.task
            ]
            assert len({call.n for call in about}) < MOST_JUDGEMENTS


@given(missions_with_tasks())
@settings(max_examples=200)
def test_it_is_completed_only_with_every_task_over_its_files_published_and_nothing_unclean(
    facts: MissionFacts,
) -> None:
    tasks = facts.tasks
    if decide_mission(facts).status is MissionStatus.COMPLETED:
        assert tasks.done + tasks.cancelled == tasks.total
        assert tasks.total or facts.taken_in, "nothing was done"
        assert facts.unclean == tasks.live_runs == 0
        assert not facts.writes_files or facts.spec is facts.ticks is Landed.DONE
    if decide_mission(facts).status is MissionStatus.FAILED:
        assert tasks.given_up
        assert tasks.at_rest == tasks.total


@given(missions())
def test_no_mission_is_completed_without_a_task_that_landed_or_was_cancelled(facts: MissionFacts) -> None:
    if decide_mission(facts).status is MissionStatus.COMPLETED and not facts.taken_in:
        assert facts.tasks.done + facts.tasks.cancelled > 0


@given(counts())
def test_an_active_mission_with_all_that_is_completed(tasks: TaskCounts) -> None:
    done = tasks.done or 1
    over = TaskCounts(total=done + tasks.cancelled, done=done, cancelled=tasks.cancelled)
    facts = an_active(over, writes_files=True, spec=Landed.DONE, ticks=Landed.DONE)
    assert decide_mission(facts).status is MissionStatus.COMPLETED


@given(missions())
def test_tasks_are_made_only_of_an_approved_plan_of_the_newest_request(facts: MissionFacts) -> None:
    decision = decide_mission(facts)
    if decision.create_tasks:
        assert facts.plan is not None
        assert (decision.create_tasks, facts.request) == (facts.plan.version, facts.plan.request)
        assert (facts.plan.faults, facts.plan.rejected, facts.plan.made) == (0, False, False)
        assert facts.plan.approved or (
            facts.approval == "auto" and not facts.plan.fatal and not facts.plan_only
        )


@given(missions())
def test_every_reason_of_a_mission_is_in_the_table_and_one_that_waits_says_for_whom(
    facts: MissionFacts,
) -> None:
    decision = decide_mission(facts)
    assert parse(decision.reason)[0] is not Reason.CLIENT_ERROR
    if decision.status is MissionStatus.AWAITING_APPROVAL:
        assert meaning(decision.reason).turn is Turn.PERSON
    if decision.status is MissionStatus.QUEUED:
        assert decision.hold
