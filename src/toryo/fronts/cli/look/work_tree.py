"""The tasks of the status page as a tree: by project and mission, what depends on another below it.

Which tasks have room is decided here, running ones first; what is said of each is the daemon's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text.output import ago, columns, cut, one_line, paint, width
from toryo.fronts.text.steps import MOVING_SIGN, SIGNS, STATUS_COLOUR, trail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Task = dict[str, Any]

MOVING = ("running", "verifying", "landing")
WAITING = ("ready", "blocked", "open")
MISSION_KINDS = {
    "planning": 0,
    "active": 0,
    "questioning": 1,
    "awaiting_approval": 1,
    "paused": 1,
    "queued": 2,
}
"""Of missions that go on; those that ended come last, as tasks that did."""
OTHERS = 3
"""What moves is 0, what may start 1, what waits otherwise 2."""
FORK, LAST, PASS, NOTHING = "├─ ", "└─ ", "│  ", "   "
DEEPEST = 4
"""Levels of the tree: what waits at the end of a longer chain stands beside what it waits for."""
TITLE = 32
"""Columns that a title should have: where they are not there, who works is left out."""
SHORTEST = 16
WAITS = 24
"""Columns that are kept for what a task waits for; it has more only where titles leave them."""
BRIEF = (["implement"], ["implement", "green", "on main"])
"""Ways that say nothing the status does not; left out where lines are few."""
FIRST = 2
"""So many of each kind come before more of another."""


class Row:
    """A task in its place."""

    def __init__(self, task: Task, guide: str, above: str, now: float) -> None:
        status = str(task.get("status") or "")
        sign, colour = SIGNS.get(status, (MOVING_SIGN, "cyan"))
        self.guide = guide
        self.sign = paint(sign, colour)
        self.name, self.title = str(task["id"]), one_line(str(task.get("title") or ""))
        self.agent = "" if _is_mission(task) else str(task.get("agent") or "nobody")
        self.state, self.colour = _state(task), STATUS_COLOUR.get(status, "dim")
        self.last = _beside(task, above) if status in WAITING else _since(task, now)
        if _is_mission(task):
            self.last = one_line(str(task.get("detail") or task.get("reason") or "").replace("_", " "))

    @property
    def left(self) -> int:
        return len(self.guide) + 2 + width(self.name) + 2


def draw(answer: dict[str, Any], now: float, room: int = 0) -> list[str]:
    """In at most so many lines, if possible; 0: however many there are."""
    tasks = [*(answer.get("missions") or ()), *(answer.get("work", answer.get("moving")) or ())]
    moving = {task["id"] for task in tasks if _moves(task)}
    tasks.sort(key=lambda task: moving.isdisjoint(task.get("dependencies") or ()))
    for brief, bare in ((False, False), (True, False), (False, True)):
        notes = {task["id"]: "" if bare else _note(task, brief=brief) for task in tasks}
        shown = _chosen(tasks, notes, room)
        if len(shown) == len(tasks) or (brief and all(task in shown for task in tasks if _moves(task))):
            break
    lines = _picture(shown, notes, answer, now)
    more = _more(answer, shown)
    return [*lines, paint(more, "dim")] if more else lines


def least(answer: dict[str, Any]) -> int:
    """Lines that what moves takes, with its projects and the number of the others."""
    listed = [*(answer.get("missions") or ()), *(answer.get("work", answer.get("moving")) or ())]
    moving = [task for task in listed if _kind(task) == 0]
    return len(moving) + len({task.get("project") for task in moving}) + 1


def _moves(task: Task) -> bool:
    return task.get("status") in MOVING


def _chosen(tasks: list[Task], notes: dict[str, str], room: int) -> list[Task]:
    """What moves first; then a few of each kind; then more of them."""
    if not room:
        return tasks
    shown: list[Task] = []
    projects = set()
    used = 1  # for how many more there are
    for task in sorted(tasks, key=lambda task: _rank(task, tasks)):
        cost = 1 + bool(notes[task["id"]]) + (task.get("project") not in projects)
        if used + cost <= room or (len(shown) + 1 == len(tasks) and used + cost <= room + 1):
            used += cost
            projects.add(task.get("project"))
            shown.append(task)
    return shown


def _rank(task: Task, tasks: list[Task]) -> tuple[int, int]:
    kind = _kind(task)
    if kind == 0:
        return 0, tasks.index(task)
    before = sum(_kind(other) == kind for other in tasks[: tasks.index(task)])
    return (kind if before < FIRST else OTHERS + kind), before


def _is_mission(task: Task) -> bool:
    """It has no dependencies, and none below it is a part of a part."""
    return "target" in task and "dependencies" not in task


def _kind(task: Task) -> int:
    status = task.get("status")
    if _is_mission(task):
        return MISSION_KINDS.get(str(status), OTHERS)
    return 0 if status in MOVING else 1 if status == "ready" else 2 if status in WAITING else OTHERS


def _picture(shown: list[Task], notes: dict[str, str], answer: dict[str, Any], now: float) -> list[str]:
    rows: list[Row | str] = []
    for project in dict.fromkeys(str(task.get("project") or "") for task in shown):
        head = _head(project, answer, [task for task in shown if task.get("project") == project])
        rows += [head] if head else []
        mine = [task for task in shown if str(task.get("project") or "") == project]
        rows += _branches(_children(mine), "", "", notes, now)
    wide = _widths([row for row in rows if isinstance(row, Row)])
    return [_line(row, *wide) if isinstance(row, Row) else row for row in rows]


def _head(project: str, answer: dict[str, Any], tasks: list[Task]) -> str:
    known: dict[str, Any] = next(
        (one for one in answer.get("projects") or () if one.get("id") == project), {}
    )
    name = known.get("name") or next((task["project_name"] for task in tasks if task.get("project_name")), "")
    if not name:
        return ""
    where = "  ".join(one_line(str(known[key])) for key in ("base", "path") if known.get(key))
    room = columns() - width(str(name)) - 2
    where = cut(where, room) if room > 0 else where
    return f"{paint(one_line(str(name)), 'bold')}  {paint(where, 'dim')}".rstrip()


def _children(tasks: list[Task]) -> dict[str, list[Task]]:
    """By the task that each waits for, or waited for, else by its mission; empty: the project itself. What
    moves comes first."""
    ids = {str(task["id"]) for task in tasks}
    above = {str(task["id"]): _above(task, ids) for task in tasks}
    found: dict[str, list[Task]] = {}
    for task in tasks:
        parent = above[task["id"]]
        while _depth(parent, above) >= DEEPEST:
            parent = above[parent]
        found.setdefault(parent, []).append(task)
    for siblings in found.values():
        siblings.sort(key=lambda task: _first_kind(task, found))
    return found


def _above(task: Task, ids: set[str]) -> str:
    needed = [str(one) for one in task.get("dependencies") or () if one in ids]
    mission = str(task.get("mission") or "")
    return needed[-1] if needed else mission if mission in ids else ""


def _depth(name: str, above: dict[str, str]) -> int:
    depth = 0
    while name:
        name, depth = above[name], depth + 1
    return depth


def _first_kind(task: Task, children: dict[str, list[Task]]) -> int:
    """Of itself and of all below it: a running one lifts what it came after."""
    return min([_kind(task), *(_first_kind(one, children) for one in children.get(str(task["id"]), ()))])


def _branches(
    children: dict[str, list[Task]], name: str, guide: str, notes: dict[str, str], now: float
) -> Iterator[Row | str]:
    siblings = children.get(name, [])
    for task in siblings:
        is_last = task is siblings[-1]
        below = guide + (NOTHING if is_last else PASS)
        yield Row(task, guide + (LAST if is_last else FORK), name, now)
        if notes[task["id"]]:
            begin = f"{below}{PASS if task['id'] in children else NOTHING}"
            room = columns() - len(begin)
            note = notes[task["id"]]
            yield paint(begin, "dim") + paint(cut(note, room) if room > 0 else note, "dim")
        yield from _branches(children, str(task["id"]), below, notes, now)


def _widths(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Of id with title, agent, state. Where titles have too little room, the agent is left out, then the
    state's column is as wide as each state is."""
    left = max((row.left + width(row.title) for row in rows), default=0)
    agent = max((width(row.agent) for row in rows), default=0)
    state = max((width(row.state) for row in rows), default=0)
    last = max((min(width(row.last), WAITS) for row in rows), default=0)
    ragged = max((width(row.state) + 2 + min(width(row.last), WAITS) for row in rows), default=0)
    room = columns()
    names = max((row.left for row in rows), default=0)
    enough = min(left, names + TITLE)
    for shown, wide, right in (
        (agent, state, state + 2 + last),
        (0, state, state + 2 + last),
        (0, 0, ragged),
    ):
        free = room - 2 - right - (shown + 2 if shown else 0)
        if not room or free >= enough:
            return (min(left, free) if room else left), shown, wide
    return max(free, min(left, names + SHORTEST)), 0, 0


