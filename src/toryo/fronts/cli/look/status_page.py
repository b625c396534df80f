"""The page of `toryo status`, printed or followed: which parts it has, and what gives way on a low screen.

What runs is never pushed off: tables go first, then what has ended, then what waits. The tree of tasks is
`work_tree.py`, what needs a person `needs_text.py`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.choices import STATUSES
from toryo.fronts.cli.look import needs_text, work_tree
from toryo.fronts.text.output import columns, duration, one_line, paint, plain, table, word

if TYPE_CHECKING:
    from typing import Any

NEEDS_AT_LEAST = 6
"""Lines: its head, one that needs a person, and how many more there are."""
PARKED_AT_MOST = 5


def rows_left() -> int:
    """Of the terminal, without the prompt's line; 0 where there is none, and everything is printed."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines - 1
    except (OSError, ValueError):
        return 0


def page(answer: dict[str, Any], now: float, rows: int = 0, elapsed: float = 0.0) -> list[str]:
    """In at most so many lines, if that can be; `elapsed` is how old the answer is."""
    head = _processes(answer, elapsed).split("\n")
    tables = [part.split("\n") for part in (_projects(answer), _agents(answer)) if part]
    if not answer.get("projects"):
        head, tables = [*head, "", *tables[0]], tables[1:]
    beside = [part.split("\n") for part in (_parked(answer), _removed(answer)) if part]
    work = work_tree.draw(answer, now)
    needs = needs_text.draw(answer)
    whole = _joined(head, *tables, work, *beside, needs)
    while rows and len(whole) > rows and tables:
        tables = tables[1:]
        whole = _joined(head, *tables, work, *beside, needs)
    if not rows or len(whole) <= rows:
        return whole
    beside = [_shortened(lines, PARKED_AT_MOST) for lines in beside]
    room = rows - len(_joined(head, *beside)) - (1 if work else 0) - (1 if needs else 0)
    for_needs = _share(room, len(work), len(needs), work_tree.least(answer))
    needs = needs_text.draw(answer, for_needs) if needs else []
    work = work_tree.draw(answer, now, room - len(needs)) if work else []
    return _joined(head, work, *beside, needs)[:rows]


def _share(room: int, work: int, needs: int, least: int) -> int:
    """Lines for what needs a person: two of five, more if the work spares them, fewer if too much runs."""
    if not needs:
        return 0
    wanted = max(room - work, room * 2 // 5, NEEDS_AT_LEAST)
    return max(min(needs, wanted, room - least), min(needs, NEEDS_AT_LEAST))


def _joined(*parts: list[str]) -> list[str]:
    """With an empty line between them."""
    lines: list[str] = []
    for part in parts:
        lines += ["", *part] if lines and part else part
    return lines


def _shortened(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], paint(f"  … {len(lines) - most + 1} more lines", "dim")]


def _processes(answer: dict[str, Any], elapsed: float) -> str:
    daemon = answer["daemon"]
    up = duration(int(float(daemon["uptime_s"]) + elapsed))
    hands = [_coordinator(one) for one in answer.get("coordinators") or ()]
    hands = hands or [("no coordinator: nothing starts until `toryo up`", "yellow")]
    if answer.get("page"):
        hands.append((f"page {plain(str(answer['page']))}", ""))
    counts = answer.get("counts") or {}
    known = [(f"{counts[name]} ", name) for name in STATUSES if counts.get(name)]
    first = f"daemon {plain(str(daemon['version']))}, up {up}"
    wide = len(first) + sum(len(text) + 2 for text, _ in hands) + 1
    between = " · " if not columns() or wide <= columns() else "\n"
    told = f"{first}{between}{', '.join(paint(text, colour) for text, colour in hands)}"
    return f"{told}\ntasks  {_counted(known) or _first_task(answer)}"


def _counted(known: list[tuple[str, str]]) -> str:
    """`2 running, 9 done`, broken between two of them where a terminal would break it anywhere."""
    told, used = "", len("tasks  ")
    for number, status in known:
        wide = len(number) + len(status) + 2
        if told and columns() and used + wide - 2 > columns():
            told, used = f"{told},\n{' ' * 7}", 7
        elif told:
            told += ", "
        told, used = f"{told}{number}{word(status)}", used + wide
    return told


def _first_task(answer: dict[str, Any]) -> str:
    return 'none yet: toryo task add "what you want done"' if answer.get("projects") else "none"


def _coordinator(one: dict[str, Any]) -> tuple[str, str]:
    """Text and colour."""
    name = f"coordinator {plain(str(one.get('name') or one.get('id')))}"
    return (name, "") if one.get("live") else (f"{name} does not answer: `toryo up`", "yellow")


def _projects(answer: dict[str, Any]) -> str:
    rows = [
        (one["name"], one["status"], one["base"], one.get("settings_from"), one["path"])
        for one in answer.get("projects") or ()
    ]
    if not rows:
        return "no projects yet: type `toryo init` in a repository"
    return table(("project", "status", "lands on", "settings", "path"), rows, spare=(3,))


def _agents(answer: dict[str, Any]) -> str:
    rows = [
        (_whose(one), one.get("client") or "none yet", _busy(one), one["status"])
        for one in answer.get("agents") or ()
    ]
    return table(("agent", "client", "busy", "status"), rows) if rows else ""


def _whose(agent: dict[str, Any]) -> str:
    """A repository's own agent may have the name of another one."""
    owner = agent.get("project_name")
    return f"{agent['id']} of {owner}" if owner else str(agent["id"])


def _busy(agent: dict[str, Any]) -> str:
    """Its runs, and of how many at most where a person set that."""
    return f"{len(agent['runs'])}" + (f" of {agent['slots']}" if agent.get("slots") else "")


def _parked(answer: dict[str, Any]) -> str:
    """Accounts that wait for a limit to end: nothing new of them starts."""
    lines = []
    for one in answer.get("parked") or ():
        why = str(one.get("why") or "").replace("_", " ")
        tasks = ", ".join(str(task) for task in one.get("tasks") or ())
        until = str(one.get("until") or "")[:16].replace("T", " ")
        lines.append(one_line(f"{one.get('client')}: {why} until {until} UTC, {tasks}"))
        lines.append("  " + paint(f"toryo run release {one.get('run')}", "cyan") + "  ends the waiting")
    return "\n".join([paint("parked", "yellow"), *(f"  {line}" for line in lines)]) if lines else ""


def _removed(answer: dict[str, Any]) -> str:
    """Done, and taken off the target by a person since; those of the tree are said there."""
    shown = {one["id"] for one in answer.get("work") or ()}
    listed = [one for one in answer.get("removed") or () if one["id"] not in shown]
    return "\n".join(one_line(f"{one['id']}  done, {one['detail']}  {one['title']}") for one in listed)
