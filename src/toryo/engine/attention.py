"""Attention: whether a task waits for a person, why, and the lines to type with real names in them."""

from __future__ import annotations

from collections.abc import Sequence

from toryo.domain import reason_words, subjects
from toryo.domain.actions import Action
from toryo.domain.actions import lines as lines_of
from toryo.domain.advice import Around, in_its_queue, next_actions, waiting_words
from toryo.domain.reasons import ABOUT_AGENTS, BY_A_PERSON, HOLDS_UP, Reason, Turn, parse, turn
from toryo.domain.words import OrderKind, Outcome, TaskStatus, Verb
from toryo.engine import parking
from toryo.engine.actions import shown
from toryo.engine.default_agents import installed_clis
from toryo.engine.missions.attention import of_mission
from toryo.engine.units.retries import ended_above, is_left_behind
from toryo.protocol.views import tasks as views
from toryo.reconciler.subjects import DROPPED, UNWANTED
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, LandingRow, ProjectRow, TaskRow, VerbRow
from toryo.store.gather import task_chains
from toryo.store.tables import agents, facts, landings, missions, orders, projects, runs, verbs

REJECTED = Reason.REJECTED.value
_ON_PURPOSE = (Reason.HELD, Reason.DEPENDENCY_FAILED, Reason.PLAN_READY)
"""Blocked, but answered elsewhere: by an orchestrator, at the task that did not land, or at its mission."""


def waits(row: TaskRow) -> bool:
    """Whether only a person moves it on; a failed task is over, and can be started over."""
    status = TaskStatus(row.status)
    if status is TaskStatus.FAILED or turn(status, row.reason) is not Turn.PERSON:
        return False
    if parse(row.reason)[0] is Reason.PAUSED:
        return False  # its mission says it once, where no person paused it themselves
    return status is not TaskStatus.BLOCKED or parse(row.reason)[0] not in _ON_PURPOSE


def is_dead_root(tx: Tx, row: TaskRow) -> bool:
    """Whether it ended in a way that a person knows of, and so waits for nobody by itself: cancelled,
    rejected, stopped or dismissed."""
    if row.status == TaskStatus.FAILED:
        return row.reason in BY_A_PERSON or is_dismissed(verbs.of_task(tx, row.id))
    return row.status == TaskStatus.CANCELLED


def dead_root(tx: Tx, row: TaskRow, number: int) -> views.NeedsPerson:
    """Of a dead root that others wait for: nothing comes of them unless a person acts there."""
    noun = "task is" if number == 1 else "tasks are"
    stands = row.reason if row.reason in (REJECTED, row.status) else reason_words.told(row.reason)
    return {**wish(tx, row), "why": f"{stands}: {number} {noun} dead-blocked behind it", "unblocks": number}


def standing_target(tx: Tx, row: TaskRow, number: int) -> views.NeedsPerson:
    """Of the first task that a target holds back: one entry for all of them."""
    found = wish(tx, row)
    return found if number < 2 else {**found, "why": f"{found['why']}; {number} tasks wait"}


def wish(tx: Tx, row: TaskRow) -> views.NeedsPerson:
    found, project = actions_of(tx, row), projects.get(tx, row.project)
    typed = lines_of(found)
    return {
        "subject": subjects.task(row.id),
        "task": row.id,
        "title": row.title,
        "project": row.project,
        "project_name": project.name if project else row.project,
        "status": row.status,
        "reason": row.reason,
        "why": why(tx, row),
        "type": typed[0] if typed else f"toryo task show {row.id}",
        "lines": list(typed),
        "actions": [shown(one) for one in found],
        "behind": _held_up(tx, row)[1],
        "unblocks": 0,
    }


def behind(tx: Tx, row: TaskRow) -> views.NeedsPerson | None:
    """What a person must do before it moves on: about itself, its mission, or a task that it waits for."""
    ends = (row, *task_chains.of_task(tx, row).ends)
    return next((found for one in ends if (found := _of_end(tx, row, one))), None)


