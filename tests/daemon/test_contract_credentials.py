"""Whose key opens what, and where no secret is ever found; the whole table of tools over the real socket.

How each kind of secret is made, hashed and masked is in test_credentials and test_logs.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from raw_client import RawClient
from whole_daemon import Body, Hands, Shop

from toryo.daemon.tools.registry import (
    AGENTS,
    COORDINATORS,
    ORCHESTRATORS,
    PEOPLE,
    PLACES,
    PLANNERS,
    RUNS,
    Tool,
)
from toryo.daemon.tools.table import table
from toryo.engine.context import CallerKind
from toryo.protocol.orchestrator import key_from
from toryo.protocol.wire import ToolFailed
from waiting import eventually

TOOLS = {tool.name: tool for kind in CallerKind for tool in table().allowed(kind)}


def of(kinds: frozenset[CallerKind]) -> list[str]:
    return sorted(name for name, tool in TOOLS.items() if tool.kinds == kinds)


def a_connected_run(shop: Shop) -> Body:
    shop.add_agent("dev", access="connected", project=shop.project)
    shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    return shop.hands.start()


def at_rest(shop: Shop, text: str) -> list[str]:
    """Files of the installation that hold this text, the database's own log included."""
    found = [path for path in shop.daemon.home.path.rglob("*") if path.is_file()]
    assert shop.daemon.home.database in found
    return [path.name for path in found if text.encode() in path.read_bytes()]


def test_no_passkey_and_no_token_is_kept_in_the_clear(shop: Shop) -> None:
    """S1-50: neither passkeys (scrypt), session tokens (hashes) nor run tokens (derived) are on disk."""
    run = a_connected_run(shop)
    who = {"agent_id": "dev", "project_id": shop.project}
    inside = shop.daemon.by(shop.run_token(run), "authenticate", **who)["session_token"]
    shop.daemon.by(shop.run_token(run), "report_progress", session_token=inside, summary="seen-on-disk")
    outside = shop.session(project=shop.add_project("back"))
    assert at_rest(shop, "seen-on-disk"), "what is said is on disk"
    secrets = (shop.passkey, inside, outside, shop.run_token(run), shop.hands.key)
    assert [at_rest(shop, secret) for secret in secrets] == [[]] * 5
    assert at_rest(shop, shop.daemon.operator) == ["operator.key"]
    assert at_rest(shop, "scrypt$")


def test_a_passkey_is_shown_once(shop: Shop) -> None:
    """S1-50: no later answer holds it or its hash, and a change of the agent leaves it as it is."""
    answers = [
        shop.daemon.person("get_agent", agent="dev"),
        shop.daemon.person("list_agents"),
        shop.daemon.person("list_events", limit=1000),
        shop.hands.call("get_subordinate_profile", agent_id="dev"),
        shop.daemon.person("add_agent", name="dev", client="outside", project=shop.project),
    ]
    told = json.dumps(answers)
    assert shop.passkey not in told
    assert "scrypt" not in told
    assert shop.authenticate()["success"]


def test_an_agent_sees_its_own_tools_in_at_most_8_kb(shop: Shop) -> None:
    """S1-06: and an outside agent sees the same."""
    run = a_connected_run(shop)
    for credential, own in ((shop.run_token(run), of(RUNS)), ("", [])):
        with RawClient(shop.daemon.home.socket_in_use(), credential) as client:
            answer = client.ask("tools/list", {})
        names = {tool["name"] for tool in answer["result"]["tools"]}
        assert names == {"health_check", *of(AGENTS), *own}
        assert len(json.dumps(answer)) <= 8192


def test_no_tool_of_a_person_answers_to_anybody_else(shop: Shop) -> None:
    """Credentials: inside a run operator verbs are refused, whatever the arguments."""
    token = shop.run_token(a_connected_run(shop))
    of_people = [*of(PEOPLE), *of(ORCHESTRATORS)]
    for name in of_people:
        for credential in (token, shop.hands.key, ""):
            assert f"{name} needs the operator key" in shop.daemon.refused(credential, name)["error"]
    assert len(of_people) > 25
    orchestrators = key_from(shop.daemon.operator)
    for name in of(PEOPLE):
        assert f"{name} needs the operator key" in shop.daemon.refused(orchestrators, name)["error"]
    hint = shop.daemon.refused(token, "add_task", title="More")["hint"]
    assert hint == "Inside a run only the agent's own tools answer."


