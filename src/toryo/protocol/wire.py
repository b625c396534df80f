"""The client's end of the socket: one JSON line out, one JSON line back. Standard library only.

Owns the envelope that lets a single `tools/call` line through without a handshake; what the tools mean is
left to the daemon, and the shapes of orders and facts to `protocol.order` and `protocol.kinds`.
"""

from __future__ import annotations

# `socket` itself would cost every command 3 ms for what nobody here uses.
import _socket as socket
import errno
import json
import os
import stat
import time
from typing import TYPE_CHECKING

from toryo.domain.errors import ToryoError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType
    from typing import Any, TypeVar

    T = TypeVar("T")

LONGEST_LINE = 1_048_576
"""What the daemon reads as one line, the newline included; a longer one is refused."""

LONGEST_ADDRESS = 104
"""sun_path on macOS; a home whose socket is longer names a short one in `mcp.sock.path`."""

CREDENTIAL = "toryo/credential"
"""The key in `params._meta` that carries who is calling."""

VERSION = "toryo/version"
"""The key in a result's `_meta` that names the daemon's version."""

BIND = "toryo/bind"
"""A notification `{"credential": …}` that binds its whole connection: a bridge sends it as the first line,
and every later request without a credential of its own speaks by this one."""

ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""With these two keys in `_meta` a request stands alone: no `initialize` before it."""

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

START = "`toryo up`"

QUEUE_PAUSE_S = 0.01

TICK_S = 1.0
"""How often `on_wait` is called."""


class WireError(ToryoError):
    """The daemon could not be reached, or what came back was no answer."""

    way_out = "`toryo status` shows whether the daemon works; `toryo down && toryo up` starts it anew."


class Unanswered(WireError):
    """Something listens at the socket's path and says nothing, or not all of it."""


class InTheWay(WireError):
    """What is at the socket's path is no daemon: waiting for it to become one is in vain."""

    way_out = "Move it away."


class RequestRefused(WireError):
    """This request is not taken, however often it is sent: too long, or no request to the daemon."""

    way_out = "Say less in one call: a long text belongs into a file that it names."


class ToolFailed(UserError):
    """The daemon answered `success: false`."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(str(body.get("error") or ""), hint=str(body.get("hint") or ""))
        self.body = body


class Connection:
    """One connection, opened by the first call and again by the call after a failure. Not thread-safe.

    A call is never repeated here: whether it may be is known only to the caller."""

    on_wait: Callable[[], None] | None = None
    """Called about once a second while an answer is waited for."""
    server_version: str = ""
    """What the newest answer named; empty before one, and from a daemon that does not tell."""

    def __init__(self, socket_path: Path | str, credential: str, *, timeout_s: float = 30) -> None:
        self._path = socket_path
        self._credential = credential
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None
        self._received = bytearray()
        self._last_id = 0

    def call(self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None = None) -> dict[str, Any]:
        """The answer's body; `ToolFailed` if it says `success: false`."""
        self.begin(tool, arguments, timeout_s=timeout_s)
        return self.finish()

    def begin(self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None = None) -> None:
        """Ask, and do something else until `finish`."""
        deadline = time.monotonic() + (self._timeout_s if timeout_s is None else timeout_s)
        self._last_id += 1
        self._asked = tool, deadline
        line = request_line(self._last_id, tool, arguments, self._credential)
        self._in_words(tool, lambda: self._send(line, deadline))

    def finish(self) -> dict[str, Any]:
        """The answer to what was begun last."""
        tool, deadline = self._asked
        answer = self._in_words(tool, lambda: self._hear(deadline))
        body = answer_body(answer, self._path)
        self.server_version = _version(answer["result"])
        if body.get("success") is False:
            raise ToolFailed(body)
        return body

    def _hear(self, deadline: float) -> dict[str, Any]:
        while (answer := self._next_line(deadline)).get("id") != self._last_id:
            if answer.get("id") is None and "error" in answer:
                break  # the line itself was refused, so no id came back
        return answer

    def _in_words(self, tool: str, act: Callable[[], T]) -> T:
        """A connection that fails is closed, and it is said in words."""
        try:
            return act()
        except TimeoutError as late:
            self.close()
            raise Unanswered(f"The daemon did not answer {tool} in time.", hint=who(self._path)) from late
        except OSError as broken:
            self.close()
            hint = f"{START}. If that says the same: {another(self._path)}"
            raise Unanswered(f"The connection to the daemon was lost during {tool}.", hint=hint) from broken
        except BaseException:
            self.close()  # a half-read answer would be taken for the next call's
            raise

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._received.clear()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, line: bytes, deadline: float) -> None:
        if self._socket is None:
            self._socket = _connect(self._path, deadline)
        self._socket.settimeout(_left(deadline))
        try:
            self._socket.sendall(line)
        except (BrokenPipeError, ConnectionResetError):
            return  # whoever closed it may have said why: reading tells

    def _next_line(self, deadline: float) -> dict[str, Any]:
        assert self._socket is not None
        searched = 0
        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            self._received += self._receive(self._socket, deadline)
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as bad:
            raise InTheWay("The daemon's answer is not JSON.", hint=another(self._path)) from bad
        if not isinstance(answer, dict):
            raise InTheWay("The daemon's answer is not a JSON object.", hint=another(self._path))
        return answer

    def _receive(self, channel: socket.socket, deadline: float) -> bytes:
        while True:
            left = _left(deadline)
            channel.settimeout(left if self.on_wait is None else min(left, TICK_S))
            try:
                part = channel.recv(65536)
            except TimeoutError:
                if self.on_wait is None:
                    raise
                self.on_wait()
                continue
            if not part:
                raise ConnectionResetError("closed by the daemon")
            return part


