"""The agent's half of the outside contract (S1), over the socket of a whole daemon whose clock we move."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from test_transport import sdk_client
from whole_daemon import Body, Shop

from toryo.protocol.wire import ToolFailed
from toryo.store.tables import agents, projects, tokens
from toryo.usecases.credentials import hash_token, run_token
from toryo.yaml.home_settings import SessionLimits

HOUR, DAY, CLEANUP_S = 3600, 86400, 300


def is_free(shop: Shop, project: str = "") -> bool:
    """Whether the pair is idle: somebody may authenticate (and is let go again)."""
    try:
        session = shop.session(project=project)
    except ToolFailed as failed:
        if failed.message == "Agent instance already running for this project":
            return False
        raise
    shop.report(session)
    return True


def a_connected_run(shop: Shop) -> Body:
    """Claimed, prepared and started by a coordinator; the order that holds its token."""
    shop.add_agent("dev", access="connected", project=shop.project)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    return shop.hands.start()


def in_run(shop: Shop, order: Body, tool: str, **arguments: Any) -> Body:
    return shop.daemon.by(shop.run_token(order), tool, **arguments)


# authenticate


def test_authenticate_opens_a_session_with_the_role_from_the_store(shop: Shop) -> None:
    """S1-17."""
    body = shop.authenticate()
    token = body.pop("session_token")
    assert token.startswith("sess_")
    assert "get_my_task" in body.pop("instruction")
    assert body == {
        "success": True,
        "expires_in": 3600,
        "agent_name": "dev",
        "project_name": "front",
        "system_prompt": "You are a developer.",
    }


def test_a_wrong_passkey_and_an_unknown_agent_look_the_same(shop: Shop) -> None:
    """S1-18: also for a disabled agent, and before the project is looked at."""
    wrong = shop.daemon.refused("", "authenticate", agent_id="dev", passkey="x", project_id="nowhere")
    ghost = {"agent_id": "ghost", "passkey": shop.passkey, "project_id": shop.project}
    assert shop.daemon.refused("", "authenticate", **ghost) == wrong
    assert (wrong["success"], wrong["error"]) == (False, "Invalid agent_id or passkey")
    shop.daemon.change(agents.update, "dev", status="disabled")
    known = {**ghost, "agent_id": "dev"}
    assert shop.daemon.refused("", "authenticate", **known) == wrong
    assert shop.daemon.refused("", "authenticate", agent_id="dev", project_id=shop.project) == wrong


def test_only_an_active_project_that_the_agent_is_assigned_to_is_found(shop: Shop) -> None:
    """S1-19."""
    second = shop.add_project("back")
    shop.daemon.change(projects.unassign, second, "dev")
    archived = shop.add_project("old")
    shop.daemon.change(projects.update, archived, status="archived")
    for project in ("nowhere", second, archived):
        who = {"agent_id": "dev", "passkey": shop.passkey, "project_id": project}
        assert shop.daemon.refused("", "authenticate", **who)["error"] == "Project not found"


def test_a_pair_has_one_instance_at_a_time(shop: Shop) -> None:
    """S1-20."""
    shop.session()
    who = {"agent_id": "dev", "passkey": shop.passkey, "project_id": shop.project}
    body = shop.daemon.refused("", "authenticate", **who)
    assert body["error"] == "Agent instance already running for this project"


def test_a_run_that_a_coordinator_began_occupies_the_pair(shop: Shop) -> None:
    """S1-20: from the claim on, before its agent has said a word."""
    shop.add_task()
    shop.hands.claim("dev", shop.project)
    assert not is_free(shop)


def test_one_passkey_serves_all_projects_at_the_same_time(shop: Shop) -> None:
    """S1-21, S1-34, S1-05."""
    second = shop.add_project("back")
    both = [shop.authenticate(project=one) for one in (shop.project, second)]
    assert [body["project_name"] for body in both] == ["front", "back"]
    assert both[0]["session_token"] != both[1]["session_token"]


def test_of_many_that_authenticate_at_once_one_is_let_in(shop: Shop) -> None:
    """S1-43: the second instance is refused and told to end; nothing is done twice."""
    task = shop.add_task()
    barrier = threading.Barrier(6)

    def come(_: int) -> Body:
        barrier.wait(10)
        try:
            return shop.authenticate()
        except ToolFailed as refused:
            return refused.body

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(come, range(6)))
    winner, *losers = sorted(answers, key=lambda body: not body["success"])
    assert winner["success"]
    assert {body["error"] for body in losers} == {"Agent instance already running for this project"}
    assert all("End" in body["instruction"] for body in losers)
    shop.get_task(winner["session_token"])
    assert len(shop.task(task)["runs"]) == 1


# get_my_task


def test_a_session_gets_its_task_with_a_directory_to_work_in(shop: Shop) -> None:
    """S1-23."""
    task = shop.add_task("Mend the door", description="It squeaks.")
    body = shop.get_task(shop.session())
    assert (body["success"], body["has_task"]) == (True, True)
    assert "report_completed" in body["instruction"]
    shown = {
        key: body["task"][key]
        for key in ("task_id", "title", "description", "working_directory", "context", "handoff")
    }
    assert shown == {
        "task_id": task,
        "title": "Mend the door",
        "description": "It squeaks.",
        "working_directory": f"{listed_path(shop)}/.worktrees/mend-the-door-{task}",
        "context": None,
        "handoff": None,
    }


def listed_path(shop: Shop) -> str:
    return str(shop.daemon.person("get_project", project=shop.project)["project"]["path"])


def test_without_a_task_there_is_none_and_no_error(shop: Shop) -> None:
    """S1-24: neither another agent's task nor another project's is given away (S1-06)."""
    shop.add_agent("other", project=shop.project)
    shop.add_task(agent="other")
    shop.add_task(project=shop.add_project("back"))
    body = shop.daemon.agent("get_my_task", session_token=shop.session())
    assert "No task is assigned" in body.pop("instruction")
    assert body == {"success": True, "has_task": False}


def test_getting_the_task_records_the_start_of_the_run(shop: Shop) -> None:
    """S1-25: there is no report_execution_start."""
    task = shop.add_task()
    session = shop.session()
    assert shop.task(task)["runs"] == []
    given = shop.get_task(session)
    (run,) = shop.task(task)["runs"]
    assert (run["agent"], run["client"], run["outcome"]) == ("dev", "outside", "running")
    assert run["started_at"] is not None
    assert shop.state(task) == "running outside"
    again = shop.daemon.agent("get_my_task", session_token=session)
    assert again == given
    assert shop.task(task)["runs"][0] == run


def test_until_the_worktree_is_there_the_agent_is_told_to_ask_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-23: no coordinator runs; the same session gets the same run later."""
    monkeypatch.setattr("toryo.daemon.tools.programs.agent_calls.PREPARING_S", 0.05)
    task = shop.add_task()
    session = shop.session()
    early = shop.daemon.refused("", "get_my_task", session_token=session)
    assert early["instruction"] == "Call get_my_task again in a few seconds."
    shop.hands.prepare()
    assert shop.daemon.agent("get_my_task", session_token=session)["task"]["task_id"] == task
    assert len(shop.task(task)["runs"]) == 1


