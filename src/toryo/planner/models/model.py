"""Requests to a model and its replies, whoever serves it; and the ways in which there is no reply.

Two kinds serve: http.py, an endpoint that speaks as OpenAI does, and cli.py, an agent CLI of this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from toryo.domain.errors import ToryoError, Unavailable, UserError

Cost = Literal["observed", "estimated", "unknown"]


class Voice(StrEnum):
    PERSON = "person"
    MODEL = "model"


@dataclass(frozen=True)
class Turn:
    voice: Voice
    text: str


@dataclass(frozen=True)
class Request:
    purpose: str
    instructions: str
    turns: tuple[Turn, ...]
    """The first and the last are the person's."""

    def after(self, answer: str, words: str) -> Request:
        """The same conversation, gone on with."""
        more = (Turn(Voice.MODEL, answer), Turn(Voice.PERSON, words))
        return Request(self.purpose, self.instructions, (*self.turns, *more))


@dataclass(frozen=True)
class Usage:
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    cost: Cost = "unknown"

    def __add__(self, other: Usage) -> Usage:
        """A sum is known only where every part is, and observed only where every part was."""
        if not self.calls or not other.calls:
            return self if self.calls else other
        costs = (self.cost_usd, other.cost_usd)
        known = None not in costs
        label: Cost = "observed" if self.cost == other.cost == "observed" else "estimated"
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(one for one in costs if one is not None) if known else None,
            label if known else "unknown",
        )


NOTHING = Usage()


@dataclass(frozen=True)
class Reply:
    text: str
    usage: Usage
    model: str = ""
    """As the service names it."""
    cut: bool = False
    """It came to the longest that the service gives: the end is missing."""


class Model(Protocol):
    @property
    def via(self) -> str:
        """`http`, or the name of the CLI."""

    def ask(self, request: Request) -> Reply:
        """One call, without trying again. NoReply says why there is none."""

    def close(self) -> None:
        """End what is under way."""


class NoReply(ToryoError):
    """The model did not answer."""


class Outage(NoReply, Unavailable):
    """The model cannot be reached or is overloaded: asked again later."""

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        super().__init__(message, hint="It is asked again by itself.")
        self.after_s = after_s
        """How long the service wants us to wait at least."""


class UsageLimit(NoReply, Unavailable):
    """The account has come to its limit."""

    def __init__(self, message: str, *, until: str = "") -> None:
        super().__init__(message, hint="It is asked again when the limit has ended.")
        self.until = until
        """ISO-8601 UTC; empty: nobody said."""


class ModelRefused(NoReply, UserError):
    """The service refuses: the key, the model's name or the address is wrong."""

    way_out = "Mend base_url, model or key of the planner, then `toryo planner check`."


class TooLong(ModelRefused):
    """The request is longer than the model's window."""

    way_out = "Tell the window in tokens: `toryo config set planner.window 32000`."
