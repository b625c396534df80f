"""Who may call what with which arguments, and how every failure looks; over the real socket."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from little_daemon import LittleDaemon, echo, toys
from raw_client import RawClient

from toryo.daemon.tools.registry import EVERYBODY, Arguments, Registry, Tool
from toryo.daemon.tools.table import table
from toryo.engine.context import CallerKind
from toryo.protocol.wire import ToolFailed, call


def failure_of(
    daemon: LittleDaemon,
    tool: str,
    credential: str,
    *,
    bug: bool = False,
    coordinator: bool = False,
    **arguments: Any,
) -> dict[str, Any]:
    with pytest.raises(ToolFailed) as failed:
        call(daemon.home.socket, tool, arguments, credential)
    to_an_agent = [] if coordinator or credential == daemon.operator else ["instruction"]
    keys = set(failed.value.body) - {"kind"}  # said where the error is of a kind that a front can use
    assert keys == {"success", "error", "hint", *(["bug"] if bug else []), *to_an_agent}
    assert failed.value.body.get("bug", False) is bug
    return failed.value.body


def test_an_unknown_tool_is_a_failure_that_names_the_near_one(little_daemon: LittleDaemon) -> None:
    body = failure_of(little_daemon, "health_chek", little_daemon.operator)
    assert "health_chek" in body["error"]
    assert body["hint"] == "Did you mean health_check?"


def test_an_extra_argument_is_refused_by_name(little_daemon: LittleDaemon) -> None:
    body = failure_of(little_daemon, "echo", little_daemon.operator, text="a", colour="red")
    assert "colour: there is no such argument" in body["error"]
    assert body["hint"] == "It takes: text, times?."


@pytest.mark.parametrize("arguments", [{}, {"text": 3}, {"text": "a", "times": "many"}])
def test_a_missing_or_bad_argument_is_refused(little_daemon: LittleDaemon, arguments: dict[str, Any]) -> None:
    body = failure_of(little_daemon, "echo", little_daemon.operator, **arguments)
    assert body["error"].startswith("Bad arguments for echo: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("list_managed_agents", "list_active_projects_with_agents"),
        ("get_pending_tasks", "get_my_task"),
        ("report_execution_start", "get_my_task"),
        ("report_execution_complete", "report_completed"),
    ],
)
def test_an_old_tool_name_answers_with_the_new_one(little_daemon: LittleDaemon, old: str, new: str) -> None:
    assert new in failure_of(little_daemon, old, "")["error"]


def test_a_bug_is_answered_and_logged_with_its_traceback_and_no_secret(little_daemon: LittleDaemon) -> None:
    body = failure_of(little_daemon, "boom", little_daemon.operator, bug=True)
    log = little_daemon.home.logs / "daemon.jsonl"
    assert "KeyError" in body["error"]
    assert str(log) in body["hint"]
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    bug = next(entry for entry in entries if entry["event"] == "tool_failed" and entry["tool"] == "boom")
    assert "Traceback" in bug["exception"]
    assert "sess_***" in bug["exception"]
    assert "sess_0123" not in log.read_text()


def test_an_answer_that_is_no_json_is_a_failure_too(little_daemon: LittleDaemon) -> None:
    body = failure_of(little_daemon, "unserialisable", little_daemon.operator, bug=True)
    assert "not JSON" in body["error"]


def test_a_wrong_credential_is_refused_even_where_none_is_needed(little_daemon: LittleDaemon) -> None:
    for wrong in ("op_" + "x" * 43, "run_r1234abcd_" + "x" * 43, "coord_" + "x" * 43, "nonsense"):
        assert "not known" in failure_of(little_daemon, "health_check", wrong)["error"]


def test_without_a_credential_only_the_agents_tools_answer(little_daemon: LittleDaemon) -> None:
    body = failure_of(little_daemon, "add", "")
    assert body["error"] == "add needs the operator key; this call came with no credential."
    assert call(little_daemon.home.socket, "get_my_task", {}, "")["task"] == "it"


def test_the_operators_key_is_not_a_coordinators(little_daemon: LittleDaemon) -> None:
    assert "coordinator's key" in failure_of(little_daemon, "claim_run", little_daemon.operator)["error"]


def test_a_coordinators_key_names_its_coordinator(little_daemon: LittleDaemon) -> None:
    key = little_daemon.call("issue_key", name="named")["key"]
    body = call(little_daemon.home.socket, "echo", {"text": ""}, key)
    assert (body["kind"], body["at"]) == ("coordinator", "m/named")
    assert "operator key" in failure_of(little_daemon, "add", key, coordinator=True)["error"]


def test_the_answer_is_the_same_as_text_and_as_structure(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket) as client:
        good = client.ask("tools/call", {"name": "echo", "arguments": {"text": "é"}})["result"]
        bad = client.ask("tools/call", {"name": "nope"})["result"]
    for result in (good, bad):
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert good["structuredContent"]["success"] is True
    assert good.get("isError", False) is False
    assert bad["isError"] is True


def test_the_list_of_tools_follows_the_credential(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket, little_daemon.operator) as client:
        people = {tool["name"] for tool in client.ask("tools/list", {})["result"]["tools"]}
    with RawClient(little_daemon.home.socket) as client:
        outside = {tool["name"] for tool in client.ask("tools/list", {})["result"]["tools"]}
    assert {"add", "shutdown"} <= people
    assert "claim_run" not in people
    assert outside == {"health_check", "echo", "get_my_task"}


def test_a_listed_tool_says_that_it_takes_nothing_else() -> None:
    listed = next(tool for tool in toys().listing(CallerKind.RUN) if tool["name"] == "echo")
    assert listed["inputSchema"]["additionalProperties"] is False
    assert listed["inputSchema"]["required"] == ["text"]
    assert "title" not in json.dumps(listed)


def test_the_agents_own_list_is_short_and_holds_only_their_tools() -> None:
    tools = table()
    of_a_run = {"spawn_children", "my_tree", "send_message", "read_messages"}
    for kind, more in ((CallerKind.RUN, of_a_run), (CallerKind.OUTSIDE, set[str]())):
        listed = {tool["name"] for tool in tools.listing(kind)} - of_a_run | more
        assert listed == {
            "authenticate",
            "get_my_task",
            "report_completed",
            "report_progress",
            "health_check",
            *more,
        }
        assert len(json.dumps(tools.listing(kind))) <= 8192


def test_an_argument_called_title_stays_in_the_list() -> None:
    class Titled(Arguments):
        title: str

    schema = Registry([Tool("t", EVERYBODY, Titled, echo, "")]).listing(CallerKind.RUN)[0]["inputSchema"]
    assert schema["properties"] == {"title": {"type": "string"}}


def test_a_table_with_two_tools_of_one_name_is_refused() -> None:
    tool = Tool("t", EVERYBODY, Arguments, echo, "")
    with pytest.raises(ValueError, match="taken"):
        Registry([tool, tool])


def test_a_table_that_would_swallow_arguments_is_refused() -> None:
    class Open(Arguments, extra="allow"):
        pass

    with pytest.raises(ValueError, match="swallow"):
        Registry([Tool("t", EVERYBODY, Open, echo, "")])


def test_the_operators_key_is_readable_by_its_owner_only(little_daemon: LittleDaemon) -> None:
    def mode(path: Path) -> int:
        return path.stat().st_mode & 0o777

    home = little_daemon.home
    assert mode(home.operator_key) == 0o600
    assert mode(home.path) == 0o700
    assert mode(home.socket) == 0o600
    assert mode(home.logs / "daemon.jsonl") == 0o600
