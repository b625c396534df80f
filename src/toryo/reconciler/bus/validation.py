"""Validation of a message: its type, its data, and who may tell whom. Pure."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.domain.errors import Refused, UserError
from toryo.domain.ids import TaskId
from toryo.domain.words import MessageType

LARGEST = 16_384
"""Bytes of a message's data as JSON: it is typed, and stands in prompts."""
DEEPEST = 20


class BadMessage(UserError):
    """This is no message of a unit."""

    way_out = """For example: toryo post --type progress --data '{"message": "half way"}'"""


class NotRelated(Refused):
    """Only a parent unit and its own child may tell each other anything."""

    way_out = "Tell your parent (`toryo post`) or a child of yours (`toryo send --to unit:ID`)."


@dataclass(frozen=True)
class Member:
    """A unit in its tree."""

    task: TaskId
    unit: str
    parent: TaskId
    """The task of its parent unit; empty: it is the root."""


def checked_type(text: str) -> MessageType:
    if text in set(MessageType):
        return MessageType(text)
    near = difflib.get_close_matches(text, [one.value for one in MessageType], 1)
    meant = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(MessageType)}."
    raise BadMessage(f"There is no message type {text[:80]!r}.", hint=meant)


def checked_data(type: MessageType, data: object) -> dict[str, Any]:
    """The data as it is kept; a `result` says whether it is an error."""
    if not isinstance(data, Mapping):
        raise BadMessage("The data of a message must be a JSON object.")
    if _depth(data) > DEEPEST:
        raise BadMessage(f"The data of a message is nested deeper than {DEEPEST}.")
    kept = dict(data)
    try:
        size = len(json.dumps(kept, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    except (TypeError, ValueError):
        raise BadMessage("The data of a message holds what JSON has no word for.") from None
    if size > LARGEST:
        hint = "Put it into a file, commit it, and name the file."
        raise BadMessage(f"The data of a message has {size} bytes, more than {LARGEST}.", hint=hint)
    if type is MessageType.RESULT and not isinstance(kept.get("is_error"), bool):
        hint = """toryo post --type result --data '{"is_error": false}'"""
        raise BadMessage("A result must say `is_error`: true or false.", hint=hint)
    return kept


def _depth(data: object) -> int:
    """Counted without recursion, and no further than it matters."""
    depth, level = 0, [data]
    while level and depth <= DEEPEST + 1:
        depth += 1
        inner: list[object] = []
        for one in level:
            if isinstance(one, Mapping):
                inner += one.values()
            elif isinstance(one, list | tuple):
                inner += one
        level = inner
    return depth


def refuse_strangers(sender: Member, receiver: Member) -> None:
    """Parent and child only: no sibling, no other generation, nobody itself."""
    related = sender.parent == receiver.task or receiver.parent == sender.task
    if not related or sender.task == receiver.task:
        raise NotRelated(f"{receiver.unit} is neither the parent of {sender.unit} nor a child of it.")
