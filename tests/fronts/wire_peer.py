"""A tiny real daemon for the fronts' tests: a Unix socket that speaks the wire and answers as it was told."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toryo import __version__

Answer = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]

KEY = "op_for-tests"


class HangUp(Exception):
    """Raised by an answer: the connection ends without one."""


class Peer:
    """Answers each tool with a body or by a function of its arguments; keeps every call."""

    def __init__(self, home: Path, answers: dict[str, Answer]) -> None:
        self.home = home
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.credentials: list[str] = []
        self.version = __version__
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        (home / "operator.key").write_text(KEY + "\n")
        (home / "operator.key").chmod(0o600)
        self._server = _Server(str(home / "mcp.sock"), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def arguments_of(self, tool: str) -> dict[str, Any]:
        """What the newest call of that tool was given."""
        return next(arguments for name, arguments in reversed(self.calls) if name == tool)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        (self.home / "mcp.sock").unlink(missing_ok=True)

    def answer(self, line: bytes) -> bytes:
        request = json.loads(line)
        params = request["params"]
        self.calls.append((params["name"], params["arguments"]))
        self.credentials.append(params["_meta"].get("toryo/credential", ""))
        told = self.answers.get(
            params["name"], {"success": False, "error": f"no {params['name']}", "hint": ""}
        )
        body = {"success": True, **(told(params["arguments"]) if callable(told) else told)}
        result = {"content": [{"type": "text", "text": json.dumps(body)}], "structuredContent": body}
        if self.version:
            result["_meta"] = {"toryo/version": self.version}
        return json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n"


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


def _handler(peer: Peer) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                try:
                    self.wfile.write(peer.answer(line))
                except (HangUp, BrokenPipeError):  # the second: whoever asked has left
                    return

    return Handler