def call(
    socket_path: Path | str, tool: str, arguments: dict[str, Any], credential: str, timeout_s: float = 30
) -> dict[str, Any]:
    """One call on a connection of its own."""
    with Connection(socket_path, credential, timeout_s=timeout_s) as connection:
        return connection.call(tool, arguments)


def another(path: Path | str) -> str:
    """The way out where it is no daemon that answers."""
    path = os.fspath(path)
    return f"Does another program listen there? `fuser {path}` names it; else move {path} away."


def who(path: Path | str) -> str:
    """The way out where a daemon may be busy, or be another program."""
    path = os.fspath(path)
    return (
        f"`fuser {path}` names who listens there. A daemon is busy: try again. "
        f"Another program: end it, or move {path} away."
    )


def request_line(number: int, tool: str, arguments: dict[str, Any], credential: str) -> bytes:
    meta = {**ENVELOPE, CREDENTIAL: credential} if credential else ENVELOPE
    request = {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    }
    text = _JSON.encode(request)
    # Names of files may hold bytes that are not UTF-8 (lone surrogates): no JSON reader takes those.
    line = text.encode("utf-8", "replace") + b"\n"
    if len(line) > LONGEST_LINE:
        raise RequestRefused(f"The call of {tool} has {len(line)} bytes; the daemon takes {LONGEST_LINE}.")
    return line


def answer_body(answer: dict[str, Any], path: Path | str = "") -> dict[str, Any]:
    """The tool's own JSON object out of a JSON-RPC answer; `path` is whose answer it is."""
    error = answer.get("error")
    if error is not None:
        said = error if isinstance(error, dict) else {"message": error}
        body = said.get("data")
        hint = str(body.get("hint") or "") if isinstance(body, dict) else ""
        raise RequestRefused(f"The daemon refused the request: {said.get('message')}", hint=hint)
    result = answer.get("result")
    if isinstance(result, dict):
        body = result.get("structuredContent")
        if isinstance(body, dict):
            return body
    raise InTheWay("The daemon's answer has no body.", hint=another(path) if path else "")


def _version(result: dict[str, Any]) -> str:
    meta = result.get("_meta")
    return str(meta.get(VERSION) or "") if isinstance(meta, dict) else ""


def _connect(path: Path | str, deadline: float) -> socket.socket:
    address = _address(path)
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        while True:
            channel.settimeout(_left(deadline))
            try:
                channel.connect(address)
                break
            except BlockingIOError:  # so many are waiting to be let in that the queue is full
                time.sleep(min(QUEUE_PAUSE_S, _left(deadline)))
    except OSError as absent:
        channel.close()
        if isinstance(absent, TimeoutError):
            raise
        if isinstance(absent, PermissionError):
            raise WireError(
                f"The socket {address} belongs to somebody else.",
                hint="Set TORYO_HOME to a directory of your own.",
            ) from absent
        raise _absent(address, absent) from absent
    return channel


def _absent(address: str, why: OSError) -> WireError:
    if why.errno == errno.EPROTOTYPE:
        return InTheWay(f"{address} is in the way: it is a socket, but no daemon's.", hint=another(address))
    try:
        is_socket = stat.S_ISSOCK(os.lstat(address).st_mode)
    except OSError:
        is_socket = True  # nothing is there
    if not is_socket:
        return InTheWay(f"{address} is in the way: it is not a socket.", hint=f"Move {address} away.")
    return WireError("The daemon is not running.", hint=START)


def _address(path: Path | str) -> str:
    text = os.fspath(path)
    if len(os.fsencode(text)) <= LONGEST_ADDRESS:
        return text
    try:
        with open(f"{text}.path", encoding="utf-8") as pointer:
            return pointer.read().strip()
    except OSError as absent:
        raise WireError("The daemon is not running.", hint=START) from absent


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
