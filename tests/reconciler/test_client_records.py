"""Exit 0 is never enough: a client's own record decides a run's outcome and its task's state too."""

from __future__ import annotations

from typing import Any

import pytest
from fact_builders import a_run, decide, shown, work
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.words import Outcome
from toryo.reconciler.folding import RawFact, RunFold, fold_run
from toryo.reconciler.problems import Problem

SUCCESS = {"result": "success", "model": "m1", "conversation": "c1"}
NONE = {"result": "none"}
ERROR = {"result": "error", "error": "api_error", "message": "500 from\nthe service"}
LIMIT = {"result": "error", "error": "limit", "limited": {"why": "usage_limit", "message": "try later"}}


def ended(said: dict[str, Any] | None, **body: Any) -> RunFold:
    return fold_run([RawFact("exited", {"exit_code": 0, "said": said, **body}, 100)])


@pytest.mark.parametrize(
    ("said", "body", "outcome", "reason"),
    [
        (None, {}, Outcome.SUCCEEDED, ""),
        (SUCCESS, {}, Outcome.SUCCEEDED, ""),
        (NONE, {}, Outcome.FAILED, "no_result"),
        (ERROR, {}, Outcome.FAILED, "api_error:500 from the service"),
        (ERROR, {"exit_code": 1}, Outcome.FAILED, "api_error:500 from the service"),
        ({"result": "error"}, {}, Outcome.FAILED, "error"),
        ({"result": "error", "error": "prepare"}, {}, Outcome.FAILED, "error"),
        (NONE, {"exit_code": 143}, Outcome.FAILED, ""),
        (SUCCESS, {"exit_code": 1}, Outcome.FAILED, ""),
        (SUCCESS, {"exit_code": None, "signal": "SIGTERM"}, Outcome.FAILED, ""),
        (ERROR, {"exit_code": None, "signal": "SIGTERM"}, Outcome.FAILED, ""),
        (ERROR, {"timed_out": True, "exit_code": 124}, Outcome.TIMED_OUT, ""),
        (NONE, {"stopped": True}, Outcome.CANCELLED, "stopped"),
        (LIMIT, {"stopped": True}, Outcome.CANCELLED, "stopped"),
        (LIMIT, {"could_not_start": "no file", "exit_code": None}, Outcome.FAILED, "could_not_start:no file"),
        (LIMIT, {"exit_code": 1}, Outcome.PARKED, "usage_limit:try later"),
        (LIMIT, {"exit_code": None, "signal": "SIGTERM"}, Outcome.PARKED, "usage_limit:try later"),
        (LIMIT, {"exit_code": 124, "timed_out": True}, Outcome.PARKED, "usage_limit:try later"),
        ({**SUCCESS, "limited": LIMIT["limited"]}, {}, Outcome.SUCCEEDED, ""),
        ({**SUCCESS, "limited": {"why": "outage"}}, {"exit_code": 1}, Outcome.PARKED, "outage"),
    ],
)
def test_the_record_and_the_exit_together_decide_the_outcome(said, body, outcome, reason):
    fold = ended(said, **body)
    assert (fold.outcome, fold.outcome_reason, fold.said) == (outcome, reason, said)


def test_a_message_of_any_length_becomes_one_bounded_line():
    reason = ended({**ERROR, "message": "x " * 5000}).outcome_reason
    assert (len(reason) <= 520, "\n" in reason) == (True, False)


records = st.fixed_dictionaries(
    {"result": st.sampled_from(("success", "error", "none"))},
    optional={"error": st.sampled_from(("", "api_error")), "limited": st.sampled_from((None, {"why": "x"}))},
)


@given(st.none() | records, st.sampled_from((0, 1, None)), st.sampled_from(("", "SIGTERM")))
def test_a_success_needs_exit_0_and_a_record_that_says_success_where_there_is_one(said, code, signal):
    fold = ended(said, exit_code=code, signal=signal)
    good = code == 0 and not signal and (said is None or said["result"] == "success")
    assert (fold.outcome is Outcome.SUCCEEDED) == good
    assert (fold.parked_until is not None) == (fold.outcome is Outcome.PARKED)
    assert not fold.live


@pytest.mark.parametrize(
    ("facts", "state", "detail"),
    [
        (
            {"problem": Problem("no_result"), "client": "codex"},
            "failed no_result",
            "codex: exited 0, but its record has no result",
        ),
        (
            {"problem": Problem("api_error", "500"), "client": "claude", "exit_code": 1},
            "failed api_error",
            "claude: 500",
        ),
        ({"problem": Problem("error")}, "failed error", "the client: its record says error"),
        ({"exit_code": 3, "denied": ("Bash",)}, "failed exit:3", "the agent exited 3; denied: Bash"),
        (
            {"signal": "SIGKILL", "denied": ("Bash",), "problem": Problem("x")},
            "failed signal:SIGKILL",
            "ended by SIGKILL; denied: Bash",
        ),
        ({"collected": work(0)}, "ready no_commit", ""),
        ({"collected": work(0), "denied": ("Bash", "Edit")}, "ready no_commit", "denied: Bash, Edit"),
    ],
)
def test_a_task_says_what_the_record_of_its_run_says(facts, state, detail):
    decision = decide(a_run(**facts))
    assert (shown(decision), decision.detail) == (state, detail)


def test_tools_that_were_denied_twice_are_named_to_the_person_too():
    empty = {"collected": work(0), "denied": ("Bash",)}
    decision = decide(a_run(1, **empty), a_run(2, **empty))
    assert (shown(decision), "denied: Bash" in decision.detail) == ("needs_review no_commit", True)