def test_the_earlier_runs_report_is_handed_on(shop: Shop) -> None:
    """S1-26: its summary is the context, its next steps are the handoff."""
    task = shop.add_task()
    session = shop.session()
    shop.get_task(session)
    shop.daemon.agent("report_progress", session_token=session, summary="half way")
    shop.report(session, "failed", summary="the hinge is stuck", next_steps="oil it")
    shop.hands.collect(commits=0)
    shop.retry(task)
    shop.hands.order("clean")
    given = shop.get_task(shop.session())["task"]
    assert (given["task_id"], given["context"], given["handoff"]) == (task, "the hinge is stuck", "oil it")


# report_completed


@pytest.mark.parametrize("result", ["done", "SUCCESS", "", None])
def test_other_results_than_the_three_are_refused(shop: Shop, result: str | None) -> None:
    """S1-27: and the session goes on."""
    session = shop.session()
    body = shop.daemon.refused("", "report_completed", session_token=session, result=result)
    assert "result" in body["error"]
    assert all(word in body["error"] for word in ("success", "failed", "blocked"))
    assert not is_free(shop)


@pytest.mark.parametrize(
    ("result", "state"),
    [
        ("success", "needs_review outside_run"),
        ("failed", "needs_review claimed_failed"),
        ("blocked", "needs_review claimed_blocked"),
    ],
)
def test_a_report_ends_the_session_and_takes_the_task_out_of_work(
    shop: Shop, result: str, state: str
) -> None:
    """S1-27, S1-28, S1-47, S1-57: the pair is idle at once, and nothing is started again by itself."""
    task = shop.add_task()
    session = shop.session()
    shop.get_task(session)
    body = shop.report(session, result, summary="so it is", next_steps="none")
    assert body["success"] is True
    assert body["instruction"]
    assert is_free(shop)
    shop.hands.collect()
    assert shop.state(task) == state
    assert not shop.hands.should_start("dev", shop.project)
    assert shop.daemon.agent("get_my_task", session_token=shop.session())["has_task"] is False
    (claim,) = shop.task(task)["claims"]
    assert (claim["result"], claim["summary"], claim["next_steps"], claim["late"]) == (
        result,
        "so it is",
        "none",
        False,
    )


