"""Waiting for what a coordinator answers to an order."""

from __future__ import annotations

from typing import Any

from toryo.daemon.changes import place_topic
from toryo.daemon.head import Head
from toryo.usecases import asking
from toryo.usecases.context import HeadContext


async def ask(head: Head, order: str, kind: str, timeout_s: float) -> dict[str, Any]:
    """The final fact's body; after `timeout_s` the order is withdrawn and the caller told."""

    def question(context: HeadContext) -> tuple[bool, dict[str, Any] | None]:
        return asking.answer(context, order)

    place = await head.do(asking.place_of, order)
    body = await head.until((place_topic(place),), timeout_s, question)
    if body is None:
        await head.do(asking.give_up, order)
        raise asking.nobody_answered(kind)
    if kind == "read":
        await head.do(asking.forget, order)
    return body
