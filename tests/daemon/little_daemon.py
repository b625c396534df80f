"""A whole daemon with a handful of toy tools, as a process of its own or to be called from a test."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.process import run_daemon
from toryo.daemon.tools.registry import (
    AGENTS,
    COORDINATORS,
    EVERYBODY,
    PEOPLE,
    Arguments,
    Registry,
    Tool,
    through,
)
from toryo.daemon.tools.table import OWN
from toryo.domain.errors import Refused
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.wire import WireError, call
from toryo.settings import Home
from toryo.store.database.rows import CoordinatorRow
from toryo.store.tables import coordinators, meta
from toryo.usecases.credentials import hash_token, new_coordinator_key
from waiting import eventually


class Echo(Arguments):
    text: str
    times: int = 1


class Named(Arguments):
    name: str = "it"


class Wait(Arguments):
    seen: int = 0
    wait_s: float = Field(default=5, le=30)


class Big(Arguments):
    size: int


async def echo(head: Head, caller: Caller, args: Echo) -> dict[str, Any]:
    return {"echo": args.text * args.times, "kind": caller.kind, "run": caller.run, "at": caller.place}


async def boom(head: Head, caller: Caller, args: Named) -> dict[str, Any]:
    raise KeyError("no such key sess_0123456789012345678901234567890123456789")


async def unserialisable(head: Head, caller: Caller, args: Named) -> dict[str, Any]:
    return {"value": object()}


async def big(head: Head, caller: Caller, args: Big) -> dict[str, Any]:
    return {"text": "x" * args.size}


def refuse(context: HeadContext, caller: Caller, args: Named) -> dict[str, Any]:
    raise Refused(f"{args.name} is busy", hint="try `toryo task retry`")


def add(context: HeadContext, caller: Caller, args: Named) -> dict[str, Any]:
    with context.store.change() as tx:
        count = int(meta.get(tx, "count") or 0) + 1
        meta.put(tx, "count", str(count))
        tx.emit("counted", {"count": count})
        tx.mark("toy:count")
    return {"count": count}


async def wait_for_count(head: Head, caller: Caller, args: Wait) -> dict[str, Any]:
    def ask(context: HeadContext) -> tuple[bool, dict[str, Any]]:
        with context.store.read() as tx:
            count = int(meta.get(tx, "count") or 0)
        return count > args.seen, {"count": count}

    return await head.until(("events",), args.wait_s, ask)


def issue_key(context: HeadContext, caller: Caller, args: Named) -> dict[str, Any]:
    key = new_coordinator_key()
    with context.store.change() as tx:
        coordinators.insert(
            tx,
            CoordinatorRow(
                id=f"m/{args.name}", machine="m", name=args.name, key_hash=hash_token(key), clients={}
            ),
        )
    return {"key": key}


def toys() -> Registry:
    return Registry(
        (
            *OWN,
            Tool("echo", EVERYBODY, Echo, echo, "Say it again."),
            Tool("add", PEOPLE, Named, through(add), "Count one up."),
            Tool("wait_for_count", PEOPLE, Wait, wait_for_count, "Wait until the count is higher."),
            Tool("refuse", PEOPLE, Named, through(refuse), "Never works."),
            Tool("boom", PEOPLE, Named, boom, "A bug."),
            Tool("unserialisable", PEOPLE, Named, unserialisable, "Another bug."),
            Tool("big", PEOPLE, Big, big, "A large answer."),
            Tool("issue_key", PEOPLE, Named, through(issue_key), "A coordinator's key."),
            Tool("claim_run", COORDINATORS, Named, through(add), "For coordinators."),
            Tool("get_my_task", AGENTS, Named, echo_name, "For agents."),
        )
    )


async def echo_name(head: Head, caller: Caller, args: Named) -> dict[str, Any]:
    return {"task": args.name, "run": caller.run}


class LittleDaemon:
    """The process, and calls to it with the operator's key."""

    def __init__(self, home: Home, *, log: Path) -> None:
        self.home = home
        with open(log, "ab") as sink:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(home.path)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
            )

    def wait_until_it_answers(self) -> LittleDaemon:
        eventually(self._answers, within_s=30, what="the daemon answers")
        return self

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return call(self.home.socket_in_use(), tool, arguments, self.operator)

    @property
    def operator(self) -> str:
        return self.home.operator_key.read_text().strip()

    def secret(self) -> bytes:
        """As only the daemon knows it: read from its database while it runs."""
        with contextlib.closing(sqlite3.connect(self.home.database)) as conn:
            (value,) = conn.execute("SELECT value FROM secrets WHERE name = 'runs'").fetchone()
        return bytes(value)

    def end(self) -> int:
        self.process.terminate()
        return self.process.wait(20)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the daemon ended"
        try:
            return call(self.home.socket_in_use(), "health_check", {}, "", 5)["status"] == "ok"
        except WireError:
            return False


if __name__ == "__main__":
    sys.exit(
        run_daemon(
            Home(Path(sys.argv[1])),
            foreground=True,
            tools=toys(),
        )
    )
