"""A person's browser without a browser: the page's address, its token or cookie, requests and the channel."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from journeys.house import House, build


@dataclass(frozen=True)
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class PageClient:
    """Of one installation; every request is a connection of its own."""

    def __init__(self, house: House, *options: str) -> None:
        self.house = house
        self.address = house.ok("web", "--no-open", *options).splitlines()[0]
        parts = urlsplit(self.address)
        self.port = int(parts.port or 0)
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.token = parts.query.removeprefix("token=")
        self.bearer = {"Authorization": f"Bearer {self.token}"}

    def ask(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None
    ) -> Answered:
        """With these headers and no others but `Host`, which they may name, too."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(headers or {})
        try:
            line.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
            content = b"" if body is None else json.dumps(body).encode()
            if body is not None:
                sent["Content-Type"] = "application/json"
            if method not in ("GET", "HEAD"):
                sent["Content-Length"] = str(len(content))
            for name, value in sent.items():
                line.putheader(name, value)
            line.endheaders(content)
            answer = line.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, named, answer.read())
        finally:
            line.close()

    def ask_upgrade(self, path: str, headers: dict[str, str]) -> int:
        """The status alone: of a connection that becomes a socket nothing more can be read here."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as line:
            told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            line.sendall(f"GET {path} HTTP/1.1\r\n{told}\r\n".encode())
            return int(line.recv(64).split()[1])

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path, self.bearer)
        assert answer.status == 200, (path, answer.status, answer.text)
        return answer.json()

    def post(self, path: str, body: Any = None, *, status: int = 200) -> Any:
        answer = self.ask("POST", path, self.bearer, body if body is not None else {})
        assert answer.status == status, (path, answer.status, answer.text)
        return answer.json()

    def cookie(self) -> dict[str, str]:
        """As a browser has it after it opened the address."""
        given = self.ask("GET", f"/?token={self.token}").headers["set-cookie"]
        return {"Cookie": given.partition(";")[0]}

    def channel(self, after: int | None = None, headers: dict[str, str] | None = None) -> ClientConnection:
        query = "" if after is None else f"?after={after}"
        named = self.bearer if headers is None else headers
        return connect(
            f"ws://{self.host}/api/events{query}", additional_headers=named, open_timeout=30, proxy=None
        )


def heard(channel: ClientConnection, kind: str, *, within_s: float = 30, **values: Any) -> dict[str, Any]:
    """The next message of that kind with these values; others are passed over."""
    while True:
        message: dict[str, Any] = json.loads(channel.recv(timeout=within_s))
        if message["type"] == kind and all(message.get(name) == value for name, value in values.items()):
            return message


@contextmanager
def a_house(files: dict[str, str] | None = None) -> Iterator[House]:
    """An installation with a project, gone at the end."""
    root = Path(tempfile.mkdtemp(prefix="tw"))
    house = build(root, files, branch="side")
    # the code that is tested, where that is a copy of it
    house.env |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    try:
        house.ok("init", "--yes", "--base", "main")
        yield house
    finally:
        house.close()
        shutil.rmtree(root, ignore_errors=True)