def test_summary_and_next_steps_may_be_left_out(shop: Shop) -> None:
    """S1-27."""
    session = shop.session()
    body = shop.daemon.agent(
        "report_completed", session_token=session, result="blocked", summary=None, next_steps=None
    )
    assert body["success"] is True


def test_a_report_without_a_task_is_an_event_and_frees_the_pair(shop: Shop) -> None:
    """S1-28: nothing that an agent said is dropped in silence."""
    shop.report(shop.session(), "blocked", summary="nothing to do here")
    events = shop.daemon.person("list_events", project=shop.project)["events"]
    (said,) = [one["body"] for one in events if one["kind"] == "agent_reported"]
    assert (said["agent"], said["result"], said["summary"]) == ("dev", "blocked", "nothing to do here")
    assert is_free(shop)


def test_after_success_only_another_task_starts_the_pair_again(shop: Shop) -> None:
    """S1-56."""
    shop.add_task("One")
    session = shop.session()
    shop.get_task(session)
    shop.report(session)
    assert not shop.hands.should_start("dev", shop.project)
    shop.add_task("Two")
    assert shop.hands.should_start("dev", shop.project)


def test_an_approved_outside_run_is_verified_and_lands(shop: Shop) -> None:
    """S1-47: a report never lands anything by itself."""
    task = shop.add_task()
    session = shop.session()
    shop.get_task(session)
    shop.report(session)
    shop.hands.collect()
    shop.daemon.person("approve_task", task=task)
    shop.hands.build()
    shop.hands.land()
    assert shop.state(task) == "done"


# sessions


def test_a_session_is_bound_to_its_pair(shop: Shop) -> None:
    """S1-22."""
    second = shop.add_project("back")
    mine = shop.add_task("Mine")
    shop.add_task("Theirs", project=second)
    shop.session(project=second)
    assert shop.get_task(shop.session())["task"]["task_id"] == mine