def _line(row: Row, left: int, agent: int, state: int) -> str:
    title = cut(row.title, max(1, left - row.left))
    cells = [" " * (left - row.left - width(title))]
    cells += [row.agent + " " * (agent - width(row.agent))] if agent else []
    cells += [paint(row.state, row.colour) + " " * max(0, state - width(row.state))]
    room = columns() - left - 4 - max(state, width(row.state)) - (agent + 2 if agent else 0)
    if row.last and (not columns() or room > 3):
        cells.append(paint(cut(row.last, room) if columns() else row.last, "dim"))
    return f"{paint(row.guide, 'dim')}{row.sign} {row.name}  {title}{'  '.join(cells)}".rstrip()


def _state(task: Task) -> str:
    """Its status, at rest with the reason; `unchecked` where no check stood between it and the target."""
    status, reason = str(task.get("status") or ""), str(task.get("reason") or "")
    if status == "done":
        if reason == "removed":
            return f"done, {task.get('detail') or 'no longer on its target'}"
        why = str(task.get("verdict") or "")
        return f"done ({why})" if why not in ("", "green") else "done"
    if task.get("dead"):
        return "dead-blocked"
    told = cut(reason.replace("_", " ").replace(":", " "), 20)
    return f"{status} ({told})" if told and status in ("failed", "needs_review") else status


