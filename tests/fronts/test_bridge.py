"""The bridge between an agent CLI and the daemon: a conversation, its credential, and what is no message."""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fronts.connected_desk import Desk
from fronts.stdio_client import StdioClient, credential_file
from toryo.fronts import bridge
from toryo.protocol import wire


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path)
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_cli_that_shakes_hands_gets_its_task_and_reports_without_a_passkey(desk, version):
    client = desk.client()
    told = client.initialize(version)
    assert told["protocolVersion"] == version
    assert told["serverInfo"]["name"] == "toryo"
    assert "get_my_task" in told["instructions"]
    desk.work(client)
    assert desk.claims() == ["it works"]
    assert desk.token.encode() not in client.seen
    assert desk.shop.passkey.encode() not in client.seen
    assert desk.token.encode() not in Path(f"/proc/{client.process.pid}/cmdline").read_bytes()
    assert client.leave() == 0


def test_a_cli_that_asks_server_discover_needs_no_handshake(desk):
    client = desk.client()
    told = client.ask("server/discover", modern=True)
    assert "2026-07-28" in told["supportedVersions"]
    assert "tools" in told["capabilities"]
    desk.work(client, modern=True)
    assert desk.claims() == ["it works"]
    assert client.leave() == 0


def test_an_agent_is_shown_its_own_tools_only_in_at_most_8_kb(desk):
    client = desk.client()
    client.initialize()
    number = client.request("tools/list")
    tools = client.answer(number)["result"]["tools"]
    assert {"authenticate", "get_my_task", "report_completed"} <= {one["name"] for one in tools}
    assert {"add_task", "claim_run"}.isdisjoint(one["name"] for one in tools)
    assert len(client.seen.splitlines()[-1]) <= 8000


def test_the_bridge_is_one_file_of_the_standard_library():
    tree = ast.parse(Path(bridge.__file__).read_text())
    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names | named <= sys.stdlib_module_names | {"collections.abc"}


def test_the_bridge_and_the_wire_mean_the_same():
    assert (bridge.LONGEST_LINE, bridge.LONGEST_ADDRESS) == (wire.LONGEST_LINE, wire.LONGEST_ADDRESS)
    assert bridge.BIND == wire.BIND
    assert bridge.MODERN in wire.ENVELOPE


def test_what_is_no_json_is_answered_and_the_conversation_goes_on(desk):
    client = desk.client()
    client.initialize()
    client.send(b"\n{nonsense\n\xff\xfe\n" + b"[" * 100_000 + b"\n")
    assert [client.next()["error"]["code"] for _ in range(3)] == [bridge.PARSE_ERROR] * 3
    client.send(b'[]\n7\n{"jsonrpc":"2.0","id":[],"method":"ping"}\n')
    assert [client.next()["error"]["code"] for _ in range(3)] == [bridge.INVALID_REQUEST] * 3
    client.send({"jsonrpc": "2.0", "id": 99, "method": "no/such"})
    assert client.answer(99)["error"]["code"] == -32601
    desk.work(client)


@pytest.mark.parametrize(
    "order", [("jsonrpc", "id", "method", "params"), ("method", "params", "jsonrpc", "id")]
)
def test_a_line_that_is_too_long_is_refused_by_its_id_and_the_conversation_goes_on(desk, order):
    client = desk.client()
    client.initialize()
    whole = {
        "jsonrpc": "2.0",
        "id": 77,
        "method": "tools/call",
        "params": {"name": "report_progress", "arguments": {"summary": "x" * (3 * bridge.LONGEST_LINE)}},
    }
    client.send({key: whole[key] for key in order})
    refused = client.answer(77)["error"]
    assert (refused["code"], str(bridge.LONGEST_LINE) in refused["message"]) == (bridge.INVALID_REQUEST, True)
    desk.work(client)


