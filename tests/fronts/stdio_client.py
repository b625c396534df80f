"""An MCP client as agent CLIs are: it starts the bridge and speaks JSON-RPC lines with its stdio."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from toryo.fronts import bridge
from toryo.protocol.wire import ENVELOPE

Message = dict[str, Any]
LIMIT_S = 30
"""For every answer: more than the bridge's own patience."""


def credential_file(folder: Path, socket: Path | str, token: str) -> Path:
    path = folder / "credential.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps({"socket": str(socket), "token": token}))
    return path


class StdioClient:
    def __init__(self, *argv: str, env: dict[str, str] | None = None) -> None:
        """`argv`: another way to start the bridge than by its file."""
        self.process = subprocess.Popen(
            argv,
            env={"PATH": os.environ["PATH"]} if env is None else env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.seen = b""
        """Everything the CLI, and so the model, could see."""
        self._number = 0
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def of(cls, credential: Path) -> StdioClient:
        return cls(sys.executable, "-I", "-S", str(Path(bridge.__file__)), str(credential))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.seen += line
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, message: Message | bytes) -> None:
        assert self.process.stdin is not None
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, method: str, params: Message | None = None, *, modern: bool = False) -> int:
        self._number += 1
        given = {**(params or {}), **({"_meta": ENVELOPE} if modern else {})}
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": given})
        return self._number

    def next(self, limit_s: float = LIMIT_S) -> Message:
        line = self._lines.get(timeout=limit_s)
        assert line, f"the pipe was closed: {self.complaint()}"
        found: Message = json.loads(line)
        return found

    def answer(self, number: int) -> Message:
        found = self.next()
        assert found["id"] == number, found
        return found

    def ask(self, method: str, params: Message | None = None, *, modern: bool = False) -> Message:
        found = self.answer(self.request(method, params, modern=modern))
        assert "result" in found, found
        result: Message = found["result"]
        return result

    def initialize(self, version: str = "2025-06-18") -> Message:
        about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        told = self.ask("initialize", about)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return told

    def call(self, tool: str, /, *, modern: bool = False, **arguments: Any) -> Message:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, modern=modern)
        body: Message = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == body
        assert result["isError"] is (body["success"] is not True)
        return body

    def complaint(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode() if self.process.poll() is not None else ""

    def leave(self) -> int:
        """As a CLI does at its end; the bridge's exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(LIMIT_S)
        self._reader.join(LIMIT_S)
        return code

    def close(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
        self._reader.join(LIMIT_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue
