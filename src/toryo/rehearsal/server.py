"""The scripted model on 127.0.0.1: takes a request in any dialect, keeps it, gives what playing.py chose."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, ClassVar
from urllib.parse import urlsplit

from toryo.domain.errors import ToryoError
from toryo.rehearsal import toolbox
from toryo.rehearsal.conversations import Answer, Asked, Dialect, Event, Failure, Speaker, Usage
from toryo.rehearsal.dialects.anthropic import Anthropic
from toryo.rehearsal.dialects.completions import Completions
from toryo.rehearsal.dialects.gemini import Gemini
from toryo.rehearsal.dialects.responses import Responses
from toryo.rehearsal.keeping import Keeper, shown_headers
from toryo.rehearsal.playing import Chosen, Playing
from toryo.rehearsal.scripts import Reply

DIALECTS: tuple[Dialect, ...] = (Anthropic(), Responses(), Completions(), Gemini())
LARGEST = 64 * 1024 * 1024
CHARACTERS_A_TOKEN = 4
PURPOSE = re.compile(r"^Toryo purpose: ([a-z]+)$", re.MULTILINE)
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing resets the connection."""


@dataclass(frozen=True)
class Model:
    """What all requests share."""

    playing: Playing
    keeper: Keeper
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: Model, port: int = 0) -> None:
        self.model = model
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", port), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle is nothing to tell; anything else is."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server
    server_version = "toryo-rehearsal"
    LEAVE: ClassVar = (BrokenPipeError, ConnectionResetError)

    def do_GET(self) -> None:
        """Models are looked for, connections tried: nobody is disturbed by an empty list."""
        self.server.model.keeper.keep(self._record({}, None))
        self._send(200, {"object": "list", "data": [], "models": [], "has_more": False})

    def do_HEAD(self) -> None:
        self._send(200, {}, only_head=True)

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            self._send(400, {"error": {"message": "The body is no JSON object.", "type": "invalid_request"}})
            return
        path = urlsplit(self.path).path
        for dialect in DIALECTS:
            if dialect.takes(path):
                self._answer(dialect, path, body)
                return
            if dialect.counts(path):
                self.server.model.keeper.keep(self._record(body, dialect))
                self._send(200, dialect.counted(tokens_of(body)))
                return
        self.server.model.keeper.keep(self._record(body, None))
        self._send(404, {"error": {"message": f"Nothing is here: {path}", "type": "not_found"}})

    def log_message(self, format: str, *args: Any) -> None:
        """The requests are kept in their own file."""

    def _answer(self, dialect: Dialect, path: str, body: Mapping[str, Any]) -> None:
        model = self.server.model
        number = next(model.numbers)
        asked = with_purpose(dialect.read(path, body), self.headers.get("x-toryo-purpose", ""))
        chosen = model.playing.choose(dialect.name, asked, time.time())
        answer = self._composed(number, asked, chosen, body) if chosen.reply.is_turn else None
        played = {
            "number": number,
            "part": chosen.part,
            "line": chosen.line,
            "verb": chosen.reply.verb,
            "side": chosen.part is None,
            "purpose": asked.purpose,
            "told": answer.text if answer else "",
            "called": answer.call.tool.called if answer and answer.call else "",
        }
        model.keeper.keep({**self._record(body, dialect), **played})
        if chosen.reply.hang_s:
            self.server.closing.wait(chosen.reply.hang_s)
        if answer is None:
            self._trouble(dialect, chosen)
        elif asked.stream:
            self._stream(dialect.events(asked, answer))
        else:
            self._send(200, dialect.whole(asked, answer))

    def _composed(self, number: int, asked: Asked, chosen: Chosen, body: Mapping[str, Any]) -> Answer:
        reply = chosen.reply
        text = said(reply)
        try:
            call = toolbox.call_for(reply, asked)
        except (toolbox.NotOffered, toolbox.NotSaid) as cannot:
            call, text = None, f"{text}\n{cannot.message}".strip()
        written = len(text) + (len(json.dumps(dict(call.arguments))) + len(call.text) if call else 0)
        usage = Usage(tokens_of(body), max(1, written // CHARACTERS_A_TOKEN))
        return Answer(number, text, usage, call, cut=reply.cut is not None)

    def _trouble(self, dialect: Dialect, chosen: Chosen) -> None:
        reply = chosen.reply
        if reply.verb in ("refuse", "hang"):
            self._drop()
            return
        status = {"deny": 401, "limit": 429}.get(reply.verb) or int(reply.value)
        refusal = dialect.failed(Failure(status, reply.message, chosen.limited_s, time.time()))
        self._send(status, refusal.body, refusal.headers)

    def _drop(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.connection.close()

    def _send(
        self,
        status: int,
        body: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
        *,
        only_head: bool = False,
    ) -> None:
        data = b"" if only_head else json.dumps(body).encode()
        with contextlib.suppress(*self.LEAVE):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    def _stream(self, events: Iterable[Event]) -> None:
        self.close_connection = True
        with contextlib.suppress(*self.LEAVE):
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("cache-control", "no-cache")
            self.send_header("connection", "close")
            self.end_headers()
            for name, data in events:
                text = data if isinstance(data, str) else json.dumps(data)
                line = f"event: {name}\ndata: {text}\n\n" if name else f"data: {text}\n\n"
                self.wfile.write(line.encode())
                self.wfile.flush()

    def _body(self) -> dict[str, Any] | None:
        data = self.rfile.read(min(int(self.headers.get("content-length") or 0), LARGEST))
        try:
            if self.headers.get("content-encoding") == "gzip":
                data = gzip.decompress(data)
            body = json.loads(data or b"{}")
        except (ValueError, OSError):
            return None
        return body if isinstance(body, dict) else None

    def _record(self, body: Mapping[str, Any], dialect: Dialect | None) -> dict[str, Any]:
        return {
            "at": time.time(),
            "dialect": dialect.name if dialect else "",
            "method": self.command,
            "path": urlsplit(self.path).path,
            "headers": shown_headers(dict(self.headers.items())),
            "body": body,
        }


def said(reply: Reply) -> str:
    """The text of a reply: of an `answer` its mapping as JSON."""
    text = str(reply.value) if reply.verb == "say" else reply.say
    if reply.verb == "answer":
        text = "\n".join(filter(None, (reply.say, json.dumps(reply.value, ensure_ascii=False, default=str))))
    return text if reply.cut is None else text[: reply.cut]


def with_purpose(asked: Asked, named: str) -> Asked:
    """What the planner asks for: by its header, or by the first line of what it tells a CLI."""
    for turn in asked.turns:
        found = None if named or turn.speaker is not Speaker.USER else PURPOSE.search(turn.text)
        named = found[1] if found else named
    return replace(asked, purpose=named) if named else asked


def tokens_of(body: Mapping[str, Any]) -> int:
    return max(1, len(json.dumps(body)) // CHARACTERS_A_TOKEN)


class NoPort(ToryoError):
    """The port is taken."""
