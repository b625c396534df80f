"""Attention for targets: those that only a person moves on and of which no shown task tells.

A target stands still also where nothing waits for it: its tasks are done, or were cancelled meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection

from toryo.domain import subjects
from toryo.domain.actions import Do, action
from toryo.domain.reasons import About, Reason, Turn, meaning
from toryo.domain.words import TaskStatus
from toryo.engine.actions import shown
from toryo.engine.notices import stopped_targets
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, TargetRow, TaskRow
from toryo.store.tables import projects
from toryo.usecases.targets.targets import reason, target_line, whose_turn

REWOUND = Reason.TARGET_REWOUND.value


def of_targets(tx: Tx, project: str | None, told: Collection[TaskRow]) -> list[views.NeedsPerson]:
    """By project and name. `told`: the tasks that are shown and may speak for theirs."""
    spoken = {_about(row.reason, row.project, row.target) for row in told}
    found = []
    for owner in projects.listing(tx, only_active=True):
        for target in projects.targets_of(tx, owner.id) if project in (None, owner.id) else ():
            why = reason(tx, target) if _may_stand(target) else ""
            about = _about(why, owner.id, target.name)
            if whose_turn(why) is Turn.PERSON and about not in spoken:
                spoken.add(about)
                found.append(_standing(tx, owner, target))
    return found


def _may_stand(target: TargetRow) -> bool:
    """A look at the row alone: a tree of units has a target for each, and their bases are not checked."""
    return bool(target.stopped or target.waiting_why or not target.unit)


def _about(why: str, project: str, target: str) -> tuple[str, str, str]:
    """A repository that is away stops all its targets: one entry tells of them."""
    return why, project, "" if meaning(why).about is About.PROJECT else target


def _standing(tx: Tx, owner: ProjectRow, target: TargetRow) -> views.NeedsPerson:
    now = target_line(tx, owner, target)
    gone = stopped_targets.removed(tx, target) if now["reason"] == REWOUND else []
    offered, why = list(now["actions"]), f"{target.name} of {owner.name}: {now['waits_for']}"
    if now["reason"] == REWOUND:
        lost = f"{target.name}..{target.published[:12]}"
        offered.append(shown(action(Do.LIST_REMOVED, path=owner.path, range=lost)))
        why = stopped_targets.why(tx, owner, target)
    return {
        "subject": subjects.queue(owner.id, target.name),
        "task": gone[0].id if gone else owner.name,
        "title": gone[0].title if gone else "",
        "project": owner.id,
        "project_name": owner.name,
        "status": TaskStatus.BLOCKED,
        "reason": now["reason"],
        "why": why,
        "type": offered[0]["line"],
        "lines": [one["line"] for one in offered],
        "actions": offered,
        "behind": max(0, now["accepted"] - 1),
        "unblocks": 0,
    }