def test_the_longest_line_passes_whole(desk):
    client = desk.client()
    client.initialize()
    request = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "x", "arguments": {}}}
    room = bridge.LONGEST_LINE - len(json.dumps(request)) - 1
    request["params"]["name"] = "x" * (room + 1)
    line = json.dumps(request).encode() + b"\n"
    assert len(line) == bridge.LONGEST_LINE
    client.send(line)
    assert "There is no tool" in client.answer(5)["result"]["structuredContent"]["error"]


def test_many_requests_at_once_are_all_answered(desk):
    client = desk.client()
    numbers = [client.request("tools/list", modern=True) for _ in range(300)]
    answers = {client.next()["id"]: True for _ in numbers}
    assert sorted(answers) == numbers


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_credential_that_is_open_to_others_is_refused(tmp_path, mode):
    path = credential_file(tmp_path, "/nowhere", "run_secret")
    path.chmod(mode)
    client = StdioClient.of(path)
    assert client.leave() == 1
    complaint = client.complaint()
    client.close()
    assert "is open to others" in complaint
    assert "Hint:" in complaint
    assert "run_secret" not in complaint


NO_CREDENTIALS = {
    b"": ", line 1, column 1: it is no JSON",
    b'{"socket": "/s",\n "token" "run_secret"}': ", line 2, column 10: it is no JSON",
    b'{"socket": "/s",\n "token": run_secret}': ", line 2, column 11: it is no JSON",
    b'{"socket": "\xff", "token": "run_secret"}': ": it is no text in UTF-8",
    b"[" * 60_000: ": it is nested too deeply",
    b'{"socket": ' * 5000 + b"1" + b"}" * 5000: ": it is nested too deeply",
    b"[]": ": it must be an object with a socket and a token",
    b"{}": ": socket: is missing",
    b'{"token":"run_secret"}': ": socket: is missing",
    b'{"socket": "/s"}': ": token: is missing",
    b'{"socket": 1, "token": "run_secret"}': ": socket: must be text",
    b'{"socket": "/s", "token": ""}': ": token: must be text",
}


@pytest.mark.parametrize("text", NO_CREDENTIALS, ids=NO_CREDENTIALS.values())
def test_a_file_that_is_no_credential_is_refused_with_line_column_or_key(tmp_path, text):
    path = credential_file(tmp_path, "", "")
    path.write_bytes(text)
    client = StdioClient.of(path)
    assert client.leave() == 1
    complaint = client.complaint()
    client.close()
    assert complaint.startswith(f"Error: {path}{NO_CREDENTIALS[text]}")
    assert "Hint:" in complaint
    assert "run_secret" not in complaint


def test_a_folder_or_nothing_instead_of_a_credential_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        client = StdioClient.of(path)
        assert client.leave() == 1
        assert str(path) in client.complaint()
        client.close()


def test_what_was_asked_before_stdin_closed_is_still_answered(desk):
    client = desk.client()
    number = client.request("tools/list", modern=True)
    assert client.leave() == 0
    assert client.answer(number)["result"]["tools"]


def test_an_unknown_token_is_told_in_words_and_the_pipe_stays_open(desk):
    path = credential_file(desk.folder, desk.shop.daemon.home.socket_in_use(), "run_unknown")
    client = desk.client(sys.executable, "-I", "-S", bridge.__file__, str(path))
    client.initialize()
    body = client.call("get_my_task", session_token="x")
    assert (body["success"], "not known here" in body["error"]) == (False, True)
    assert client.leave() == 0


def test_a_daemon_that_was_restarted_is_not_noticed_by_a_cli_that_shook_hands(desk):
    client = desk.client()
    client.initialize()
    desk.restart()
    desk.work(client)
    desk.restart()
    assert client.ask("tools/list")["tools"]
    assert client.leave() == 0


def test_the_verb_is_the_same_bridge_and_may_be_typed_inside_a_run(desk, monkeypatch):
    monkeypatch.setenv("TORYO_RUN", "r1")
    client = StdioClient(
        sys.executable, "-m", "toryo", "mcp-bridge", str(desk.credential), env={**os.environ}
    )
    desk.clients.append(client)
    client.initialize()
    desk.work(client)
    assert client.leave() == 0