def test_a_session_of_one_run_is_worth_nothing_in_another(shop: Shop) -> None:
    """S1-22: a run speaks for itself only."""
    shop.add_task("One")
    run = a_connected_run(shop)
    who = {"agent_id": "dev", "project_id": shop.project}
    session = in_run(shop, run, "authenticate", **who)["session_token"]
    stranger = shop.daemon.do(lambda context: run_token_of(context.secret))
    for tool, more in (("get_my_task", {}), ("report_completed", {"result": "success"})):
        body = shop.daemon.refused(stranger, tool, session_token=session, **more)
        assert body["error"] == "The session token is not valid, or its session has ended"
    assert shop.daemon.refused(stranger, "authenticate", **who)["error"] == "Invalid agent_id or passkey"


def run_token_of(secret: bytes) -> str:
    return run_token(secret, "r0000000z")


CALLS: list[tuple[str, dict[str, str]]] = [
    ("get_my_task", {}),
    ("report_progress", {"summary": "x"}),
    ("report_completed", {"result": "success"}),
]


@pytest.mark.parametrize(("tool", "more"), CALLS)
def test_a_token_that_was_never_given_out_is_a_clear_error(
    shop: Shop, tool: str, more: dict[str, str]
) -> None:
    """S1-29."""
    for token in ("", "sess_" + "x" * 43, "nonsense"):
        body = shop.daemon.refused("", tool, session_token=token, **more)
        assert body["error"] == "The session token is not valid, or its session has ended"
        assert "authenticate" in body["instruction"]


def test_an_ended_session_is_a_clear_error_and_only_a_report_is_still_heard(shop: Shop) -> None:
    """S1-29, and CONTRACTS: a late report is success, late, and kept as evidence."""
    task = shop.add_task()
    session = shop.session()
    shop.get_task(session)
    shop.daemon.pass_time(HOUR + 1)
    for tool, more in CALLS[:2]:
        body = shop.daemon.refused("", tool, session_token=session, **more)
        assert body["error"] == "This session has ended or expired"
    late = shop.report(session, "success", summary="at last")
    assert (late["success"], late["late"]) == (True, True)
    assert late["instruction"]
    (claim,) = shop.task(task)["claims"]
    assert (claim["result"], claim["summary"], claim["late"]) == ("success", "at last", True)
    shop.hands.collect()
    assert shop.state(task) == "ready lost", "a late claim moves nothing"


def test_the_limits_of_a_session_are_the_documents() -> None:
    """S1-45."""
    limits = SessionLimits()
    assert (limits.default_timeout, limits.max_timeout, limits.cleanup_interval) == (3600, 86400, 300)


def test_the_limits_of_a_session_are_those_that_a_person_set(shop: Shop) -> None:
    """S1-45: the time it lasts, the longest life however often it is renewed, and the clean-up's interval."""
    limits = {"default_timeout": "60", "max_timeout": "150", "cleanup_interval": "20"}
    for key, value in limits.items():
        shop.daemon.person("set_config", key=f"session.{key}", value=value)
    body = shop.authenticate()
    assert body["expires_in"] == 60
    for _ in range(2):
        shop.daemon.pass_time(50)
        assert not shop.daemon.agent("get_my_task", session_token=body["session_token"])["has_task"]
    shop.daemon.pass_time(51)
    refused = shop.daemon.refused("", "get_my_task", session_token=body["session_token"])
    assert refused["error"] == "This session has ended or expired"
    session = shop.session()
    shop.daemon.pass_time(21)
    shop.daemon.change(tokens.put_expiry, hash_token(session), shop.daemon.now() + 1)
    shop.daemon.pass_time(21)
    events = shop.daemon.person("list_events", project=shop.project)["events"]
    assert [one["kind"] for one in events].count("session_expired") == 2


def test_a_heartbeat_renews_a_session_by_the_time_that_a_person_set(shop: Shop) -> None:
    """S1-45: of a run of our own."""
    shop.daemon.person("set_config", key="session.default_timeout", value="60")
    shop.add_task()
    run = a_connected_run(shop)
    session = in_run(shop, run, "authenticate", agent_id="dev", project_id=shop.project)["session_token"]
    shop.daemon.pass_time(50)
    shop.hands.speak("heartbeat", live_runs=[run["run"]])
    shop.daemon.pass_time(50)
    in_run(shop, run, "report_progress", session_token=session, summary="alive")
    shop.daemon.pass_time(50)
    shop.hands.speak("heartbeat", live_runs=[run["run"]])
    shop.daemon.pass_time(61)
    shop.daemon.refused(shop.run_token(run), "report_progress", session_token=session, summary="?")