def _of_end(tx: Tx, row: TaskRow, one: TaskRow) -> views.NeedsPerson | None:
    if waits(one) or (one is not row and one.status in _DEAD):
        return wish(tx, one)
    mission = missions.get(tx, one.mission) if one.reason == Reason.PLAN_READY else None
    return of_mission(tx, mission) if mission else None


_DEAD = (TaskStatus.FAILED, TaskStatus.CANCELLED)


def actions_of(tx: Tx, row: TaskRow) -> tuple[Action, ...]:
    project = projects.get(tx, row.project)
    if project is not None and project.status == projects.REMOVED:
        return ()
    return next_actions(row.id, TaskStatus(row.status), row.reason, row.detail, around(tx, row))


def lines(tx: Tx, row: TaskRow) -> tuple[str, ...]:
    return lines_of(actions_of(tx, row))


def why(tx: Tx, row: TaskRow) -> str:
    if row.reason == "waiting_for_checkout":
        return reason_words.told(row.reason, waiting_words(around(tx, row)))
    if row.reason == "publish_failed":
        return reason_words.told(row.reason, in_its_queue(row.detail, around(tx, row)))
    return reason_words.told(row.reason, row.detail)


def around(tx: Tx, row: TaskRow) -> Around:
    project = projects.get(tx, row.project)
    if project is None:
        return Around(agent=row.agent)
    agent = agents.get(tx, row.agent, row.project) if row.agent else None
    target = projects.target(tx, row.project, row.target)
    live = [run.id for run in runs.of_task(tx, row.id) if run.live] if _is_unknown(row) else []
    is_about_agents = row.reason in ABOUT_AGENTS
    able, disabled, elsewhere = _crew(tx, project, row.agent) if is_about_agents else ((), (), ())
    first, behind = _held_up(tx, row)
    above = ended_above(tx, row)
    has_landed = above is not None and above.status == TaskStatus.DONE
    return Around(
        agent=row.agent,
        client=agent.client if agent else "",
        able=able,
        disabled=disabled,
        elsewhere=elsewhere,
        installed=installed_clis(tx, project.machine) if is_about_agents else (),
        run=live[-1] if live else "",
        path=project.path,
        project=project.name,
        target=row.target,
        machine=_machine(tx, project, agent) if parse(row.reason)[0] is Reason.PARKED else "",
        checkout=_waiting_at(tx, row),
        waiting=tuple(target.waiting) if target else (),
        waiting_why=target.waiting_why if target else "",
        first=first,
        behind=behind,
        dismissed=row.status == TaskStatus.FAILED and is_dismissed(verbs.of_task(tx, row.id)),
        above=above.id if above else "",
        superseded=has_landed if above else is_left_behind(tx, row),
    )


def _machine(tx: Tx, project: ProjectRow, agent: AgentRow | None) -> str:
    """Of the task's account, if one of its client waits elsewhere, too."""
    client = agent.client if agent else ""
    waiting = [one for one in parking.accounts(tx) if one["client"] == client]
    return project.machine if len(waiting) > 1 else ""


def is_dismissed(said: Sequence[VerbRow]) -> bool:
    """Whether a person dismissed the failure, and nobody tried again since."""
    telling = [one.verb for one in said if one.verb in (Verb.DISMISS, Verb.RETRY, Verb.SUBMIT)]
    return telling[-1:] == [Verb.DISMISS]


def _held_up(tx: Tx, row: TaskRow) -> tuple[str, int]:
    """Of a landing whose branch does not move: the first that waits there, or how many wait behind it."""
    if row.status != TaskStatus.LANDING or row.reason not in HOLDS_UP:
        return "", 0
    waiting = [one.task for one in landings.awaiting_publish(tx, row.project, row.target) if is_held(one)]
    others = [name for name in waiting if name != row.id]
    if len(others) == len(waiting) or waiting[0] == row.id:
        return "", len(others)
    return waiting[0], 0


def is_held(landing: LandingRow) -> bool:
    """A task's, in the tip and not on its branch yet."""
    return bool(landing.task) and landing.ended not in (DROPPED, UNWANTED)


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
