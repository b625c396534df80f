"""Answers of `toryo why`: what a status stands on, and who moves it on."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.answer import Answer


class SubjectView(TypedDict):
    kind: str
    id: str
    title: str


class FactView(TypedDict):
    what: str
    at: str | None
    age_s: float
    row: str
    """The row of the store that says so: `kind:id`."""


class LinkView(TypedDict):
    subject: str
    status: str
    reason: str


class Why(Answer):
    subject: SubjectView
    status: str
    reason: str
    sentence: str
    facts: list[FactView]
    waits_for: list[LinkView]
    turn: str
    """person, agent, toryo, service or nobody."""
    actions: list[ActionView]
    dead: bool
    dead_at: str | None
