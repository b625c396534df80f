"""Line to the daemon from an event loop: calls beside each other, each on a connection of its own meanwhile.

The envelope is `protocol.wire`'s; a call is never repeated here: only the caller knows
whether it may be.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from toryo.fronts.processes.reach import operator_key
from toryo.protocol import wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toryo.settings import Home

QUICK_S = 60.0
LONG_S = 600.0
LANES = {QUICK_S: 16, LONG_S: 4, float("inf"): 3}
"""How many calls are under way at once, by the longest time that they may take: one that takes minutes holds
up none that takes moments."""
MOST_IDLE = 4
LONGEST_ANSWER = 64 * 1024 * 1024
ANSWER_WITHIN_S = QUICK_S


class _Channel:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.calls = 0

    @property
    def is_open(self) -> bool:
        return not (self.reader.at_eof() or self.writer.is_closing() or self.reader.exception())


class DaemonLine:
    def __init__(self, home: Home) -> None:
        self._home = home
        self._idle: list[_Channel] = []
        self._lanes = {limit_s: asyncio.Semaphore(most) for limit_s, most in LANES.items()}
        self._events = asyncio.Semaphore(1)

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, timeout_s: float = ANSWER_WITHIN_S
    ) -> dict[str, Any]:
        """The answer's body; `wire.ToolFailed` if it says `success: false`, `wire.WireError` without one.

        Cancelled, its connection is closed, and the daemon asks nobody for it any more."""
        async with self._lane(tool, arguments, timeout_s):
            channel = await self._channel()
            try:
                async with asyncio.timeout(timeout_s):
                    body = await self._ask(channel, tool, dict(arguments))
            except BaseException as broken:
                channel.writer.close()  # a half-read answer would be taken for the next call's
                if isinstance(broken, TimeoutError):
                    raise wire.Unanswered(f"The daemon did not answer {tool} in time.") from broken
                if isinstance(broken, OSError | EOFError):
                    lost = f"The connection to the daemon was lost during {tool}."
                    raise wire.Unanswered(lost, hint=wire.START) from broken
                raise
            self._keep(channel)
        if body.get("success") is False:
            raise wire.ToolFailed(body)
        return body

    def _lane(self, tool: str, arguments: Mapping[str, Any], timeout_s: float) -> asyncio.Semaphore:
        if tool == "list_events" and arguments.get("wait_s"):
            return self._events  # who follows never waits for who asks
        return next(lane for limit_s, lane in self._lanes.items() if timeout_s <= limit_s)

    async def _ask(self, channel: _Channel, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        channel.calls += 1
        channel.writer.write(wire.request_line(channel.calls, tool, arguments, operator_key(self._home)))
        await channel.writer.drain()
        while True:
            line = await channel.reader.readuntil(b"\n")
            answer = json.loads(line)
            if answer.get("id") in (channel.calls, None) and ("result" in answer or "error" in answer):
                return wire.answer_body(answer)

    async def _channel(self) -> _Channel:
        while self._idle:
            known = self._idle.pop()
            if known.is_open:
                return known
            known.writer.close()
        try:
            reader, writer = await asyncio.open_unix_connection(self._home.address(), limit=LONGEST_ANSWER)
        except OSError as absent:
            raise wire.WireError("The daemon is not running.", hint=wire.START) from absent
        return _Channel(reader, writer)

    def _keep(self, channel: _Channel) -> None:
        if len(self._idle) < MOST_IDLE and channel.is_open:
            self._idle.append(channel)
        else:
            channel.writer.close()

    async def close(self) -> None:
        for channel in self._idle:
            channel.writer.close()
            with contextlib.suppress(OSError):
                await channel.writer.wait_closed()
        self._idle.clear()
