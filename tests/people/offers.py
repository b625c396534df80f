"""What Toryo offers a person for each thing that waits, done line by line: something must lead on."""

from __future__ import annotations

import re
import shlex
from typing import Any

from acts import Person
from ground import Ground

ROUNDS = 4
"""Of doing what is offered, until a new task has landed."""


def lead_on(person: Person) -> list[str]:
    """Do what Toryo offers for each thing that waits for a person; which of them nothing led on."""
    seen: set[str] = set()
    stuck = []
    # one may be led on together with another: what is offered is asked for again each time
    while left := [wish for wish in person.ground.needs_you() if wish["task"] not in seen]:
        wish = left[0]
        seen.add(wish["task"])
        if not any(_leads_on(person, wish, line) for line in wish["lines"]):
            stuck.append(f"{wish['task']} {wish['why']}: nothing of this leads on: {wish['lines']}")
    return stuck


def lands_one_more(person: Person) -> list[str]:
    """Whatever happened, a good new task lands once what Toryo offers was done."""
    made = person.ground.read("task", "add", "new a.txt")["id"]
    for _ in range(ROUNDS):
        person.ground.settle()
        task = person.ground.task(made)
        if task["status"] == "done":
            return []
        told = lead_on(person)
        if told:
            return told
    return [f"nothing lands any more: {made} is {task['status']} {task['reason']} {task['detail']}"]


def _leads_on(person: Person, wish: dict[str, Any], line: str) -> bool:
    """Also by what the hint says, where the line is refused."""
    before = _state(person.ground, wish["task"])
    hint = _type(person, line)
    if hint:
        _type(person, hint)
    person.ground.settle()
    return _state(person.ground, wish["task"]) != before


def _type(person: Person, line: str) -> str:
    """The line that the hint names, if it was refused."""
    words = shlex.split(line)
    person.promises.before_act()
    person.ground.said.append(f"── as offered: {line}")
    hint = ""
    if words[0] == "toryo":
        code, out = person.ground.typed(*words[1:])
        named = re.search(r"Hint: .*?`(toryo [^`]+)`", out)
        hint = named[1] if code and named else ""
    else:
        person.git(*words[1:])
    person.promises.after_act()
    return hint


def _state(ground: Ground, task: str) -> Any:
    """Of a task, or of a target that no task speaks of."""
    listed = [(one["why"], one["status"]) for one in ground.needs_you() if one["task"] == task]
    if task not in {one["id"] for one in ground.tasks()}:
        return listed
    found = ground.task(task)
    return found["status"], found["reason"], [run["id"] for run in found["runs"]], listed
