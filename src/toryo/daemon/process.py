"""Daemon process: joins lock, log, store, head and socket, and takes them apart again."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import structlog

from toryo import __version__
from toryo.clock import wall
from toryo.daemon import life, logs
from toryo.daemon.core.head import Head
from toryo.daemon.core.writers import Writer, WriterInLoop, WriterThread
from toryo.daemon.credentials import Keys, operator_key
from toryo.daemon.mcp.calls import Calls
from toryo.daemon.mcp.socket_server import SocketServer
from toryo.daemon.tools.registry import Registry
from toryo.domain.errors import ToryoError
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.processes import own_pid
from toryo.settings import Home
from toryo.store.database.blobs import Blobs
from toryo.store.database.engine import Store
from toryo.store.tables import meta
from toryo.usecases.credentials import hash_token

M_MMAP_THRESHOLD = -3
"""Its name in glibc's malloc.h."""

GARBAGE = 20_000
"""New objects after which Python looks for circles among them in the middle of whatever is asked."""

log = structlog.get_logger("toryo.daemon")


def run_daemon(
    home: Home,
    *,
    foreground: bool,
    tools: Registry,
    database: str | Path | None = None,
    clock: Callable[[], float] = wall,
) -> int:
    """Serve until asked to leave; the exit code. `foreground` shows the log on stderr too."""
    os.umask(0o077)
    try:
        life.make_private(home)
        lock = life.take_lock(home)
        try:
            logs.configure(home.logs, also=sys.stderr if foreground else None)
            _raise_file_limit()
            _give_memory_back()
            asyncio.run(_serve(home, lock, tools, database or home.database, clock))
        finally:
            lock.release()
    except ToryoError as error:
        sys.stderr.write(f"Error: {error.message}\n" + (f"Hint: {error.hint}\n" if error.hint else ""))
        return 1
    return 0


async def _serve(
    home: Home,
    lock: life.Lock,
    tools: Registry,
    database: str | Path,
    clock: Callable[[], float],
) -> None:
    keys_text = operator_key(home.operator_key)
    writer = writer_for(database)
    context = await writer.run(open_context, home, database, clock)
    head = Head(
        context,
        writer,
        alive_at=lock.left_at,
        on_tick=lambda: lock.touch(clock()),
    )
    try:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(name, head.stop)
        bound, path = life.listen(home)
        try:
            await head.start()
            keys = Keys(hash_token(keys_text), context.secret)
            server = SocketServer(Calls(head, tools, keys))
            await server.start(bound)
            gc.freeze()  # what start-up made stays for ever: looking through it again only delays answers
            gc.set_threshold(GARBAGE)  # the head looks for it when nobody waits
            log.info("listening", socket=str(path), pid=context.pid, version=context.version)
            await head.stopped.wait()
            log.info("stopping", uptime_s=round(head.uptime_s, 1))
            await server.close()
        finally:
            bound.close()
            life.leave(home, path)
    finally:
        await head.close()
        context.store.close()


def writer_for(database: str | Path) -> Writer:
    return WriterThread() if str(database).startswith("postgresql") else WriterInLoop()


def open_context(home: Home, database: str | Path, clock: Callable[[], float] = wall) -> HeadContext:
    """In the writer: the store and what use cases need besides."""
    store = Store.open(database, backups=home.backups, clock=clock)
    if store.recovered:
        log.error("database_recovered", what=store.recovered)
    with store.change() as tx:
        installation = meta.get(tx, "installation")
        if installation is None:
            installation = new_id("i")
            meta.put(tx, "installation", installation)
        secret = meta.secret(tx, "runs")
    return HeadContext(
        store=store,
        blobs=Blobs(home.blobs),
        clock=clock,
        home=home,
        installation=installation,
        secret=secret,
        version=__version__,
        started_at=clock(),
        pid=own_pid(),
    )


def _raise_file_limit() -> None:
    """Each connection is a file; the usual soft limit (1024, 256 on macOS) is less than the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8192 if hard == resource.RLIM_INFINITY else min(8192, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _give_memory_back() -> None:
    """Large answers and long lines go back to the system when they are gone. Left alone, glibc keeps ever
    larger ones, and the daemon stays as large as it was at its worst moment."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(M_MMAP_THRESHOLD, 256 * 1024)
