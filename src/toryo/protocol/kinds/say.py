"""The order to say words to a running agent."""

from __future__ import annotations

from typing import Literal

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem


class SayInputs(Model):
    """Words of a person (or another agent) for a running agent."""

    run: str
    message: str
    """Id; the same one is not spoken twice."""
    text: str
    """Blob hash."""
    words: str = ""
    """The text itself, where it is short; added to the answer of next_orders, never stored."""
    speaker: Literal["person", "unit"] = "person"
    """Whose they are; a message of a unit says so in its own line."""
    number: int = 0
    """Counts what was said to this run, so that it is heard in that order."""


class SayWaiting(Model):
    """The words lie where the agent takes them at its next step; who will take them."""

    reader: Literal["hook", "program"]
    """A hook of the agent CLI, or the program itself, if it looks."""


class Spoken(Model):
    problem: Problem | None = None
    """`unheard`: the run ended before anybody took the words."""
    delivered: bool = False
    seen: bool = False
    """Whether the words were seen on the agent's screen, or taken by its program."""


KINDS = (Kind(OrderKind.SAY, SayInputs, {"spoken": Spoken}, {"say_waiting": SayWaiting}),)
