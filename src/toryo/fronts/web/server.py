"""Web front's process: its port, its note in the home, the event loop it serves on, and its end."""

from __future__ import annotations

import asyncio
import hashlib
import signal
import socket
from typing import TYPE_CHECKING

import uvicorn

from toryo.domain.errors import UserError
from toryo.fronts.daemon_line import DaemonLine
from toryo.fronts.processes import web_note
from toryo.fronts.processes.reach import operator_key
from toryo.fronts.web.access import Access
from toryo.fronts.web.app import make_app
from toryo.fronts.web.hub import Hub

if TYPE_CHECKING:
    from toryo.settings import Home

LOOPBACK = "127.0.0.1"
FIRST_PORT = 7117
PORTS = 200
LONGEST_MESSAGE = 4096
"""Of a browser on the event channel: it has nothing to say there."""
LEAVE_WITHIN_S = 2


def run_web(home: Home, port: int | None) -> int:
    """Until told to leave."""
    bound = bind(home, port)
    line = DaemonLine(home)
    app = make_app(line, Hub(line))
    config = uvicorn.Config(
        Access(app, token=web_note.token(home), installation=installation(home)),
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=LEAVE_WITHIN_S,
    )
    server = uvicorn.Server(config)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    asyncio.run(_serve(server, bound, home))
    return 0


async def _serve(server: uvicorn.Server, bound: socket.socket, home: Home) -> None:
    # it is bound and listened on: whoever reads the note gets an answer
    web_note.write_note(home, bound.getsockname()[1])
    await server.serve(sockets=[bound])


def installation(home: Home) -> str:
    """A mark of this installation for the cookie's name: cookies are shared by all ports of a host."""
    return hashlib.sha256(f"installation:{operator_key(home)}".encode()).hexdigest()[:16]


def bind(home: Home, port: int | None) -> socket.socket:
    """The named port; else the one it had before, or the next that is free."""
    if port is not None:
        bound = _bound(port)
        if bound is None:
            raise UserError(f"Port {port} is taken.", hint="`toryo web` alone takes the next free one.")
        return bound
    before = web_note.noted(home)
    wanted = [before.port] if before else []
    for one in (*wanted, *range(FIRST_PORT, FIRST_PORT + PORTS)):
        bound = _bound(one)
        if bound is not None:
            return bound
    raise UserError(f"Ports {FIRST_PORT} to {FIRST_PORT + PORTS - 1} are taken.", hint="`toryo web --port N`")


def _bound(port: int) -> socket.socket | None:
    # with its protocol named: asyncio sends small answers at once (TCP_NODELAY) only then, not 40 ms later
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((LOOPBACK, port))
        bound.listen(128)
    except OSError:
        bound.close()
        return None
    return bound
