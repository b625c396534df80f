"""MCP over a Unix socket, one JSON message a line: the SDK's two streams on top of one connection.

Owns lines, their length, and the manners of a connection; what a message means is left to the SDK's server.
"""

from __future__ import annotations

import asyncio
import json
import select
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import anyio
import structlog
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from toryo.protocol.wire import BIND, LONGEST_LINE

MOST_AT_ONCE = 64
"""Unanswered requests of one connection; its next line is read when one of them is answered."""
SLOW_READER_S = 30.0
HALF_CLOSED_S = 60.0
DISCARD_S = 5.0
MOST_DISCARDED = 64 * LONGEST_LINE
BACKLOG = 512

log = structlog.get_logger("toryo.daemon.transport")


class Link:
    """One connection: its lines, how many requests are unanswered, and whom it speaks for."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.credential = ""
        self.open_requests = 0
        self._reader = reader
        self._writer = writer
        self._answered = asyncio.Event()
        self._is_over = False

    async def next_message(self) -> JSONRPCMessage | None:
        """None at the end, however the other side brought it about, and ever after."""
        while not self._is_over:
            await self._room()
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError:
                self._is_over = True
                await self._refuse_long_line()
            except (asyncio.IncompleteReadError, OSError):
                self._is_over = True
                await self._let_answers_out()
            else:
                message = await self._understand(line)
                if message is not None:
                    return message
        return None

    async def _understand(self, line: bytes) -> JSONRPCMessage | None:
        if line.isspace():
            return None
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as bad:
            await self._refuse(line, bad)
            return None
        if not isinstance(message, JSONRPCRequest | JSONRPCNotification):
            return None  # we ask nothing, so nothing is answered to us
        if message.method == BIND:
            self.credential = str((message.params or {}).get("credential") or "")
            if isinstance(message, JSONRPCRequest):
                await self.send_line(_line(message.id, result={}))
            return None
        if isinstance(message, JSONRPCRequest):
            self.open_requests += 1
        return message

    async def request_ended(self) -> None:
        self.open_requests -= 1
        self._answered.set()

    async def send(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            await self.request_ended()
        await self.send_line(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def send_line(self, line: bytes) -> None:
        if self._writer.is_closing():
            raise anyio.BrokenResourceError
        self._writer.write(line)
        if not self._writer.transport.get_write_buffer_size():
            return  # the kernel took all of it
        try:
            async with asyncio.timeout(SLOW_READER_S):
                await self._writer.drain()
        except TimeoutError:
            log.info("slow_reader_dropped")
            self._writer.transport.abort()
            raise anyio.BrokenResourceError from None
        except OSError as gone:
            raise anyio.BrokenResourceError from gone

    def close(self) -> None:
        """What was written still goes out, as long as the loop runs."""
        self._writer.close()

    def is_flushed(self) -> bool:
        return self._writer.transport.get_write_buffer_size() == 0

    async def _room(self) -> None:
        while self.open_requests >= MOST_AT_ONCE:
            self._answered.clear()
            await self._answered.wait()

    async def _refuse(self, line: bytes, bad: ValidationError) -> None:
        if bad.errors(include_url=False)[0]["type"] == "json_invalid":
            answer = _line(None, code=PARSE_ERROR, message="This line is not JSON.")
        else:
            answer = _line(
                _id_of(line), code=INVALID_REQUEST, message="This line is not a JSON-RPC 2.0 message."
            )
        try:
            await self.send_line(answer)
        except anyio.BrokenResourceError:
            return  # the next read says so too

    async def _refuse_long_line(self) -> None:
        answer = _line(
            None, code=INVALID_REQUEST, message=f"This line is longer than {LONGEST_LINE} bytes; closing."
        )
        try:
            await self.send_line(answer)
            # Closing with unread bytes resets the connection, and the answer might be lost with it.
            async with asyncio.timeout(DISCARD_S):
                discarded = 0
                while discarded < MOST_DISCARDED and (part := await self._reader.read(65536)):
                    discarded += len(part)
                    if part.endswith(b"\n"):
                        return
        except (TimeoutError, OSError, anyio.BrokenResourceError):
            return

    async def _let_answers_out(self) -> None:
        """A client may close only its sending half and still wait for the answers (`… | nc -U`)."""
        try:
            async with asyncio.timeout(HALF_CLOSED_S):
                while self.open_requests and not self._is_hung_up():
                    self._answered.clear()
                    try:
                        async with asyncio.timeout(1):
                            await self._answered.wait()
                    except TimeoutError:
                        continue
        except TimeoutError:
            return

    def _is_hung_up(self) -> bool:
        handle: socket.socket | None = self._writer.get_extra_info("socket")
        if handle is None or handle.fileno() < 0 or self._writer.is_closing():
            return True
        watch = select.poll()
        watch.register(handle.fileno(), 0)
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in watch.poll(0))


class _Stream:
    """What the SDK asks of both of its streams."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def aclose(self) -> None:
        """The connection is closed by whoever accepted it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        return None


class Incoming(_Stream):
    async def receive(self) -> SessionMessage:
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> SessionMessage:
        message = await self._link.next_message()
        if message is None:
            raise StopAsyncIteration
        return SessionMessage(
            message,
            ServerMessageMetadata(request_context=self._link, on_request_unanswered=self._link.request_ended),
        )


class Outgoing(_Stream):
    async def send(self, item: SessionMessage, /) -> None:
        await self._link.send(item.message)


class SocketServer:
    """Accepts connections and gives each one a session of its own."""

    def __init__(self, server: Server[dict[str, Any]]) -> None:
        self._server = server
        self._options = server.create_initialization_options()
        self._sessions: dict[asyncio.Task[None], Link] = {}
        self._listening: asyncio.Server | None = None

    async def start(self, bound: socket.socket) -> None:
        self._listening = await asyncio.start_unix_server(
            self._accepted, sock=bound, limit=LONGEST_LINE, backlog=BACKLOG
        )

    async def close(self, grace_s: float = 3) -> None:
        """Accept nobody more, let open requests be answered, then end the connections."""
        if self._listening is not None:
            self._listening.close()
        await _until(lambda: not any(link.open_requests for link in self._sessions.values()), grace_s)
        sessions = dict(self._sessions)
        for session in sessions:
            session.cancel()
        await asyncio.gather(*sessions, return_exceptions=True)
        await _until(lambda: all(link.is_flushed() for link in sessions.values()), grace_s)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(reader, writer)
        task = asyncio.create_task(self._session(link), name="session")
        self._sessions[task] = link
        task.add_done_callback(lambda ended: self._sessions.pop(ended, None))

    async def _session(self, link: Link) -> None:
        try:
            await self._server.run(Incoming(link), Outgoing(link), self._options)
        except Exception:  # the outermost edge of a connection: the others go on
            log.exception("session_failed")
        finally:
            link.close()


async def _until(condition: Callable[[], bool], within_s: float) -> None:
    end = asyncio.get_running_loop().time() + within_s
    while not condition() and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0.01)


def _line(
    number: str | int | None,
    *,
    result: dict[str, Any] | None = None,
    code: int = 0,
    message: str = "",
) -> bytes:
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if result is not None:
        answer["result"] = result
    else:
        answer["error"] = {"code": code, "message": message}
    return json.dumps(answer, separators=(",", ":")).encode() + b"\n"


def _id_of(line: bytes) -> str | int | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    number = found.get("id") if isinstance(found, dict) else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None
