"""Rows of the work screen: project → mission → task → its children in an order that never changes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toryo.fronts.text.output import one_line
from toryo.fronts.text.steps import MOVING_SIGN, SIGNS
from toryo.fronts.tui.row_list import Row

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

WORST = (
    "failed",
    "needs_review",
    "awaiting_approval",
    "questioning",
    "paused",
    "blocked",
    "running",
    "verifying",
    "landing",
    "planning",
    "active",
    "ready",
    "open",
    "queued",
    "done",
    "completed",
    "cancelled",
)
"""Which of its children a folded row shows: the first of these."""
OPEN, FOLDED = "▾", "▸"
PROJECT, MISSION, TASK = "project", "mission", "task"
NO_PARENT = ""


class Tree:
    """What is known of the work, and which rows are folded."""

    def __init__(self) -> None:
        self.folded: set[str] = set()
        self.only_waiting = False
        self.filter = ""
        self._below: dict[str, list[str]] = {}
        self._things: dict[str, dict[str, Any]] = {}
        self._worst: dict[str, str] = {}

    def put(
        self,
        projects: Sequence[Mapping[str, Any]],
        missions: Sequence[Mapping[str, Any]],
        tasks: Sequence[Mapping[str, Any]],
    ) -> None:
        """All that is shown, in the order in which it was made."""
        self._things, self._below, self._worst = {}, {"": []}, {}
        for one in projects:
            self._add(f"{PROJECT}:{one['id']}", "", {**one, "title": one["name"], "status": ""})
        for one in sorted(missions, key=lambda one: one["seq"]):
            self._add(f"{MISSION}:{one['id']}", f"{PROJECT}:{one['project']}", one)
        for one in sorted(tasks, key=lambda one: one["seq"]):
            self._add(f"{TASK}:{one['id']}", self._above(one), one)

    def _above(self, task: Mapping[str, Any]) -> str:
        """Whoever spawned it comes before its mission."""
        parent = f"{TASK}:{task.get('parent')}"
        if parent in self._things:
            return parent
        mission = f"{MISSION}:{task['mission']}"
        return mission if mission in self._things else f"{PROJECT}:{task['project']}"

    def _add(self, key: str, above: str, thing: Mapping[str, Any]) -> None:
        self._things[key] = dict(thing)
        self._below.setdefault(above if above in self._things else "", []).append(key)

    def thing(self, key: str) -> dict[str, Any]:
        return self._things.get(key, {})

    def fold(self, key: str) -> str:
        """Fold or unfold it, or fold what it stands below; the row to stand on then."""
        if not self._below.get(key):
            above = next((one for one, below in self._below.items() if key in below), "")
            if not above:
                return key
            key = above
        self.folded ^= {key}
        return key

    def unfold(self, key: str) -> None:
        """So that it is seen."""
        above = key
        while above := next((one for one, below in self._below.items() if above in below), ""):
            self.folded.discard(above)

    def worst(self, key: str) -> str:
        if key not in self._worst:
            own = str(self.thing(key).get("status") or "")
            found = [own, *(self.worst(one) for one in self._below.get(key, ()))]
            known = [status for status in found if status in WORST]
            self._worst[key] = min(known, key=WORST.index) if known else own
        return self._worst[key]

    def rows(self, waiting: Collection[str]) -> list[Row]:
        """Those that are seen; `waiting` are the keys of what needs a person."""
        found: list[Row] = []
        wanted = self._wanted(waiting)
        is_narrowed = self.only_waiting or bool(self.filter)
        stack = [(key, 0) for key in reversed(self._below.get("", []))]
        while stack:
            key, depth = stack.pop()
            if key not in wanted:
                continue
            below = [one for one in self._below.get(key, ()) if one in wanted]
            is_folded = key in self.folded and not is_narrowed
            found.append(self._row(key, depth, bool(below), is_folded, key in waiting))
            if not is_folded:
                stack += [(one, depth + 1) for one in reversed(below)]
        return found

    def _wanted(self, waiting: Collection[str]) -> set[str]:
        """What the filter leaves, with what it stands below."""
        if not self.only_waiting and not self.filter:
            return set(self._things)
        found: set[str] = set()

        def keep(key: str) -> bool:
            below = [keep(one) for one in self._below.get(key, ())]
            thing = self.thing(key)
            text = f"{thing.get('id')} {thing.get('title')} {thing.get('status')} {thing.get('agent', '')}"
            is_wanted = (not self.only_waiting or key in waiting) and self.filter.lower() in text.lower()
            if is_wanted or any(below):
                found.add(key)
                return True
            return False

        for key in self._below.get("", ()):
            keep(key)
        return found

    def _row(self, key: str, depth: int, has_below: bool, is_folded: bool, waits: bool) -> Row:
        thing = self.thing(key)
        status = self.worst(key) if is_folded or not thing.get("status") else str(thing["status"])
        sign, style = SIGNS.get(status, (MOVING_SIGN, "cyan"))
        mark = (FOLDED if is_folded else OPEN) if has_below else " "
        title = one_line(str(thing.get("title") or thing.get("text") or ""))
        name = "bold" if key.startswith(PROJECT) else "" if waits or status not in QUIET else "dim"
        left = ((f"{'  ' * depth}{mark} ", "dim"), (f"{sign} ", style), (title, name))
        shown = status.replace("_", " ") if not key.startswith(PROJECT) or is_folded else ""
        if is_folded and has_below:
            shown = f"worst: {shown}"
        mark = " !" if waits else "  "
        return Row(key, left, ((shown, "bold yellow" if waits else style), (mark, "bold yellow")))


QUIET = ("done", "cancelled", "completed")


def attention_rows(needs: Sequence[Mapping[str, Any]]) -> list[Row]:
    """What needs a person, in the daemon's order."""
    rows = []
    for one in needs:
        sign, style = SIGNS.get(str(one["status"]), ("◆", "yellow"))
        frees = f" +{one['unblocks']}" if one["unblocks"] else ""
        reason = str(one["reason"] or one["status"]).partition(":")[0].replace("_", " ")
        left = ((f"{sign} ", style), (one_line(str(one["title"])), "bold"))
        rows.append(Row(str(one["subject"]), left, ((f"{reason}{frees}", style),)))
    return rows
