"""Every tool of the table with every kind of credential and with wrong ones, on the real daemon's socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from raw_client import RawClient
from real_daemon import RealDaemon
from whole_daemon import Shop

from toryo.daemon.tools.table import table
from toryo.engine.context import CallerKind
from toryo.protocol.orchestrator import key_from

TOOLS = {tool.name: tool for kind in CallerKind for tool in table().allowed(kind)}
WRONG = (
    "x",
    "op_" + "x" * 43,
    "orch_" + "x" * 64,
    "coord_" + "x" * 43,
    "plnr_" + "x" * 43,
    "run_r1234abcd_" + "x" * 43,
    "sess_" + "x" * 43,
    "op_\0",
    "run_",
    "日本語",
    "x" * 500_000,
)


@pytest.fixture(scope="module")
def credentials(
    real_daemon: RealDaemon, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[CallerKind, str]]:
    shop = Shop(real_daemon.home, tmp_path_factory.mktemp("shop"), real_daemon)
    shop.add_agent("cli", access="connected", project=shop.project)
    shop.add_task(agent="cli")
    assert shop.hands.claim("cli", shop.project)["claimed"]
    shop.hands.prepare()
    yield {
        CallerKind.OPERATOR: real_daemon.operator,
        CallerKind.ORCHESTRATOR: key_from(real_daemon.operator),
        CallerKind.COORDINATOR: shop.hands.key,
        CallerKind.PLANNER: real_daemon.person("issue_planner_key", machine="m", name="main")["key"],
        CallerKind.RUN: shop.run_token(shop.hands.start()),
        CallerKind.OUTSIDE: "",
    }
    assert real_daemon.person("recompute")["differences"] == []
    assert real_daemon.bugs() == []


def failure(client: RawClient, name: str) -> dict[str, Any]:
    """The body of a call that changes nothing, whoever makes it: no tool has such an argument."""
    result = client.ask("tools/call", {"name": name, "arguments": {"no such argument": 1}})["result"]
    body: dict[str, Any] = result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == body
    assert result["isError"] is True
    assert {"success", "error", "hint"} <= set(body)
    assert body["success"] is False
    assert body["error"]
    assert body["hint"]
    assert "bug" not in body
    return body


@pytest.mark.parametrize("kind", CallerKind)
def test_a_tool_answers_to_those_whom_the_table_names_and_to_nobody_else(
    real_daemon: RealDaemon, credentials: dict[CallerKind, str], kind: CallerKind
) -> None:
    with RawClient(real_daemon.home.socket, credentials[kind]) as client:
        for name, tool in TOOLS.items():
            told = failure(client, name)["error"]
            expected = f"Bad arguments for {name}" if kind in tool.kinds else f"{name} needs "
            assert told.startswith(expected), (kind, told)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong[:12])
def test_a_wrong_credential_opens_no_tool_at_all(real_daemon: RealDaemon, wrong: str) -> None:
    with RawClient(real_daemon.home.socket, wrong) as client:
        for name in TOOLS:
            told = failure(client, name)["error"]
            assert told == "This credential is not known here."
            assert wrong not in (real_daemon.home.logs / "daemon.jsonl").read_text() or wrong == "x"
