"""What every dialect has in common: a request as it was asked, an answer as it will be told. No I/O.

The dialects translate between these and what travels; playing.py decides which answer it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Speaker(StrEnum):
    USER = "user"
    MODEL = "model"
    RESULT = "result"
    """What a tool gave back."""


@dataclass(frozen=True)
class Turn:
    speaker: Speaker
    text: str


@dataclass(frozen=True)
class Offered:
    """A tool that the request lets the model call."""

    name: str
    namespace: str = ""
    properties: frozenset[str] = frozenset()
    freeform: bool = False
    """Its argument is one text instead of an object."""

    @property
    def called(self) -> str:
        return f"{self.namespace}__{self.name}" if self.namespace else self.name


@dataclass(frozen=True)
class Asked:
    turns: tuple[Turn, ...]
    tools: tuple[Offered, ...] = ()
    model: str = ""
    stream: bool = False
    schema: Mapping[str, Any] | None = None
    """The JSON schema that the answer must fit, where one was given."""
    purpose: str = ""
    """Of a request of Toryo's planner: what it asks for."""

    @property
    def model_turns(self) -> int:
        return model_turns(self.turns)


def model_turns(turns: tuple[Turn, ...]) -> int:
    """Pieces of one answer that stand side by side are one turn."""
    speakers = [turn.speaker for turn in turns]
    pairs = zip([None, *speakers], speakers, strict=False)
    return sum(now is Speaker.MODEL and before is not Speaker.MODEL for before, now in pairs)


@dataclass(frozen=True)
class ToolCall:
    tool: Offered
    arguments: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    """The argument of a freeform tool."""


@dataclass(frozen=True)
class Usage:
    input: int
    output: int


@dataclass(frozen=True)
class Answer:
    number: int
    """Of the request, for ids that differ."""
    text: str
    usage: Usage
    call: ToolCall | None = None
    cut: bool = False
    """It ended because it came to the longest that the provider gives."""


@dataclass(frozen=True)
class Failure:
    status: int
    message: str = ""
    after_s: float | None = None
    """A limit: how long it still holds."""
    at: float = 0
    """Seconds since 1970, from which `after_s` counts."""


@dataclass(frozen=True)
class Refusal:
    """What a failure looks like on its way: headers and body."""

    headers: Mapping[str, str]
    body: Mapping[str, Any]


Event = tuple[str, Mapping[str, Any] | str]
"""(name of the server-sent event or empty, its data)"""


class Dialect(Protocol):
    """How one provider's clients speak."""

    @property
    def name(self) -> str: ...

    def takes(self, path: str) -> bool:
        """Whether a request to this path asks for an answer."""

    def counts(self, path: str) -> bool:
        """Whether a request to this path asks only how long it is."""

    def read(self, path: str, body: Mapping[str, Any]) -> Asked: ...

    def whole(self, asked: Asked, answer: Answer) -> Mapping[str, Any]: ...

    def events(self, asked: Asked, answer: Answer) -> Iterator[Event]: ...

    def failed(self, failure: Failure) -> Refusal: ...

    def counted(self, tokens: int) -> Mapping[str, Any]: ...


def text_of(value: Any) -> str:
    """The text in a content that is a string, a list of parts, or something deeper."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(text_of, value)))
    if isinstance(value, Mapping):
        for name in ("text", "content", "output"):
            if name in value:
                return text_of(value[name])
    return ""