def test_every_call_renews_a_session_up_to_its_longest_life(shop: Shop) -> None:
    """S1-45."""
    shop.add_task()
    session = shop.session()
    shop.get_task(session)
    calls = 0
    while calls * HOUR / 2 < DAY - HOUR:
        shop.daemon.pass_time(HOUR / 2)
        shop.daemon.agent("report_progress", session_token=session, summary="still at it")
        calls += 1
    shop.daemon.pass_time(HOUR + 1)
    body = shop.daemon.refused("", "report_progress", session_token=session, summary="too long")
    assert body["error"] == "This session has ended or expired"


def test_an_agent_that_vanished_frees_the_pair_and_the_task_is_startable_again(shop: Shop) -> None:
    """S1-46, S1-30: once; the second time a person looks."""
    task = shop.add_task()
    shop.get_task(shop.session())
    shop.daemon.pass_time(HOUR - 1)
    assert not is_free(shop)
    shop.daemon.pass_time(2)
    assert is_free(shop)
    shop.hands.collect(commits=0)
    assert shop.state(task) == "ready lost"
    assert shop.hands.should_start("dev", shop.project)
    assert shop.get_task(shop.session())["task"]["task_id"] == task
    shop.daemon.pass_time(HOUR + 1)
    shop.hands.collect(commits=0)
    assert shop.state(task) == "needs_review lost"
    assert not shop.hands.should_start("dev", shop.project)


def test_expired_sessions_are_cleaned_up_without_anybody_asking(shop: Shop) -> None:
    """S1-49: by the marks alone, at the latest one interval after their time."""
    shop.session()
    shop.daemon.pass_time(HOUR + CLEANUP_S)
    events = shop.daemon.person("list_events", project=shop.project)["events"]
    assert [one["body"] for one in events if one["kind"] == "session_expired"] == [{"agent": "dev"}]


def test_the_clean_up_comes_round_while_there_are_sessions(shop: Shop) -> None:
    """S1-49: also where a deadline was moved and no mark points at it."""
    session = shop.session()
    shop.daemon.pass_time(CLEANUP_S + 1)
    shop.daemon.change(tokens.put_expiry, hash_token(session), shop.daemon.now() + 1)
    shop.daemon.pass_time(CLEANUP_S + 1)
    events = shop.daemon.person("list_events", project=shop.project)["events"]
    assert "session_expired" in [one["kind"] for one in events]


def test_a_pair_is_idle_or_running_and_nothing_else(shop: Shop) -> None:
    """S1-30: running by authenticate, idle by report or expiry."""
    assert is_free(shop)
    session = shop.session()
    assert not is_free(shop)
    shop.daemon.agent("get_my_task", session_token=session)
    assert not is_free(shop)
    shop.report(session)
    assert is_free(shop)
    shop.session()
    assert not is_free(shop)
    shop.daemon.pass_time(HOUR + 1)
    assert is_free(shop)


@pytest.mark.parametrize("verb", ["stop_run", "release_run"])
def test_a_person_ends_the_session_of_an_outside_run(shop: Shop, verb: str) -> None:
    """S1-48."""
    task = shop.add_task()
    session = shop.session()
    shop.get_task(session)
    (run,) = shop.task(task)["runs"]
    shop.daemon.person(verb, run=run["id"])
    assert shop.daemon.refused("", "get_my_task", session_token=session)["error"].startswith("This session")
    assert is_free(shop)
    shop.hands.collect()
    assert shop.state(task) == "needs_review released"


