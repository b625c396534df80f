"""What waits for a person: whether a task does, why, and the lines to type with real names in them."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import Any

from toryo.domain.advice import Around, next_lines, waiting_words
from toryo.domain.words import DEPENDENCY_FAILED, WAITING_FOR_INPUT, OrderKind, Outcome, TaskStatus
from toryo.reconciler.subjects import REMOVED
from toryo.store import agents, facts, orders, projects, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import ProjectRow, TargetRow, TaskRow
from toryo.usecases.default_agents import installed_clis

BY_ITSELF = ("dependency", "base_gate")
"""Reasons of blocked tasks that nobody need act on."""
REWOUND = "target_rewound"
_OVER = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)
DEEPEST = 50
"""Tasks that are looked at behind one that waits for another."""


def waits(row: TaskRow) -> bool:
    """Whether only a person moves it on; a failed task is over, and can be started over."""
    match row.status:
        case TaskStatus.NEEDS_REVIEW:
            return True
        case TaskStatus.OPEN:
            return row.reason == "held"
        case TaskStatus.RUNNING:
            return row.reason in (Outcome.UNKNOWN, WAITING_FOR_INPUT)
        case TaskStatus.LANDING:
            return row.reason in ("waiting_for_checkout", "publish_failed")
        case TaskStatus.BLOCKED:
            return row.reason not in BY_ITSELF and not row.reason.startswith(DEPENDENCY_FAILED)
        case _:
            return False


def wish(tx: Tx, row: TaskRow) -> dict[str, Any]:
    found = lines(tx, row)
    return {
        "task": row.id,
        "title": row.title,
        "status": row.status,
        "why": why(tx, row),
        "type": found[0] if found else f"toryo task show {row.id}",
        "lines": list(found),
    }


def behind(tx: Tx, row: TaskRow) -> dict[str, Any] | None:
    """What a person must do before the task moves on: about itself, or about a task that it waits for."""
    known, left = {row.id}, [row]
    while left and len(known) <= DEEPEST:
        one = left.pop(0)
        if waits(one):
            return wish(tx, one)
        if one.status == TaskStatus.BLOCKED and one.reason == "dependency":
            needed = [tasks.get(tx, name) for name in tasks.needs_of(tx, one.id) if name not in known]
            left += [task for task in needed if task]
            known |= {task.id for task in needed if task}
    return None


def of_targets(tx: Tx, project: str | None, told: Collection[TaskRow]) -> list[dict[str, Any]]:
    """Targets that a person set back and that no task speaks of: nothing lands there meanwhile."""
    spoken = {(row.project, row.target) for row in told if row.reason == REWOUND}
    found = []
    for owner in projects.listing(tx, only_active=True):
        for target in projects.targets_of(tx, owner.id) if project in (None, owner.id) else ():
            if target.stopped == REWOUND and (owner.id, target.name) not in spoken:
                found.append(_rewound(tx, owner, target))
    return found


def _rewound(tx: Tx, project: ProjectRow, target: TargetRow) -> dict[str, Any]:
    done = tasks.newest(tx, TaskStatus.DONE, project=project.id, limit=10)
    gone = [row for row in done if row.target == target.name and row.reason == REMOVED]
    over = [row for status in _OVER for row in tasks.newest(tx, status, project=project.id, limit=1)]
    lines = [f"toryo task approve {row.id}" for row in [*gone, *over][:1]]
    lost = f"{shlex.quote(target.name)}..{target.published[:12]}"
    lines.append(f"git -C {shlex.quote(project.path)} log --oneline {lost}")
    named = ", ".join(row.id for row in gone[:5])
    why = f"{REWOUND}: {target.name} of {project.name} was moved back by hand"
    return {
        "task": gone[0].id if gone else project.name,
        "title": gone[0].title if gone else "",
        "status": TaskStatus.BLOCKED,
        "why": f"{why}; no longer on it: {named}" if named else why,
        "type": lines[0],
        "lines": lines,
    }


def lines(tx: Tx, row: TaskRow) -> tuple[str, ...]:
    return next_lines(row.id, TaskStatus(row.status), row.reason, row.detail, around(tx, row))


def why(tx: Tx, row: TaskRow) -> str:
    if row.reason == "waiting_for_checkout":
        return f"{row.reason}: {waiting_words(around(tx, row))}"
    if row.reason == "asked":
        return row.detail
    if row.detail and not row.detail.startswith("type: "):
        return f"{row.reason}: {row.detail}"
    return row.reason


def around(tx: Tx, row: TaskRow) -> Around:
    project = projects.get(tx, row.project)
    if project is None:
        return Around(agent=row.agent)
    agent = agents.get(tx, row.agent, row.project) if row.agent else None
    target = projects.target(tx, row.project, row.target)
    live = [run.id for run in runs.of_task(tx, row.id) if run.live] if _is_unknown(row) else []
    able, disabled, elsewhere = _crew(tx, project, row.agent)
    return Around(
        agent=row.agent,
        client=agent.client if agent else "",
        able=able,
        disabled=disabled,
        elsewhere=elsewhere,
        installed=installed_clis(tx, project.machine),
        run=live[-1] if live else "",
        path=project.path,
        project=project.name,
        target=row.target,
        checkout=_waiting_at(tx, row),
        waiting=tuple(target.waiting) if target else (),
        waiting_why=target.waiting_why if target else "",
    )


def _crew(tx: Tx, project: ProjectRow, but: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """(who could do it, who is disabled, who does not work here), without the task's own agent."""
    here = projects.agents_of(tx, project.id)
    others = [one for one in here if one.id != but]
    names = {one.id for one in here}
    return (
        tuple(one.id for one in others if one.client and one.status == "active"),
        tuple(one.id for one in others if one.status != "active"),
        tuple(
            one.id
            for one in agents.listing(tx)
            if one.id not in names and one.status == "active" and not one.project
        ),
    )


def _waiting_at(tx: Tx, row: TaskRow) -> str:
    """The checkout that a publish waits for, as its last fact told it; empty from an older coordinator."""
    if row.reason != "waiting_for_checkout":
        return ""
    pending = orders.of_target(tx, row.project, (OrderKind.PUBLISH,), row.target)
    told = [fact for order in pending for fact in facts.of_order(tx, order.id) if fact.standing == "applied"]
    return next((str(fact.body.get("checkout", "")) for fact in reversed(told)), "")


def _is_unknown(row: TaskRow) -> bool:
    return row.status == TaskStatus.RUNNING and row.reason == Outcome.UNKNOWN
