"""Bytes on the socket, for tests of what our own client would never send."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from toryo.protocol.wire import CREDENTIAL, ENVELOPE


class RawClient:
    def __init__(self, path: Path, credential: str = "") -> None:
        self._credential = credential
        self._number = 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self._lines = self.socket.makefile("rb")

    def ask(
        self, method: str, params: dict[str, Any] | None = None, *, modern: bool = True
    ) -> dict[str, Any]:
        self._number += 1
        self.send(self.request(self._number, method, params, modern=modern))
        return self.read()

    def request(
        self, number: int, method: str, params: dict[str, Any] | None = None, *, modern: bool = True
    ) -> bytes:
        meta = {**ENVELOPE} if modern else {}
        if self._credential:
            meta[CREDENTIAL] = self._credential
        whole = {**(params or {}), **({"_meta": meta} if meta else {})}
        return (
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": whole}).encode() + b"\n"
        )

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self) -> dict[str, Any]:
        line = self._lines.readline()
        assert line, "the connection was closed"
        found: dict[str, Any] = json.loads(line)
        return found

    def is_at_end(self) -> bool:
        return self._lines.readline() == b""

    def close(self) -> None:
        self._lines.close()
        self.socket.close()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
