"""Report of an order that a caller waits for."""

from __future__ import annotations

from typing import Any

from toryo.daemon.core.changes import place_topic
from toryo.daemon.core.head import Head
from toryo.engine.context import HeadContext
from toryo.usecases.runs import remote_reads


async def until_reported(head: Head, order: str, kind: str, timeout_s: float) -> dict[str, Any]:
    """The final fact's body; after `timeout_s` the order is withdrawn and the caller told."""

    def question(context: HeadContext) -> tuple[bool, dict[str, Any] | None]:
        return remote_reads.answer(context, order)

    place = await head.do(remote_reads.place_of, order)
    body = await head.until((place_topic(place),), timeout_s, question)
    if body is None:
        await head.do(remote_reads.give_up, order)
        raise remote_reads.nobody_answered(kind)
    return body
