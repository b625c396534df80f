"""The coordinator's half of the outside contract (S1), over the socket of a whole daemon.

Its configuration (S1-02, S1-31…33, S1-35), its loop (S1-10, S1-36, S1-37) and its cap of runs (S1-42) are in
tests/coordinator; one daemon per home (S1-01) is in test_life.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from whole_daemon import Body, Hands, Shop

from toryo import __version__
from toryo.daemon.tools.table import table
from toryo.domain.words import CheckResult, TaskStatus
from toryo.engine.context import CallerKind
from toryo.protocol.kinds.gate import Checked
from toryo.store.database.schema import assignments, tasks
from toryo.store.tables import agents, projects

MARK, TITLE_MARK = "xylophone", "目印"
"""A title of only such signs leaves no trace in the worktree's name."""


def listed(shop: Shop) -> dict[str, Body]:
    body = shop.hands.call("list_active_projects_with_agents")
    assert set(body) == {"success", "projects"}
    return {one["project_id"]: one for one in body["projects"]}


def texts(value: Any) -> Iterator[str]:
    """Every text in a body; the keys of its objects are ours (`landing` is an id there, no status)."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def test_health_check_says_ok_with_version_and_time(shop: Shop) -> None:
    """S1-09, S1-54."""
    body = shop.hands.call("health_check")
    assert (body["status"], body["version"]) == ("ok", __version__)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", body["timestamp"])


def test_active_projects_come_with_their_directory_and_agents(shop: Shop) -> None:
    """S1-11, S1-13: an agent may appear in several projects."""
    second = shop.add_project("back")
    shop.add_agent("reviewer", project=second)
    found = listed(shop)
    shown = [
        {key: found[one][key] for key in ("project_name", "working_directory", "agents")}
        for one in (shop.project, second)
    ]
    root = found[shop.project]["working_directory"].removesuffix("/front")
    assert shown == [
        {"project_name": "front", "working_directory": f"{root}/front", "agents": ["dev"]},
        {"project_name": "back", "working_directory": f"{root}/back", "agents": ["dev", "reviewer"]},
    ]


def test_archived_projects_and_disabled_agents_are_not_listed(shop: Shop) -> None:
    """S1-12."""
    second = shop.add_project("back")
    shop.add_agent("reviewer", project=shop.project)
    shop.daemon.change(projects.update, second, status="archived")
    shop.daemon.change(agents.update, "dev", status="disabled")
    assert {one: body["agents"] for one, body in listed(shop).items()} == {shop.project: ["reviewer"]}


def nothing(shop: Shop) -> None:
    shop.add_task()


def without_a_task(shop: Shop) -> None:
    pass


def another_agents_task(shop: Shop) -> None:
    shop.add_agent("other", project=shop.project)
    shop.add_task(agent="other")


def another_projects_task(shop: Shop) -> None:
    shop.add_task(project=shop.add_project("back"))


def a_held_task(shop: Shop) -> None:
    shop.add_task(held=True)


def a_session_of_the_pair(shop: Shop) -> None:
    shop.add_task()
    shop.session()


def a_live_run_of_a_pair_with_one_slot(shop: Shop) -> None:
    shop.add_agent("dev", slots=1)
    shop.add_task("One")
    shop.add_task("Two")
    assert shop.hands.claim("dev", shop.project)["claimed"]


def a_disabled_agent(shop: Shop) -> None:
    shop.add_task()
    shop.daemon.change(agents.update, "dev", status="disabled")


def an_agent_that_was_taken_off_the_project(shop: Shop) -> None:
    shop.add_task()
    shop.daemon.person("unassign_agent", agent="dev", project=shop.project)


def an_archived_project(shop: Shop) -> None:
    shop.add_task()
    shop.daemon.change(projects.update, shop.project, status="archived")


def an_agent_that_comes_by_itself(shop: Shop) -> None:
    shop.add_agent("dev", client="outside", project=shop.project)
    shop.add_task()


@pytest.mark.parametrize(
    ("situation", "start"),
    [
        (nothing, True),
        (without_a_task, False),
        (another_agents_task, False),
        (another_projects_task, False),
        (a_held_task, False),
        (a_session_of_the_pair, False),
        (a_live_run_of_a_pair_with_one_slot, False),
        (a_disabled_agent, False),
        (an_agent_that_was_taken_off_the_project, False),
        (an_archived_project, False),
        (an_agent_that_comes_by_itself, False),
    ],
)
def test_should_start_is_true_only_if_the_pair_is_free_and_has_work(
    shop: Shop, situation: Callable[[Shop], None], start: bool
) -> None:
    """S1-14, S1-15: the client is named only where something should be started; a claim agrees."""
    situation(shop)
    shop.daemon.settle()
    body = shop.hands.call("should_start", agent_id="dev", project_id=shop.project)
    expected: Body = {"success": True, "should_start": start}
    assert body == (expected | {"ai_type": "command"} if start else expected)
    assert shop.hands.claim("dev", shop.project, "another-request")["claimed"] is start


@pytest.mark.parametrize("missing", ["agent_id", "project_id"])
def test_an_unknown_agent_or_project_should_not_start_and_is_no_error(shop: Shop, missing: str) -> None:
    """S1-16."""
    shop.add_task()
    pair = {"agent_id": "dev", "project_id": shop.project, missing: "nobody"}
    assert shop.hands.call("should_start", **pair) == {"success": True, "should_start": False}
    assert shop.hands.claim(pair["agent_id"], pair["project_id"])["claimed"] is False


def test_one_agent_is_started_in_two_projects_at_once_each_in_its_own_directory(shop: Shop) -> None:
    """S1-05."""
    second = shop.add_project("back")
    shop.add_task()
    shop.add_task(project=second)
    claims = [shop.hands.claim("dev", one, f"request-{one}") for one in (shop.project, second)]
    assert [claim["claimed"] for claim in claims] == [True, True]
    repos = [claim["order"]["inputs"]["repo"] for claim in claims]
    assert repos == [listed(shop)[one]["working_directory"] for one in (shop.project, second)]


def test_a_coordinator_is_told_neither_the_text_nor_the_status_of_a_task(shop: Shop) -> None:
    """S1-06, S1-07: from the claim to the clean-up, a fix run and a claim of the agent included."""
    hands = shop.hands
    shop.add_agent("dev", access="connected", project=shop.project)
    task = shop.add_task(TITLE_MARK, description=f"Play the {MARK}.", checks=["true"])
    hands.call("health_check")
    listed(shop)
    assert hands.should_start("dev", shop.project)
    prompt = hands.claim("dev", shop.project)["order"]["inputs"]["prompt"]
    hands.prepare()
    run = hands.start()
    token = shop.run_token(run)
    who = {"agent_id": "dev", "project_id": shop.project}
    session = shop.daemon.by(token, "authenticate", **who)["session_token"]
    shop.daemon.by(token, "report_progress", session_token=session, summary=f"tuning the {MARK}")
    shop.daemon.by(token, "report_completed", session_token=session, result="blocked", summary=MARK)
    hands.exit(run)
    hands.collect()
    shop.daemon.person("approve_task", task=task, note=MARK)
    hands.build("5" * 40)
    for _ in range(2):
        failed = Checked(result=CheckResult.FAILED, exit_code=1, tail=f"{MARK}: out of tune")
        hands.report(hands.order("check"), "checked", failed)
    hands.claim("dev", shop.project, "request-of-the-fix")
    hands.prepare()
    run = hands.start()
    hands.speak("heartbeat", live_runs=[run["run"]])
    hands.speak("tell_clients", clients={"claude": ""})
    hands.speak("answer_asks", answers=[])
    hands.exit(run)
    hands.collect()
    hands.build("7" * 40)
    hands.report(hands.order("check"), "checked", Checked(result=CheckResult.PASSED, exit_code=0))
    hands.call("get_subordinate_profile", agent_id="dev")
    hands.land("7" * 40)
    assert shop.state(task) == "done"
    assert {tool for tool, _ in hands.answers} == coordinator_tools() - {"fetch_blob"}
    told = set(texts([body for _, body in hands.answers]))
    assert not [text for text in told if MARK in text or TITLE_MARK in text]
    assert not told & {*TaskStatus, "in_progress"}
    # the prompt itself passes through as opaque text, by its hash
    assert MARK in hands.call("fetch_blob", hash=prompt)["text"]


def coordinator_tools() -> set[str]:
    return {tool.name for tool in table().allowed(CallerKind.COORDINATOR)}


def test_of_many_claims_at_once_by_two_coordinators_one_gets_the_run(shop: Shop) -> None:
    """S1-43: both were told that the pair should start."""
    task = shop.add_task()
    both = [shop.hands, Hands(shop.daemon, "second")]
    assert all(one.should_start("dev", shop.project) for one in both)
    barrier = threading.Barrier(8)

    def claim(number: int) -> Body:
        hands = both[number % 2]
        barrier.wait(10)
        return hands.speak(
            "claim_run", agent_id="dev", project_id=shop.project, request_id=f"request-{number}"
        )

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(claim, range(8)))
    assert sorted(answer["claimed"] for answer in answers) == [False] * 7 + [True]
    # once the drain has looked, the task is not ready any more and there is no work to wait with
    assert {answer["waiting_for"] for answer in answers if not answer["claimed"]} <= {"slots", "work"}
    assert len(shop.task(task)["runs"]) == 1
    assert not any(one.should_start("dev", shop.project) for one in both)


def test_the_same_request_has_the_same_answer(shop: Shop) -> None:
    """S1-44: a coordinator that lost the answer asks again and nothing is started twice."""
    task = shop.add_task()
    shop.add_agent("dev", slots=2, project=shop.project)
    first = shop.hands.claim("dev", shop.project, "the-request")
    assert shop.hands.claim("dev", shop.project, "the-request") == first
    assert len(shop.task(task)["runs"]) == 1


def test_what_a_coordinator_claimed_is_no_news_to_it_and_the_next_task_is(shop: Shop) -> None:
    """A poll that is answered by one's own claim would only be asked again, beside the agent's start."""
    shop.add_agent("dev", slots=2, project=shop.project)
    shop.add_task("One")
    seen = shop.hands.speak("next_orders", wait_s=0)
    assert seen["startable"] == [["dev", shop.project]]
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(shop.hands.speak, "next_orders", wait_s=20, seen=seen["version"])
        assert shop.hands.claim("dev", shop.project)["claimed"]
        shop.daemon.settle()
        assert shop.hands.speak("next_orders", wait_s=0)["startable"] == []
        assert not waiting.done()
        shop.add_task("Two")
        first = waiting.result(10)
    (ask,) = first["asks"]  # where the branch is now, before the task is added
    assert ask["read"]["what"] == "target"
    then = shop.hands.speak("next_orders", wait_s=10, seen=first["version"])
    assert then["startable"] == [["dev", shop.project]]


def test_a_restarted_coordinator_finds_its_run_in_the_store_and_starts_no_other(shop: Shop) -> None:
    """S1-44: it keeps no list of what it started."""
    shop.add_agent("dev", slots=1)
    shop.add_task("One")
    shop.add_task("Two")
    claimed = shop.hands.claim("dev", shop.project)
    before = shop.hands.incarnation
    shop.hands.register()
    assert shop.hands.incarnation == before + 1
    assert shop.hands.order("prepare")["run"] == claimed["run_id"]
    assert not shop.hands.should_start("dev", shop.project)
    shop.hands.incarnation = before
    assert shop.hands.speak("next_orders", wait_s=0)["superseded"] is True
    assert shop.hands.claim("dev", shop.project, "from-the-old-one")["waiting_for"] == "superseded"


def test_slow_agents_are_not_started_twice_before_they_authenticate(shop: Shop) -> None:
    """S1-58: the claim itself occupies the pair, however long the agent takes to come."""
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.start()
    for _ in range(5):
        shop.daemon.pass_time(600)
        shop.hands.speak("heartbeat", live_runs=[])
        assert not shop.hands.should_start("dev", shop.project)
    assert len(shop.task(task)["runs"]) == 1


def test_tasks_belong_to_a_project_and_agents_are_assigned_to_projects(shop: Shop) -> None:
    """S1-52."""
    assert tasks.c.project.nullable is False
    assert {key.target_fullname for key in tasks.c.project.foreign_keys} == {"projects.id"}
    assert {column.name for column in assignments.primary_key} == {"project", "agent"}
    shop.add_project("back")
    body = shop.daemon.refused(shop.daemon.operator, "add_task", title="Nowhere")
    assert body["error"] == "Which project?"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("list_managed_agents", "list_active_projects_with_agents"),
        ("get_pending_tasks", "get_my_task"),
        ("report_execution_start", "get_my_task"),
        ("report_execution_complete", "report_completed"),
    ],
)
def test_an_old_name_is_answered_with_the_new_one(shop: Shop, old: str, new: str) -> None:
    """S1-53 as superseded in resolutions.md: no aliases, whoever asks."""
    for credential in ("", shop.hands.key, shop.daemon.operator):
        body = shop.daemon.refused(credential, old)
        assert body["error"] == f"The tool {old} was replaced by {new}."
        assert new in body["hint"]


def test_calls_of_the_old_form_are_told_what_is_missing(shop: Shop) -> None:
    """S1-53: `should_start(agent_id)` and `authenticate(agent_id, passkey)` had no project."""
    old = shop.daemon.refused(shop.hands.key, "should_start", agent_id="dev")
    assert "project_id" in old["error"]
    old = shop.daemon.refused("", "authenticate", agent_id="dev", passkey=shop.passkey)
    assert "project_id" in old["error"]


def test_an_unknown_client_is_refused_at_once_and_never_another_one_is_taken(shop: Shop) -> None:
    """S1-38 as superseded in resolutions.md."""
    body = shop.daemon.refused(shop.daemon.operator, "add_agent", name="new", client="clod")
    assert body["error"] == "There is no client 'clod'."
    assert "command" in body["hint"]
    assert shop.daemon.refused(shop.daemon.operator, "get_agent", agent="new")


def test_the_profile_of_an_agent_is_its_role_and_nothing_about_work(shop: Shop) -> None:
    """S1-06: the coordinator prepares a context by it."""
    shop.add_task(description=MARK)
    shop.add_agent("dev", project=shop.project, skills={"tidy": "# Tidy up"})
    body = shop.hands.call("get_subordinate_profile", agent_id="dev")
    assert (body["system_prompt"], body["skills"]) == ("You are a developer.", {"tidy": "# Tidy up"})
    assert set(body) == {"success", "agent_id", "name", "role", "ai_type", "system_prompt", "skills"}
    assert MARK not in json.dumps(body)