def _since(task: Task, now: float) -> str:
    """How long it has been so; of a run that prints nothing also since when. Silence is told, not judged."""
    past, silent = ago(task.get("changed_at"), now), ago(task.get("silent_since"), now)
    if _moves(task):
        return f"{past}, silent for {silent}" if silent else past
    return past and f"{past} ago"


def _beside(task: Task, above: str) -> str:
    """Of a task that waits: for what, unless that is what it stands below; of a dead-blocked one the cure."""
    if task.get("dead"):
        line = str((task.get("dead_action") or {}).get("line") or "")
        return one_line(f"at {task.get('dead_at')}: {line}" if line else f"at {task.get('dead_at')}")
    waits = str((task.get("waits_for") or {}).get("what") or "")
    if waits or task.get("status") == "ready":
        return one_line(waits or str(task.get("reason") or "").replace("_", " "))
    reason, _, name = str(task.get("reason") or "").partition(":")
    if reason == "dependency":
        needed = [str(one) for one in task.get("dependencies") or ()]
        return f"after {', '.join(needed)}" if needed != [above] else ""
    return f"{name} did not land" if reason == "dependency_failed" else one_line(reason.replace("_", " "))


def _note(task: Task, *, brief: bool) -> str:
    """Its way so far, and what is to be said of it now."""
    steps = [str(step) for step in task.get("steps") or ()]
    told = [] if brief and steps in BRIEF else [trail(steps)] if steps else []
    if task.get("status") == "landing":
        told.append(one_line(str(task.get("detail") or "")))
    elif _moves(task) and str(task.get("reason") or "") not in steps:
        told.append(one_line(str(task.get("detail") or task.get("reason") or "").replace("_", " ")))
    return ", ".join(one for one in told if one)


def _more(answer: dict[str, Any], shown: Sequence[Task]) -> str:
    """What moves and waits and had no room."""
    counts = dict(answer.get("counts") or {})
    for task in shown:
        status = str(task.get("status") or "")
        counts[status] = counts.get(status, 0) - 1
    left = {status: counts[status] for status in (*MOVING, *WAITING) if counts.get(status, 0) > 0}
    if not left or "work" not in answer:
        return ""
    told = ", ".join(f"{number} {status}" for status, number in left.items())
    return f"… and {told}: {list_line(answer, next(iter(left)))}"


def list_line(answer: dict[str, Any], status: str) -> str:
    """The line to type for all that have this status."""
    whose = " --all" if len(answer.get("projects") or ()) > 1 else ""
    return f"toryo task list --status {status}{whose}"
