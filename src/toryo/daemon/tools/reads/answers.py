"""Answer of an ask as the tools of people give it on."""

from __future__ import annotations

from typing import Any

from toryo.daemon.core.head import Head
from toryo.engine.context import Caller
from toryo.usecases.asks.read import Read
from toryo.usecases.runs.remote_reads import refuse_problem


async def answered(head: Head, caller: Caller, read: Read, within_s: float) -> dict[str, Any]:
    """The answer's body; a problem that the coordinator has with it is the caller's to mend."""
    return refuse_problem(await head.asks.ask(caller.connection, read, within_s))