def test_a_person_ends_a_session_that_has_no_task(shop: Shop) -> None:
    """S1-48: it would hold its pair for an hour, and no run names it."""
    session = shop.session()
    assert shop.daemon.person("get_agent", agent="dev")["agent"]["sessions"] == [shop.project]
    ended = shop.daemon.person("release_agent", agent="dev", project=shop.project)
    assert ended["ended"] == 1
    assert shop.daemon.refused("", "get_my_task", session_token=session)["error"].startswith("This session")
    assert is_free(shop)
    again = shop.daemon.refused(shop.daemon.operator, "release_agent", agent="dev", project=shop.project)
    assert "no session" in again["error"]


def test_sessions_of_outside_agents_are_listed_with_their_tasks_and_ended_one_by_one(shop: Shop) -> None:
    """S1-48: who works, on what, since when and when it was last heard of."""

    def listed() -> list[tuple[str, str | None, bool]]:
        found = shop.daemon.person("list_sessions", project=shop.project)["sessions"]
        return [(one["agent"], one["task"], bool(one["since"] and one["heard_at"])) for one in found]

    shop.session()
    assert listed() == [("dev", None, True)]
    (loose,) = shop.daemon.person("list_sessions")["sessions"]
    wish = {"agent": "dev", "project": shop.project}
    other = "0" * 12
    assert shop.daemon.refused(shop.daemon.operator, "release_agent", session=other, **wish)["error"]
    shop.daemon.person("release_agent", session=loose["session"], **wish)
    assert listed() == []
    task = shop.add_task()
    shop.get_task(shop.session())
    assert listed() == [("dev", task, True)]
    (working,) = shop.daemon.person("list_sessions")["sessions"]
    shop.daemon.person("stop_run", run=working["run"])
    assert listed() == []


# inside a run


def test_a_connected_run_authenticates_by_its_token_and_needs_no_passkey(shop: Shop) -> None:
    """S1-17, S1-23 and CONTRACTS: with the token as credential, or given where others give a passkey."""
    task = shop.add_task()
    run = a_connected_run(shop)
    who = {"agent_id": "dev", "project_id": shop.project}
    body = in_run(shop, run, "authenticate", **who)
    given = in_run(shop, run, "get_my_task", session_token=body["session_token"])
    assert given["task"]["task_id"] == task
    assert given["task"]["working_directory"].startswith(f"{run['inputs']['repo']}/.worktrees/")
    assert len(shop.task(task)["runs"]) == 1


def test_the_runs_token_is_taken_for_a_passkey_too(shop: Shop) -> None:
    """S1-39: AGENT_PASSKEY is that token."""
    task = shop.add_task()
    run = a_connected_run(shop)
    session = shop.session(passkey=shop.run_token(run))
    assert shop.daemon.agent("get_my_task", session_token=session)["task"]["task_id"] == task


def test_a_runs_token_opens_one_session(shop: Shop) -> None:
    """S1-20, and CONTRACTS: it is a one-time token; the report does not make it new."""
    shop.add_task()
    run = a_connected_run(shop)
    who = {"agent_id": "dev", "project_id": shop.project}
    session = in_run(shop, run, "authenticate", **who)["session_token"]
    error = "Agent instance already running for this project"
    assert shop.daemon.refused(shop.run_token(run), "authenticate", **who)["error"] == error
    in_run(shop, run, "report_completed", session_token=session, result="success")
    assert shop.daemon.refused(shop.run_token(run), "authenticate", **who)["error"] == error


def test_a_report_inside_a_run_ends_the_token_and_not_the_occupancy(shop: Shop) -> None:
    """S1-28 as CONTRACTS has it: the process may still write, so the pair is not free before its end."""
    shop.add_agent("dev", slots=1)
    task = shop.add_task("One")
    shop.add_task("Two")
    run = a_connected_run(shop)
    session = in_run(shop, run, "authenticate", agent_id="dev", project_id=shop.project)["session_token"]
    in_run(shop, run, "report_completed", session_token=session, result="success")
    assert not is_free(shop)
    assert not shop.hands.should_start("dev", shop.project)
    assert shop.state(task) == "running implement"
    shop.hands.exit(run)
    assert shop.hands.should_start("dev", shop.project)


