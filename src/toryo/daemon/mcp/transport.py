"""MCP over a Unix socket, one JSON message a line: the SDK's two streams on top of one connection.

Owns the manners of one connection; its lines are `lines`, all connections together are `limits`, letting them
in is `listening`, and what a message means is left to the SDK's server.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import select
import socket
from collections.abc import Callable
from types import TracebackType
from typing import Self

import anyio
import structlog
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types.jsonrpc import (
    INVALID_REQUEST,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from toryo.daemon.mcp import refusals
from toryo.daemon.mcp.fast_path import Call, Direct, call_of, is_own
from toryo.daemon.mcp.limits import ConnectionLimits
from toryo.daemon.mcp.lines import CHUNK, Lines, LineTooLong, LineTooSlow, LineUnfinished
from toryo.protocol.wire import BIND, LONGEST_LINE

MOST_AT_ONCE = 16
"""Unanswered requests of one connection; its next line is read when one of them is answered."""
MOST_WORTHLESS = 16_384
"""Lines in a row that are no message, or one for nobody."""
CANCELLED = "notifications/cancelled"
SLOW_READER_S = 30.0
HALF_CLOSED_S = 60.0
DISCARD_S = 5.0
MOST_DISCARDED = 64 * LONGEST_LINE

_NUMBERS = itertools.count(1)

log = structlog.get_logger("toryo.daemon.transport")


def _nothing() -> None:
    """Nobody waits for it yet."""


class Channel(asyncio.StreamReaderProtocol):
    """asyncio's own, which tells when the connection is gone: nobody may be reading or writing then."""

    def __init__(self, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(reader, loop=loop)
        self.on_lost: Callable[[], None] = _nothing

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.on_lost()


class Link:
    """One connection: its lines, how many requests are unanswered, and whom it speaks for."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        limits: ConnectionLimits,
        direct: Direct,
    ) -> None:
        self.credential = ""
        self.number = next(_NUMBERS)
        """No other connection of this process ever has it."""
        self.open_requests = 0
        self._limits = limits
        self._direct = direct
        self._is_own: bool | None = None
        """Whether its first request was a call as our clients make it; None before it."""
        self._calls: dict[asyncio.Task[None], int] = {}
        self._reader = reader
        self._writer = writer
        self._lines = Lines(reader, limits.hold)
        self._answered = asyncio.Event()
        self._worthless = 0
        self._is_over = False

    @property
    def held(self) -> int:
        """Bytes that came in and are no whole line yet."""
        return self._lines.held

    @property
    def line_begun_at(self) -> float:
        return self._lines.begun_at

    @property
    def unsent(self) -> int:
        return self._writer.transport.get_write_buffer_size()

    @property
    def is_idle(self) -> bool:
        return not self.open_requests and not self.unsent

    def give_up_line(self) -> None:
        """Somebody needs the room that its unfinished line takes."""
        self._lines.give_up()

    def cut(self) -> None:
        """At once, with whatever was not read by the other side."""
        self.lost()
        self._writer.transport.abort()

    def lost(self) -> None:
        """Nothing can be written any more: nobody is to work on what it asked or had still to ask."""
        self._is_over = True
        self._answered.set()

    async def next_message(self) -> JSONRPCMessage | None:
        """None at the end, however the other side brought it about, and ever after."""
        while not self._is_over and await self._has_room():
            try:
                line = await self._lines.next()
            except LineTooLong:
                told = f"This line is longer than {LONGEST_LINE} bytes; closing."
                await self._refuse_and_leave(told, "Send less in one call.")
                await self._discard()
            except LineTooSlow:
                told = "This line was not finished in time; closing."
                await self._refuse_and_leave(told, "Send a whole line at once.")
            except LineUnfinished:
                if not self._is_hung_up():
                    told = "The last line was not finished: it has no newline; closing."
                    await self._refuse_and_leave(told, "End every request with a newline.")
                self._is_over = True
                await self._let_answers_out()
            except (asyncio.IncompleteReadError, OSError):
                self._is_over = True
                await self._let_answers_out()
            else:
                self._limits.heard(self)
                call = call_of(line) if self._is_own else None
                if call is not None:
                    self._worthless = 0
                    self._begin(call)
                    continue
                message = await self._understand(line)
                if message is not None:
                    self._worthless = 0
                    return message
                await self._mind_worthless()
        return None

    async def _mind_worthless(self) -> None:
        await asyncio.sleep(0)  # lines that lie here already are taken without it: others have their turn
        self._worthless += 1
        if self._worthless >= MOST_WORTHLESS:
            log.info("worthless_lines_dropped")
            told = f"{MOST_WORTHLESS} lines in a row were no request; closing."
            await self._refuse_and_leave(told, "Send one request a line.")

    async def _understand(self, line: bytes) -> JSONRPCMessage | None:
        if line.isspace():
            return None
        message = refusals.understand(line)
        if isinstance(message, bytes):
            with contextlib.suppress(anyio.BrokenResourceError):  # the next read says so
                await self.send_line(message)
            return None
        if not isinstance(message, JSONRPCRequest | JSONRPCNotification):
            return None  # we ask nothing, so nothing is answered to us
        if message.method == BIND:
            self.credential = str((message.params or {}).get("credential") or "")
            if isinstance(message, JSONRPCRequest):
                await self.send_line(refusals.line(message.id, result={}))
            return None
        if isinstance(message, JSONRPCRequest):
            self.open_requests += 1
            if self._is_own is None:
                self._is_own = message.method == refusals.CALL and is_own(message.params)
        elif message.method == CANCELLED:
            self._cancel((message.params or {}).get("requestId"))
        return message

    def _begin(self, call: Call) -> None:
        self.open_requests += 1
        task = asyncio.get_running_loop().create_task(self._answer(call), name="call")
        self._calls[task] = call.id
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """However it ended: one that is cancelled at once has not even begun."""
        del self._calls[task]
        self._one_less()

    async def _answer(self, call: Call) -> None:
        line = await self._direct.answer(call, self.credential, self.number)
        with contextlib.suppress(anyio.BrokenResourceError):  # nobody is there any more to read it
            await self.send_line(line)

    def _cancel(self, number: object) -> None:
        """Nothing is answered to it then, as the protocol has it."""
        for task, id in self._calls.items():
            if id == number:
                task.cancel()

    async def end_calls(self) -> None:
        """Nobody waits for their answers any more."""
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    async def request_ended(self) -> None:
        self._one_less()

    def _one_less(self) -> None:
        self.open_requests -= 1
        self._answered.set()

    async def send(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            await self.request_ended()
        if isinstance(message, JSONRPCError):
            message = refusals.with_body(message)
        await self.send_line(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def send_line(self, line: bytes) -> None:
        if self._writer.is_closing():
            raise anyio.BrokenResourceError
        self._writer.write(line)
        if not self.unsent:
            return  # the kernel took all of it
        self._limits.mind_unsent()
        await self._until_read()

    async def _until_read(self) -> None:
        try:
            async with asyncio.timeout(SLOW_READER_S):
                await self._writer.drain()
        except TimeoutError:
            log.info("slow_reader_dropped")
            self.cut()
            raise anyio.BrokenResourceError from None
        except OSError as gone:
            raise anyio.BrokenResourceError from gone

    def close(self) -> None:
        """What was written still goes out, as long as the loop runs."""
        self._writer.close()

    def is_flushed(self) -> bool:
        return self.unsent == 0

    async def _has_room(self) -> bool:
        """Whoever does not read its answers, or has many of them to come, is not asked for more questions.

        False: it was lost meanwhile; lines of it may lie here still."""
        while self.open_requests >= MOST_AT_ONCE and not self._is_over:
            self._answered.clear()
            await self._answered.wait()
        if self.unsent:
            with contextlib.suppress(anyio.BrokenResourceError):  # it was lost, and we were told
                await self._until_read()
        return not self._is_over

    async def _refuse_and_leave(self, told: str, hint: str) -> None:
        self._is_over = True
        with contextlib.suppress(anyio.BrokenResourceError):
            await self.send_line(refusals.line(None, code=INVALID_REQUEST, message=told, hint=hint))

    async def _discard(self) -> None:
        """Closing with unread bytes resets the connection, and the answer might be lost with it."""
        try:
            async with asyncio.timeout(DISCARD_S):
                discarded = 0
                while discarded < MOST_DISCARDED and (part := await self._reader.read(CHUNK)):
                    discarded += len(part)
                    if part.endswith(b"\n"):
                        return
        except (TimeoutError, OSError):
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
