"""Shared reads: what several browsers look at is asked once for all of them, and not too often."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toryo.fronts.daemon_line import DaemonLine


class SharedReads:
    def __init__(self, line: DaemonLine) -> None:
        self._line = line
        self._asked: dict[str, asyncio.Task[dict[str, Any]]] = {}

    async def read(
        self, tool: str, arguments: Mapping[str, Any], *, limit_s: float, kept_s: float
    ) -> dict[str, Any]:
        """The answer that is on its way, or was given less than `kept_s` ago; else a new one."""
        key = json.dumps([tool, arguments], sort_keys=True)
        asked = self._asked.get(key)
        if asked is None:
            call = self._line.call(tool, arguments, timeout_s=limit_s)
            asked = self._asked[key] = asyncio.create_task(call, name=f"shared {tool}")
            asked.add_done_callback(lambda done: self._answered(key, done, kept_s))
        # one browser that leaves does not take it from the others
        return await asyncio.shield(asked)

    def _answered(self, key: str, done: asyncio.Task[dict[str, Any]], kept_s: float) -> None:
        if not done.cancelled():
            done.exception()  # read, though everybody may have left
        asyncio.get_running_loop().call_later(kept_s, self._asked.pop, key, None)
