"""What a person finishes or takes back: no agent begins again by itself, and the gate is the same."""

from __future__ import annotations

import pytest
from fact_builders import a_landing, a_live_run, a_run, decide, landed, said, shown, work

from toryo.domain.words import OrderKind, Outcome, Purpose, Verb
from toryo.reconciler.folding import RawFact, fold_run
from toryo.reconciler.problems import Problem

SUBMIT, REVERT = Purpose.SUBMIT, Purpose.REVERT
SAID = (said(Verb.SUBMIT),)


def submitted(generation: int = 2, **facts):
    return a_run(generation, SUBMIT, **{"started": False, "exit_code": None, **facts})


def reverted(**facts):
    whole = {"started": False, "exit_code": None, "prepared": False}
    return a_run(1, REVERT, **{**whole, **facts})


def test_a_submission_ends_at_once_and_is_collected():
    fold = fold_run([RawFact("prepared", {"head": "h1", "worktree": "/w"}, 1), RawFact("submitted", {}, 1)])
    assert (fold.live, fold.outcome, fold.outcome_reason) == (False, Outcome.SUCCEEDED, "submitted")
    decision = decide(a_run(exit_code=1), submitted(collected=None), verbs=SAID)
    assert shown(decision) == "verifying collecting"
    assert [wish.key for wish in decision.orders] == ["collect/r2/1"]


@pytest.mark.parametrize(
    "before",
    [a_run(exit_code=1), a_run(stopped=True), a_run(timed_out=True), a_run(collected=work(0))],
)
def test_what_a_person_submits_goes_to_the_queue_whatever_became_of_the_run_before(before):
    decision = decide(before, submitted(collected=work(2, new_commits=0)), verbs=SAID)
    assert (shown(decision), decision.enqueue.generation) == ("verifying queued", 2)


def test_a_submission_takes_back_an_earlier_cancel_or_reject():
    for verb in (Verb.CANCEL, Verb.REJECT):
        verbs = (said(verb), *SAID)
        assert shown(decide(a_run(), submitted(), verbs=verbs)) == "verifying queued"
        assert shown(decide(a_run(), submitted(), verbs=(*verbs, said(verb)))) in (
            "cancelled cancelled",
            "failed rejected",
        )


def test_a_submission_without_a_commit_waits_for_a_person_and_starts_nobody():
    assert shown(decide(a_run(exit_code=1), submitted(collected=work(0)), verbs=SAID)) == (
        "needs_review no_commit"
    )


def test_files_in_conflict_are_not_submitted():
    decision = decide(a_run(exit_code=1), submitted(collected=work(unmerged=("a.txt",))), verbs=SAID)
    assert shown(decision) == "needs_review no_commit"
    assert "a.txt" in decision.detail


@pytest.mark.parametrize(
    ("ended", "state"), [("red", "failed checks_failed"), ("conflict", "needs_review conflict")]
)
def test_no_agent_is_started_by_itself_on_what_a_person_submitted(ended, state):
    landings = (a_landing(1, 2, ended=ended, detail="why"),)
    assert shown(decide(a_run(), submitted(), landings=landings, verbs=SAID)) == state


def test_breaches_of_scope_in_a_submission_still_wait_for_a_yes():
    decision = decide(a_run(), submitted(collected=work(violations=("protected ci.yml",))), verbs=SAID)
    assert shown(decision) == "needs_review scope_violation"


def test_a_retry_collects_what_a_person_left_before_the_worktree_goes():
    retry = (said(Verb.RETRY, generation=2),)
    first = decide(a_run(exit_code=1), submitted(collected=None), verbs=retry)
    assert [wish.kind for wish in first.orders] == [OrderKind.COLLECT]
    then = decide(a_run(exit_code=1), submitted(), verbs=retry)
    assert (shown(then), [wish.key for wish in then.orders]) == ("ready", ["clean/r2"])


def test_a_reverse_is_made_by_the_hands_and_lands_through_the_gate():
    decision = decide(reverted(collected=None))
    assert shown(decision) == "verifying collecting"
    assert [(wish.kind, wish.key) for wish in decision.orders] == [(OrderKind.REVERT, "revert/r1")]
    assert shown(decide(reverted())) == "verifying queued"
    done = decide(reverted(), landings=(landed(published=True),))
    assert (shown(done), done.orders) == ("done", ())


def test_a_reverse_that_conflicts_says_so_and_waits_for_a_person():
    told = work(0, problem=Problem("revert_conflict", "later work changed a.txt too"))
    decision = decide(reverted(collected=told))
    assert (shown(decision), decision.detail) == ("needs_review conflict", "later work changed a.txt too")


def test_a_reverse_with_nothing_to_take_back_says_so():
    told = work(0, problem=Problem("not_on_target", "it is not on main any more"))
    decision = decide(reverted(collected=told))
    assert (shown(decision), decision.detail) == ("failed not_on_target", "it is not on main any more")


def test_nothing_is_submitted_while_an_agent_lives():
    assert shown(decide(a_live_run(), verbs=SAID)) == "running implement"