def test_heartbeats_keep_the_session_of_a_silent_run(shop: Shop) -> None:
    """S1-45, S1-46: its process lives; without heartbeats the token ends, the occupancy does not."""
    task = shop.add_task()
    run = a_connected_run(shop)
    session = in_run(shop, run, "authenticate", agent_id="dev", project_id=shop.project)["session_token"]
    for _ in range(3):
        shop.daemon.pass_time(HOUR - 60)
        shop.hands.speak("heartbeat", live_runs=[run["run"]])
    in_run(shop, run, "report_progress", session_token=session, summary="alive")
    shop.daemon.pass_time(HOUR + 1)
    assert shop.daemon.refused(shop.run_token(run), "report_progress", session_token=session, summary="?")[
        "error"
    ].startswith("This session")
    assert not is_free(shop)
    assert shop.task(task)["runs"][0]["live"] is True


@pytest.mark.parametrize("result", ["failed", "blocked"])
def test_a_run_that_says_failed_is_not_started_again(shop: Shop, result: str) -> None:
    """S1-57: exit 0 and a commit do not help, and no further run is claimed."""
    task = shop.add_task()
    run = a_connected_run(shop)
    session = in_run(shop, run, "authenticate", agent_id="dev", project_id=shop.project)["session_token"]
    in_run(shop, run, "report_completed", session_token=session, result=result)
    shop.hands.exit(run)
    shop.hands.collect()
    assert shop.state(task) == f"needs_review claimed_{result}"
    for number in range(3):
        assert not shop.hands.should_start("dev", shop.project)
        assert not shop.hands.claim("dev", shop.project, f"request-{number}")["claimed"]
    assert len(shop.task(task)["runs"]) == 1


def test_a_report_after_the_end_of_the_process_is_late_and_kept(shop: Shop) -> None:
    """S1-29 as CONTRACTS has it: a claim that comes late holds nothing back and promotes nothing."""
    task = shop.add_task()
    run = a_connected_run(shop)
    session = in_run(shop, run, "authenticate", agent_id="dev", project_id=shop.project)["session_token"]
    shop.hands.exit(run)
    late = in_run(shop, run, "report_completed", session_token=session, result="failed", summary="no")
    assert (late["success"], late["late"]) == (True, True)
    shop.hands.collect()
    assert shop.state(task) == "verifying checking"
    assert [(claim["result"], claim["late"]) for claim in shop.task(task)["claims"]] == [("failed", True)]
    assert is_free(shop), "the process has ended"
    who = {"agent_id": "dev", "project_id": shop.project}
    assert not shop.daemon.refused(shop.run_token(run), "authenticate", **who)["success"]


# every answer


def test_every_answer_to_an_agent_says_what_is_next(shop: Shop) -> None:
    """S1-51: refusals too."""
    answers = [shop.daemon.refused("", "authenticate", agent_id="x", project_id="y", passkey="z")]
    answers.append(shop.daemon.agent("health_check"))
    answers.append(shop.daemon.refused("", "authenticate"))
    answers.append(shop.authenticate())
    session = answers[-1]["session_token"]
    answers.append(shop.daemon.agent("get_my_task", session_token=session))
    shop.add_task()
    answers.append(shop.get_task(session))
    answers.append(shop.daemon.agent("report_progress", session_token=session, summary="x"))
    answers.append(shop.daemon.refused("", "report_completed", session_token=session, result="fine"))
    answers.append(shop.report(session))
    answers.append(shop.report(session))
    answers.append(shop.daemon.refused("", "get_my_task", session_token=session))
    assert [bool(body.get("instruction")) for body in answers] == [True] * len(answers)


