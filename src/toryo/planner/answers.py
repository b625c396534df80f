"""Answers of a model: one JSON object in the form of its purpose, checked here, never guessed. No I/O.

The forms themselves are in protocol/kinds/planner.py: the head reads the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from toryo.domain.words import OrderKind
from toryo.planner.json_text import objects_in
from toryo.protocol.base import Model
from toryo.protocol.kinds.planner import ANSWERS, PlanAnswer, PlannedTask

CHECK = "check"
"""Only whether a model is there and answers in JSON."""
PURPOSES = (*(str(kind) for kind in ANSWERS), CHECK)
NEEDED: dict[str, tuple[str, ...]] = {
    OrderKind.QUESTION: ("questions",),
    OrderKind.ANALYZE: ("findings",),
    OrderKind.IMPACT: ("affected",),
}
"""Keys that have a default in the form, and without which an object is no answer but something quoted."""
MOST_COMPLAINTS = 8


@dataclass(frozen=True)
class Read:
    """What was made of a text: a value, or the complaints about it."""

    value: dict[str, Any] | None
    complaints: tuple[str, ...] = ()

    @property
    def json(self) -> str:
        return json.dumps(self.value, ensure_ascii=False)


def read(purpose: str, text: str) -> Read:
    """The longest object that has the form; fields that the form does not know are left out."""
    found = objects_in(text)
    complaints: tuple[str, ...] = (found.complaint,)
    for number, one in enumerate(found.objects):
        checked = _checked(purpose, one)
        if checked.value is not None:
            return checked
        complaints = checked.complaints if number == 0 else complaints
    return Read(None, complaints)


def _checked(purpose: str, found: dict[str, Any]) -> Read:
    if purpose == CHECK:
        return Read(found)
    missing = tuple(f"{key}: is missing" for key in NEEDED.get(purpose, ()) if key not in found)
    return Read(None, missing) if missing else _formed(ANSWERS[OrderKind(purpose)], found)


def _formed(form: type[Model], found: dict[str, Any]) -> Read:
    try:
        return Read(form.model_validate(found).model_dump(mode="json"))
    except ValidationError as wrong:
        errors = wrong.errors(include_url=False, include_input=False)[:MOST_COMPLAINTS]
        return Read(None, tuple(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in errors))


class SpecPart(Model):
    spec: str


class OutlinePart(Model):
    plan: str
    parallelism: int = 1


class TasksPart(Model):
    tasks: tuple[PlannedTask, ...]


TASKS_A_PART = 6
MOST_PARTS = 16
"""Of a plan; one that does not end with them is refused, never cut without a word."""


@dataclass(frozen=True)
class Parts:
    """A plan that is too long for one answer: its spec, then its outline, then its tasks, a few at a time."""

    values: tuple[dict[str, Any], ...] = ()
    is_whole: bool = False

    @property
    def number(self) -> int:
        """Of the part that is asked for next, from 1."""
        return len(self.values) + 1

    @property
    def is_endless(self) -> bool:
        return len(self.values) > MOST_PARTS

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(str(task["id"]) for value in self.values for task in value.get("tasks", ()))

    def read(self, text: str) -> Read:
        form = (SpecPart, OutlinePart)[self.number - 1] if self.number <= 2 else TasksPart
        complaints: tuple[str, ...] = ()
        found = objects_in(text)
        for one in found.objects:
            checked = _formed(form, one)
            if checked.value is not None and one.get("part", self.number) != self.number:
                checked = Read(None, (f"part: must be {self.number}",))
            if checked.value is not None:
                return checked
            complaints = complaints or checked.complaints
        return Read(None, complaints or (found.complaint,))

    def with_part(self, value: dict[str, Any]) -> Parts:
        """An empty list of tasks ends the plan. A task that was told before is left out."""
        if "tasks" in value:
            fresh = [task for task in value["tasks"] if task["id"] not in self.ids]
            if not fresh:
                return Parts(self.values, is_whole=True)
            value = {"tasks": fresh}
        return Parts((*self.values, value))

    def joined(self) -> Read:
        """The plan as if it had come in one answer."""
        whole: dict[str, Any] = {"tasks": []}
        for value in self.values:
            tasks = value.get("tasks", [])
            whole |= {**value, "tasks": [*whole["tasks"], *tasks]}
        return _formed(PlanAnswer, whole)
