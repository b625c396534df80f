"""Tool calls, whichever way they came in: who calls, what the tool answers, and the result made of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import structlog

from toryo.daemon.core.head import Head
from toryo.daemon.credentials import Keys, Recognised, UnknownCredential, identify_place
from toryo.daemon.tools.answers import failure, failure_of, result, with_next_step
from toryo.daemon.tools.registry import Registry
from toryo.engine.context import Caller
from toryo.protocol.wire import VERSION

log = structlog.get_logger("toryo.daemon.mcp")


class Calls:
    def __init__(self, head: Head, tools: Registry, keys: Keys) -> None:
        self.version = head.context.version
        self.tools = tools
        self._head = head
        self._keys = keys
        self._recognised = Recognised()
        head.context.store.listen(self._recognised.committed)

    async def identify(self, credential: str) -> Caller:
        caller = self._keys.identify(credential) or self._recognised.get(credential)
        if caller is not None:
            return caller
        issued = self._recognised.issued
        found = await self._head.do(identify_place, credential)
        return self._recognised.put(credential, found, issued)

    async def answer(
        self, name: str, arguments: dict[str, Any], credential: str, connection: int
    ) -> dict[str, Any]:
        """The result as MCP has it. Every failure is a result too."""
        try:
            caller = replace(await self.identify(credential), connection=connection)
        except UnknownCredential as unknown:
            return result(with_next_step(failure_of(unknown)))  # it may be an agent's
        body = await self.tools.call(self._head, caller, name, arguments)
        try:
            return result(body) | {"_meta": {VERSION: self.version}}
        except (TypeError, ValueError):
            log.exception("answer_is_no_json", tool=name)
            told = f"{name} worked, but its answer is not JSON: a bug in Toryo."
            hint = f"See the newest `answer_is_no_json` in {self._head.context.home.logs / 'daemon.jsonl'}."
            return result(failure(told, hint, bug=True))
