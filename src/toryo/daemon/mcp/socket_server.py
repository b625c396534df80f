"""Accept loop of the socket: each connection gets a session; which one is closed for another is decided by
`limits`.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable

import structlog
from mcp_types.jsonrpc import INVALID_REQUEST

from toryo.daemon.mcp import refusals
from toryo.daemon.mcp.calls import Calls
from toryo.daemon.mcp.fast_path import Direct
from toryo.daemon.mcp.limits import ConnectionLimits
from toryo.daemon.mcp.lines import CHUNK
from toryo.daemon.mcp.server import make_server
from toryo.daemon.mcp.transport import Channel, Incoming, Link, Outgoing

BACKLOG = 512
ACCEPTED_AT_ONCE = 16
REST_S = 0.2
COMPLAIN_EVERY_S = 60.0
FULL = "There are too many connections, and all of them are busy; closing."
FULL_HINT = "Close those that are not needed, or try again in a moment."

log = structlog.get_logger("toryo.daemon.listening")


class SocketServer:
    """Accepts connections and gives each one a session of its own.

    asyncio's own server takes hundreds at once before any of them is looked at, and where files run out it
    complains once for each of them."""

    def __init__(self, calls: Calls) -> None:
        self._server = make_server(calls)
        self._options = self._server.create_initialization_options()
        self._direct = Direct(calls.answer, self._server.server_info_stamp)
        self._limits = ConnectionLimits()
        self._sessions: dict[asyncio.Task[None], Link | None] = {}
        self._bound: socket.socket | None = None
        self._loop = asyncio.get_running_loop()
        self._complained_at = -COMPLAIN_EVERY_S

    async def start(self, bound: socket.socket) -> None:
        bound.setblocking(False)
        bound.listen(BACKLOG)
        self._bound = bound
        self._listen()

    async def close(self, grace_s: float = 3) -> None:
        """Accept nobody more, let open requests be answered, then end the connections."""
        self._listen(on=False)
        self._bound = None
        await _until(lambda: not any(link.open_requests for link in self._links()), grace_s)
        links = self._links()
        sessions = list(self._sessions)
        for session in sessions:
            session.cancel()
        await asyncio.gather(*sessions, return_exceptions=True)
        await _until(lambda: all(link.is_flushed() for link in links), grace_s)

    def _links(self) -> list[Link]:
        return [link for link in self._sessions.values() if link is not None]

    def _listen(self, *, on: bool = True) -> None:
        if self._bound is None:
            return
        if on:
            self._loop.add_reader(self._bound.fileno(), self._accept)
        else:
            self._loop.remove_reader(self._bound.fileno())

    def _accept(self) -> None:
        """A few, so that those who are in get their turn."""
        assert self._bound is not None
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                channel, _ = self._bound.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as full:
                self._rest(full)
                return
            channel.setblocking(False)
            if len(self._sessions) >= self._limits.most and not self._limits.make_room():
                _send_away(channel)
                continue
            task = self._loop.create_task(self._session(channel), name="session")
            self._sessions[task] = None
            task.add_done_callback(lambda ended: self._sessions.pop(ended, None))

    def _rest(self, full: OSError) -> None:
        """No file is left for one more: a silent one goes, and we look again in a moment."""
        if self._loop.time() - self._complained_at >= COMPLAIN_EVERY_S:
            self._complained_at = self._loop.time()
            log.warning("cannot_accept", why=full.strerror, connections=len(self._sessions))
        self._limits.make_room()
        self._listen(on=False)
        self._loop.call_later(REST_S, self._listen)

    async def _session(self, channel: socket.socket) -> None:
        reader = asyncio.StreamReader(limit=CHUNK, loop=self._loop)
        ends = Channel(reader, self._loop)
        try:
            transport, _ = await self._loop.create_unix_connection(lambda: ends, sock=channel)
        except BaseException as gone:
            channel.close()
            if isinstance(gone, OSError):
                return
            raise
        writer = asyncio.StreamWriter(transport, ends, reader, self._loop)
        link = Link(reader, writer, self._limits, self._direct)
        ends.on_lost = link.lost
        task = asyncio.current_task()
        assert task is not None
        self._sessions[task] = link
        self._limits.join(link)
        try:
            await self._server.run(Incoming(link), Outgoing(link), self._options)
        except Exception:  # the outermost edge of a connection: the others go on
            log.exception("session_failed")
        finally:
            self._limits.leave(link)
            await link.end_calls()
            link.close()


def _send_away(channel: socket.socket) -> None:
    with channel, contextlib.suppress(OSError):
        channel.send(refusals.line(None, code=INVALID_REQUEST, message=FULL, hint=FULL_HINT))


async def _until(condition: Callable[[], bool], within_s: float) -> None:
    end = asyncio.get_running_loop().time() + within_s
    while not condition() and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0.01)
