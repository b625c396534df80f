"""Unit files that people and agents write: requirements of any shape, and how a parent divides its work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import yaml

from toryo.domain.errors import UserError
from toryo.domain.units import BREAKDOWN, REQUIREMENTS, Breakdown, WantedChild
from toryo.yaml import complaints

OURS = ("parent_unit", "total_tasks", "tasks")
OF_A_TASK = ("id", "description", "depends_on", "agent", "write", "checks")
ANSIBLE = {"roles", "collections"}
LONGEST = 200_000
MOST_NOTES = 10_000
"""Values in the notes of a breakdown, with what aliases unfold to."""


class RequirementsWrong(UserError):
    """The requirements cannot be read."""


class BreakdownWrong(UserError):
    """The breakdown cannot be read."""


def parse_requirements(text: str, where: str = REQUIREMENTS) -> dict[str, Any]:
    """Any mapping; no key is demanded or refused."""
    if len(text) > LONGEST:
        raise RequirementsWrong(f"{where} is too long.", hint="Put details into files that it names.")
    try:
        found = complaints.load(where, text)
    except complaints.Malformed as error:
        raise RequirementsWrong(f"{error}.", hint=f"Mend {where}; any YAML mapping will do.") from error
    if not isinstance(found, dict) or not found:
        raise RequirementsWrong(
            f"{where}: the top level must be a mapping.",
            hint=f"For example `goal: what is wanted` in {where}.",
        )
    if set(found) <= ANSIBLE:
        raise RequirementsWrong(
            f"{where} holds only {' and '.join(sorted(found))}: it is Ansible's, not what is wanted.",
            hint="Say what is wanted under another key, for example `goal:`, or spawn in another directory.",
        )
    return found


def first_words(found: dict[str, Any]) -> str:
    """A title for requirements: what they call themselves, else their first text."""
    for key in ("title", "name", "project", "goal", "overview", "summary", "description"):
        if isinstance(found.get(key), str) and found[key].strip():
            return _line(found[key])
    text = next((one for one in found.values() if isinstance(one, str) and one.strip()), "")
    return _line(text) if text else ", ".join(str(key) for key in found)[:200]


def _line(text: str) -> str:
    return " ".join(text.split())[:200]


def parse_breakdown(text: str, where: str = BREAKDOWN) -> Breakdown:
    try:
        found = complaints.load(where, text)
    except complaints.Malformed as error:
        raise BreakdownWrong(f"{error}.", hint=f"Mend {where} and spawn again.") from error
    tasks = found.get("tasks") if isinstance(found, dict) else None
    if not isinstance(tasks, list):
        raise BreakdownWrong(
            f"{where} has no list `tasks`.", hint="Each of them has an id and a description."
        )
    notes = {key: value for key, value in found.items() if key not in OURS}
    return replace(breakdown_of(tasks), notes=_Notes(where).plain(notes))


def breakdown_of(tasks: list[Any]) -> Breakdown:
    """A task without an id is passed over, with a warning; its status is the parent's own note."""
    children: dict[str, WantedChild] = {}
    warnings = []
    notes = _Notes(BREAKDOWN)
    for number, one in enumerate(tasks, 1):
        given = one.get("id") if isinstance(one, dict) else None
        id = "" if given is None else str(given).strip()  # 0 is one
        if not id:
            warnings.append(f"task {number} has no id: it is passed over")
        elif id in children:
            warnings.append(f"{id} is there twice: the first one counts")
        else:
            children[id] = _child(id, one, notes)
    return Breakdown(tuple(children.values()), tuple(warnings))


def is_known(there: str, ours: str) -> bool:
    """Whether a breakdown holds nothing that ours lacks: no other task, no other word about one. `completed`
    is no word of the parent's."""
    try:
        found, known = parse_breakdown(there), parse_breakdown(ours)
    except UserError:
        return False
    return found.notes == known.notes and [_bare(one) for one in found.children] == [
        _bare(one) for one in known.children
    ]


def _bare(one: WantedChild) -> WantedChild:
    notes = dict(one.notes)
    if notes.get("status") in (None, "pending", "completed"):
        notes.pop("status", None)
    return replace(one, write=one.write or None, notes=notes)


class _Notes:
    """What else a parent wrote, as JSON keeps it. Counted: aliases unfold to any size."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._count = 0

    def plain(self, value: Any) -> Any:
        self._count += 1
        if self._count > MOST_NOTES:
            raise BreakdownWrong(f"{self._where} is too long.", hint="Put details into files that it names.")
        if isinstance(value, dict):
            return {str(key): self.plain(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(one) for one in value]
        is_kept = value is None or isinstance(value, str | bool | int)
        return value if is_kept else str(value)


def _child(id: str, one: dict[str, Any], notes: _Notes) -> WantedChild:
    more = one.get("requirements")
    return WantedChild(
        id=id,
        description=str(one.get("description") or id)[:LONGEST],
        depends_on=_texts(id, "depends_on", one) or (),
        agent=str(one.get("agent") or ""),
        write=_texts(id, "write", one),
        checks=_texts(id, "checks", one) or (),
        requirements=dump(more) if more else "",
        notes=notes.plain({key: value for key, value in one.items() if key not in OF_A_TASK}),
    )


def _texts(id: str, key: str, one: dict[str, Any]) -> tuple[str, ...] | None:
    found = one.get(key)
    if found is None:
        return None
    if isinstance(found, str):
        return (found,)
    if not isinstance(found, list) or not all(isinstance(word, str | int) for word in found):
        raise BreakdownWrong(f"{BREAKDOWN}: {key} of {id} must be a list of texts.", hint="Mend it there.")
    return tuple(str(word) for word in found)


def dump(value: Any) -> str:
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=100)
    return text
