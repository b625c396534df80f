"""`toryo why` of a project and of its targets: what of them waits for a person, as attention has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain import subjects
from toryo.domain.actions import Do, action
from toryo.domain.reasons import HOLDS_UP, About, Reason, Turn, meaning
from toryo.domain.subjects import SubjectKind
from toryo.engine.actions import shown
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.tasks import NeedsPerson
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, TargetRow
from toryo.store.tables import missions, projects, tasks
from toryo.usecases.status import attention_page
from toryo.usecases.targets import targets
from toryo.usecases.why import facts

Told = dict[str, Any]
MOST_NAMED = 3


def of_target(tx: Tx, owner: ProjectRow, target: TargetRow) -> Told:
    """As `toryo target show` has it: one reason for both."""
    now = targets.target_line(tx, owner, target)
    reason, whose = now["reason"], targets.whose_turn(now["reason"])
    sentence = str(now["waits_for"] or "")
    if not sentence:
        is_moved = target.tip == target.published
        sentence = "nothing is in its way" if is_moved else "accepted work is being published"
        whose = Turn.NOBODY if is_moved else Turn.TORYO
    waits = reason in HOLDS_UP
    return {
        "subject": {"kind": "target", "id": target.name, "title": owner.name},
        "status": "waiting" if waits else "stopped" if whose is Turn.PERSON else "moving",
        "reason": reason,
        "sentence": f"{target.name} of {owner.name}: {sentence}",
        "facts": facts.of_target(tx, target),
        "waits_for": [],
        "turn": whose,
        "actions": now["actions"],
        "dead": False,
        "dead_at": None,
    }


def of_project(tx: Tx, row: ProjectRow) -> Told:
    """It waits for a person if a target of it stands still, or anything else of it is in attention."""
    known = [of_target(tx, row, one) for one in projects.targets_of(tx, row.id)]
    stopped = [one for one in known if one["turn"] is Turn.PERSON]
    counts = tasks.counts(tx, row.id)
    needs = _others(tx, row, counts, {one["subject"]["id"]: one["reason"] for one in stopped})
    is_active = row.status == "active"
    offered = [one for it in (*stopped, *needs) for one in it["actions"]]
    return {
        "subject": {"kind": "project", "id": row.id, "title": row.name},
        "status": row.status,
        "reason": "" if is_active else Reason.PROJECT_ARCHIVED,
        "sentence": _sentence(row, counts, stopped, needs),
        "facts": facts.aged(tx, [*_moments(tx, row, needs)]),
        "waits_for": [*(_target_link(one) for one in stopped), *(_link(one) for one in needs)],
        "turn": Turn.PERSON if stopped or needs or not is_active else Turn.NOBODY,
        "actions": _once(offered) if is_active else [shown(action(Do.ACTIVATE_PROJECT, row.name))],
        "dead": False,
        "dead_at": None,
    }


def _others(
    tx: Tx, project: ProjectRow, counts: Mapping[str, int], stopped: Mapping[str, str]
) -> list[NeedsPerson]:
    """Entries of the project's attention page but for those of which a target that stands still tells."""

    def is_told(one: NeedsPerson) -> bool:
        if one["reason"] not in stopped.values():
            return False
        row = tasks.get(tx, one["task"])
        target = row.target if row else one["subject"].rpartition("/")[2]
        return meaning(one["reason"]).about is About.PROJECT or stopped.get(target) == one["reason"]

    page, _ = attention_page.page(tx, project.id, counts)
    return [one for one in page if not is_told(one)]


def _sentence(
    row: ProjectRow, counts: Mapping[str, int], stopped: list[Told], needs: list[NeedsPerson]
) -> str:
    work = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    told = [f"{row.name} is {row.status}: {work or 'no tasks yet'}"]
    told += [one["sentence"] for one in stopped[:MOST_NAMED]]
    told += [f"{one['task']} waits for you: {one['why']}" for one in needs[:MOST_NAMED]]
    return "; ".join(told)


def _moments(tx: Tx, row: ProjectRow, needs: list[NeedsPerson]) -> list[facts.Moment]:
    """The newest change of each that waits."""
    found: list[facts.Moment] = [(row.created_at, "project registered", subjects.project(row.id))]
    for one in needs:
        about = tasks.get(tx, one["task"]) or missions.get(tx, one["task"])
        if about is not None:
            because = f" ({about.reason})" if about.reason else ""
            found.append((about.changed_at, f"{about.id}: {about.status}{because}", one["subject"]))
    return found


def _target_link(told: Told) -> Told:
    return {"subject": f"target:{told['subject']['id']}", "status": told["status"], "reason": told["reason"]}


def _link(one: NeedsPerson) -> Told:
    kind, name = subjects.parse(one["subject"])
    named = f"target:{name.partition('/')[2]}" if kind is SubjectKind.QUEUE else one["subject"]
    return {"subject": named, "status": one["status"], "reason": one["reason"]}


def _once(found: list[ActionView]) -> list[ActionView]:
    return [one for place, one in enumerate(found) if one not in found[:place]]
