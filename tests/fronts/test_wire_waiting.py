"""What the command line asks of the wire besides answers: the daemon's version, and a word while it waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from wire_peer import Peer

from toryo.protocol import wire
from toryo.protocol.wire import Connection, ToolFailed, WireError

MakePeer = Callable[..., Peer]


def test_the_daemons_version_is_known_after_a_call(peer: MakePeer) -> None:
    there = peer(health_check={})
    there.version = "1.2.3"
    with Connection(there.home / "mcp.sock", "") as line:
        assert line.server_version == ""
        line.call("health_check", {})
        assert line.server_version == "1.2.3"
        there.version = ""
        line.call("health_check", {})
        assert line.server_version == ""


def test_a_refusal_names_the_version_too(peer: MakePeer) -> None:
    there = peer()
    there.version = "1.2.3"
    with Connection(str(there.home / "mcp.sock"), "") as line:
        with pytest.raises(ToolFailed):
            line.call("nothing", {})
        assert line.server_version == "1.2.3"


@pytest.mark.parametrize("meta", [None, [], "x", {"toryo/version": None}, {}])
def test_a_result_that_says_nothing_of_a_version_is_an_answer_all_the_same(meta: Any) -> None:
    assert wire._version({"structuredContent": {}, "_meta": meta}) == ""


def test_while_an_answer_is_waited_for_somebody_may_be_told(
    peer: MakePeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "TICK_S", 0.01)
    told, enough = [], threading.Event()

    def on_wait() -> None:
        told.append(1)
        if len(told) == 3:
            enough.set()

    there = peer(slow=lambda _: {"in_time": enough.wait(20)}, quick={})
    with Connection(there.home / "mcp.sock", "") as line:
        line.on_wait = on_wait
        assert line.call("slow", {})["in_time"] is True
        assert len(told) >= 3


def test_being_told_does_not_put_off_the_deadline(peer: MakePeer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "TICK_S", 0.01)
    never = threading.Event()
    there = peer(slow=lambda _: {"x": never.wait(20)})
    with Connection(there.home / "mcp.sock", "") as line:
        line.on_wait = lambda: None
        with pytest.raises(WireError, match="did not answer slow in time"):
            line.call("slow", {}, timeout_s=0.1)
    never.set()


def test_an_error_while_telling_leaves_no_half_read_answer_behind(
    peer: MakePeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "TICK_S", 0.01)
    asked = threading.Event()

    def answer(arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments["first"]:
            asked.wait(20)
        return arguments

    def leave() -> None:
        raise KeyboardInterrupt

    there = peer(echo=answer)
    with Connection(there.home / "mcp.sock", "") as line:
        line.on_wait = leave
        with pytest.raises(KeyboardInterrupt):
            line.call("echo", {"first": True})
        line.on_wait = None
        asked.set()
        assert line.call("echo", {"first": False})["first"] is False