def test_no_tool_of_a_coordinator_answers_to_anybody_else(shop: Shop) -> None:
    """S1-06: an agent cannot look at what others are to do."""
    token = shop.run_token(a_connected_run(shop))
    for name in of(COORDINATORS) + of(PLACES):
        for credential in (token, shop.daemon.operator, ""):
            assert f"{name} needs a coordinator's key" in shop.daemon.refused(credential, name)["error"]
    assert of(PLACES) == ["fetch_blob", "heartbeat", "next_orders", "report_facts"]
    assert len(of(COORDINATORS)) == 7


def test_a_planners_key_opens_no_tool_of_a_person_a_coordinator_or_an_agent(shop: Shop) -> None:
    key = shop.daemon.person("issue_planner_key", machine="m", name="main")["key"]
    for name in of(PEOPLE) + of(COORDINATORS) + of(AGENTS):
        assert f"{name} needs " in shop.daemon.refused(key, name)["error"]


def test_a_person_and_a_coordinator_do_not_speak_as_an_agent(shop: Shop) -> None:
    for name in of(AGENTS):
        for credential in (shop.hands.key, shop.daemon.operator):
            assert f"{name} needs a run's token" in shop.daemon.refused(credential, name)["error"]


def names_a_coordinator(tool: Tool) -> bool:
    return bool({"coordinator", "machine"} & set(tool.arguments.model_fields))


def arguments_for(tool: Tool, hands: Hands) -> dict[str, Any]:
    """As that coordinator would call it."""
    every: dict[str, Any] = {
        "coordinator": hands.id,
        "incarnation": hands.incarnation,
        "machine": hands.machine,
        "name": hands.name,
        "boot": "b",
        "pid": 1,
        "agent_id": "dev",
        "project_id": "p",
        "request_id": "a-request",
        "facts": [],
        "answers": [],
        "clients": {},
    }
    return {name: value for name, value in every.items() if name in tool.arguments.model_fields}


@pytest.mark.parametrize(
    "name", [one for one in of(COORDINATORS) + of(PLACES) if names_a_coordinator(TOOLS[one])]
)
def test_the_key_of_one_coordinator_is_refused_for_another(shop: Shop, name: str) -> None:
    """Credentials: one key per coordinator."""
    other = Hands(shop.daemon, "second")
    arguments = arguments_for(TOOLS[name], shop.hands)
    body = shop.daemon.refused(other.key, name, **arguments)
    assert body["error"] == f"This key belongs to {other.id}, not to {shop.hands.id}."
    assert shop.daemon.by(shop.hands.key, name, **arguments)["success"]


def test_a_new_key_voids_the_old_one(shop: Shop) -> None:
    """Credentials: after at most a second, for which a recognised key is remembered."""
    old = shop.hands.key
    Hands(shop.daemon, shop.hands.name)

    def is_void() -> bool:
        try:
            shop.daemon.by(old, "list_active_projects_with_agents")
        except ToolFailed as refused:
            return "not known" in refused.message
        return False

    eventually(is_void)


def test_every_tool_refuses_an_argument_it_does_not_know(shop: Shop) -> None:
    """Nothing is taken silently: a misspelt argument would change what a call means."""
    operator = shop.daemon.operator
    keys = {
        PEOPLE: operator,
        ORCHESTRATORS: key_from(operator),
        COORDINATORS: shop.hands.key,
        RUNS: shop.run_token(a_connected_run(shop)),
        PLACES: shop.hands.key,
        PLANNERS: shop.daemon.person("issue_planner_key", machine="m", name="main")["key"],
    }
    for name, tool in TOOLS.items():
        body = shop.daemon.refused(keys.get(tool.kinds, ""), name, no_such_thing=1)
        assert "no_such_thing: there is no such argument" in body["error"]


def test_events_are_found_by_the_beginning_of_an_id_and_by_a_projects_name(shop: Shop) -> None:
    task = shop.add_task("One")
    other = shop.add_task("Two")
    shop.add_project("back")

    def about(**which: str) -> set[str | None]:
        events = shop.daemon.person("list_events", limit=1000, **which)["events"]
        return {one["task"] for one in events if one["kind"] == "task_added"}

    shortest = next(n for n in range(2, 10) if not other.startswith(task[:n]))
    assert about(task=task[:shortest]) == {task}
    assert about(project="front") == about(project=shop.project) == {task, other}
    assert about(project="back") == set()
    body = shop.daemon.refused(shop.daemon.operator, "list_events", task="tnothing")
    assert body["error"] == "There is no task 'tnothing'."
    assert "several" in shop.daemon.refused(shop.daemon.operator, "list_events", task="t")["error"]
