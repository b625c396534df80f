"""Tasks of missions: what their mission holds back, what it stops, and how they go on afterwards."""

from __future__ import annotations

from fact_builders import a_run, decide, said, shown, work

from toryo.domain.words import OrderKind, Purpose, Verb

STOPPED = {"exit_code": None, "signal": "SIGTERM", "stopped": True, "collected": work(0)}


def test_a_task_of_a_paused_mission_is_ready_and_paused_whatever_it_would_do_next():
    assert shown(decide(mission_hold="paused")) == "ready paused"
    decision = decide(a_run(exit_code=0, collected=work(0)), mission_hold="budget:tokens: 5 of 5")
    assert (shown(decision), decision.detail) == ("ready paused", "tokens: 5 of 5")


def test_a_task_waits_for_missions_that_were_approved_before_its_own():
    assert shown(decide(mission_hold="other_missions")) == "blocked other_missions"


def test_a_task_that_a_demand_affects_waits_until_its_mission_is_planned_anew():
    assert shown(decide(mission_hold="replanning")) == "blocked replanning"


def test_a_living_run_of_a_mission_that_stops_is_asked_to_end_and_known_as_paused():
    decision = decide(a_run(ended=False, started=True), mission_hold="paused", mission_stop=True)
    assert [order.kind for order in decision.orders] == [OrderKind.STOP]
    assert decision.pauses
    assert not decide(a_run(ended=False, started=True), mission_hold="paused").pauses


def test_a_run_that_its_mission_stopped_is_no_failure_and_the_same_work_is_resumed():
    stopped = a_run(**STOPPED)
    paused = said(Verb.PAUSE_NOW)
    held = decide(stopped, verbs=(paused,), mission_hold="paused")
    assert shown(held) == "ready paused"
    decision = decide(stopped, verbs=(paused,))
    assert (shown(decision), decision.purpose) == ("ready resumed", Purpose.IMPLEMENT)


def test_a_run_that_a_person_stopped_is_a_failure_as_ever():
    assert shown(decide(a_run(**STOPPED))) == "failed stopped"


def test_a_run_that_ended_well_before_it_could_be_stopped_is_judged_by_its_work():
    done = a_run(exit_code=0, collected=work(1))
    assert shown(decide(done, verbs=(said(Verb.PAUSE_NOW),))) == "verifying queued"