def test_a_call_that_is_none_of_an_agents_says_what_is_next_too(shop: Shop) -> None:
    """S1-51: another's tool, an old name, a wrong one, and a token that we never gave."""
    shop.add_task()
    token = shop.run_token(a_connected_run(shop))
    for credential in ("", token):
        for tool in ("list_tasks", "should_start"):
            said = shop.daemon.refused(credential, tool)["instruction"]
            assert "get_my_task" in said
            assert "report_completed" in said
        assert shop.daemon.refused(credential, "get_pending_tasks")["instruction"] == "Call get_my_task."
        assert shop.daemon.refused(credential, "get_mytask")["instruction"] == "Did you mean get_my_task?"
    assert shop.daemon.refused("run_r1_nonsense", "get_my_task", session_token="x")["instruction"]
    bad = shop.daemon.refused(token, "report_completed", session_token="x", result="fine")["instruction"]
    assert bad == "Call report_completed again. It takes: session_token, result, summary?, next_steps?."


def test_an_agent_that_has_reported_is_told_to_end_and_not_sent_round(shop: Shop) -> None:
    """S1-28, S1-51: by neither of the two calls that would send it to each other."""
    shop.add_task()
    run = a_connected_run(shop)
    who = {"agent_id": "dev", "project_id": shop.project}
    token, session = shop.run_token(run), in_run(shop, run, "authenticate", **who)["session_token"]
    twice = shop.daemon.refused(token, "authenticate", **who)["instruction"]
    assert twice == "Use the session_token you have: a run's token opens one session."
    in_run(shop, run, "report_completed", session_token=session, result="success")
    for _ in ("the process lives", "it has ended"):
        for tool, given in (("get_my_task", {"session_token": session}), ("authenticate", who)):
            assert shop.daemon.refused(token, tool, **given)["instruction"].startswith("End here")
        shop.hands.exit(run)


@pytest.mark.parametrize("verb", ["stop_run", "release_run"])
def test_an_agent_whose_session_a_person_ended_is_told_to_end(shop: Shop, verb: str) -> None:
    """S1-48, S1-51."""
    task = shop.add_task()
    session = shop.session()
    shop.get_task(session)
    shop.daemon.person(verb, run=shop.task(task)["runs"][0]["id"])
    told = shop.daemon.refused("", "get_my_task", session_token=session)
    assert told["instruction"] == "End here: your run is over."


def test_an_agent_whose_session_expired_is_told_to_authenticate_again(shop: Shop) -> None:
    """S1-29, S1-46: there is a way on."""
    session = shop.session()
    shop.daemon.pass_time(HOUR + 1)
    told = shop.daemon.refused("", "get_my_task", session_token=session)
    assert told["instruction"] == "Call authenticate again."
    assert is_free(shop)


def test_any_mcp_client_can_be_an_agent(shop: Shop) -> None:
    """S1-08, S1-04: the SDK's own client on the daemon's socket, nothing of ours in between."""
    task = shop.add_task()

    async def work() -> Body:
        async with sdk_client(shop.daemon.home.socket_in_use()) as client:
            await client.initialize()
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"authenticate", "get_my_task", "report_completed"} <= names
            who = {"agent_id": "dev", "project_id": shop.project, "passkey": shop.passkey}
            opened = await client.call_tool("authenticate", who)
            assert opened.structured_content is not None
            token = opened.structured_content["session_token"]
            preparing = asyncio.to_thread(shop.hands.prepare)
            given, _ = await asyncio.gather(
                client.call_tool("get_my_task", {"session_token": token}), preparing
            )
            assert given.structured_content is not None
            assert given.structured_content["task"]["task_id"] == task
            done = await client.call_tool("report_completed", {"session_token": token, "result": "success"})
            assert done.structured_content is not None
            return done.structured_content

    assert asyncio.run(work())["success"] is True
    shop.hands.collect()
    assert shop.state(task) == "needs_review outside_run"
