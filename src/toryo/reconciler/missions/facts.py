"""Facts about a mission, and the decision on it: plain data; the store gathers, the drain carries out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from toryo.domain.ids import TaskId
from toryo.domain.reasons import Reason, Turn, meaning, parse, turn
from toryo.domain.words import Approval, MissionStatus, OrderKind, Size, TaskStatus, is_at_rest


class CallState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    PROBLEM = "problem"
    """Nothing that could be used, after all repairs. An outage is none: such an order stays open."""


@dataclass(frozen=True)
class PlannerCall:
    """A planner order that exists."""

    purpose: OrderKind
    request: int = 1
    n: int = 0
    state: CallState = CallState.OPEN
    task: TaskId = TaskId("")
    """judge: about which task; `n` is then its attempt."""


@dataclass(frozen=True)
class PlanVersion:
    version: int = 1
    request: int = 1
    """Which version of what is wanted it answers."""
    faults: int = 0
    unchecked: int = 0
    """Tasks that no command checks, their own or the project's: new settings end that fault, too."""
    mends: int = 0
    """How often it was mended before."""
    fatal: int = 0
    """Findings of its analysis that are fatal."""
    open_points: int = 0
    """`[NEEDS CLARIFICATION` in its texts: such a plan is not offered, its points are asked."""
    points_asked: bool = False
    approved: bool = False
    rejected: bool = False
    """Why is the next request's matter."""
    made: bool = False
    """Its tasks exist."""


@dataclass(frozen=True)
class Demand:
    """What a person asked for while a plan is in force."""

    request: int
    weighed: bool = False
    replan: bool = False
    affected: tuple[str, ...] = ()
    """Plan ids: held until the new plan is approved."""


@dataclass(frozen=True)
class Slot:
    at_once: int = 1
    holders: int = 0
    """Other missions of the project that hold a slot: see `holds_slot`."""
    ahead: int = 0
    """Missions approved before this one that have not begun and wait for nobody."""


@dataclass(frozen=True)
class TroubledTask:
    """A task that is `failed` or `needs_review` after its fixed tries."""

    id: TaskId
    status: TaskStatus
    reason: str
    attempt: int = 1
    """A retry begins the next: each attempt is judged at most once."""
    given_up: bool = False
    held: bool = False
    """A demand affects it: the next plan says what becomes of it."""


@dataclass(frozen=True)
class TaskCounts:
    total: int = 0
    done: int = 0
    cancelled: int = 0
    at_rest: int = 0
    moving: int = 0
    """Go on by themselves now; those that wait for another task are neither here nor below."""
    waiting_for_person: int = 0
    given_up: int = 0
    live_runs: int = 0


class Landed(StrEnum):
    """How far a landing of the mission's files is."""

    NO = "no"
    OPEN = "open"
    DONE = "done"
    STUCK = "stuck"
    """Nothing comes unless a person acts."""


@dataclass(frozen=True)
class MissionFacts:
    cancelled: bool = False
    paused: bool = False
    paused_now: bool = False
    """Paused, and its runs shall stop."""
    stopped: str = ""
    """Why a unit's tree of it turns in a circle, as far as no person said to go on."""
    budget_reached: str = ""
    """`tokens`, `turns` …"""
    approval: Approval = Approval.PLAN
    plan_only: bool = False
    taken_in: bool = False
    """Its first plan is an existing spec-kit folder: it needs no model."""
    size: Size = Size.NORMAL
    request: int = 1
    """The newest version of what is wanted: a rejection, demand, retry or answer to an
    open point makes the next."""
    calls: tuple[PlannerCall, ...] = ()
    scanned: bool = False
    """The repository was read for it, or could not be."""
    open_questions: int = 0
    plan: PlanVersion | None = None
    """The newest."""
    in_force: PlanVersion | None = None
    """The newest whose tasks exist."""
    demand: Demand | None = None
    """The newest that came after the plan in force."""
    slot: Slot = Slot()
    begun: bool = False
    """A run of it was claimed: it never goes back into the queue of missions."""
    tasks: TaskCounts = TaskCounts()
    troubled: tuple[TroubledTask, ...] = ()
    unclean: int = 0
    """Branches and worktrees that are not retired."""
    writes_files: bool = False
    spec: Landed = Landed.NO
    """Of the plan in force."""
    ticks: Landed = Landed.NO
    planner: bool = True
    """A model is configured."""
    planner_waits: str = ""
    """`outage`, `usage_limit`: its orders wait."""
    planner_away: bool = False
    """Its orders are open, and no planner has been heard of for a while."""
    planner_parked: bool = False
    """The account of the CLI that plans has come to its limit: nothing new is asked of it."""


@dataclass(frozen=True)
class PlannerWish:
    """A planner order that should exist; its key, behind the mission's id, makes wishing twice harmless."""

    purpose: OrderKind
    request: int
    n: int = 0
    task: TaskId = TaskId("")

    @property
    def key(self) -> str:
        return f"{self.purpose}/{self.task or self.request}/{self.n}"


@dataclass(frozen=True)
class MissionDecision:
    status: MissionStatus
    reason: str = ""
    detail: str = ""
    wishes: tuple[PlannerWish, ...] = ()
    scan: bool = False
    """The repository has to be read first."""
    ask_points: int = 0
    """The plan version whose open points become questions."""
    create_tasks: int = 0
    """The approved plan version whose tasks do not exist yet."""
    hold: bool = False
    """None of its tasks starts."""
    hold_tasks: tuple[str, ...] = ()
    """Plan ids that a demand affects: their runs are stopped, and they start no more under this plan."""
    stop: bool = False
    """Its runs are stopped."""
    land_spec: bool = False
    land_ticks: bool = False


Group = tuple[TaskStatus, str, int]
"""(status, reason, how many), from a grouped query."""


def count_tasks(
    groups: Iterable[Group], below: Iterable[Group] = (), *, given_up: int = 0, live_runs: int = 0
) -> TaskCounts:
    """`below`: those into which its units divided theirs. They only tell whether a unit that waits for them
    goes on by itself, or for a person; what failed of them is their parent's matter."""
    rows = list(groups)
    lower = [row for row in below if row[0] is not TaskStatus.FAILED]

    def number(of: Iterable[Group]) -> int:
        return sum(count for _, _, count in of)

    unfinished = [row for row in (*rows, *lower) if row[0] not in (TaskStatus.DONE, TaskStatus.CANCELLED)]
    return TaskCounts(
        total=number(rows),
        done=number(row for row in rows if row[0] is TaskStatus.DONE),
        cancelled=number(row for row in rows if row[0] is TaskStatus.CANCELLED),
        at_rest=number(row for row in rows if is_at_rest(row[0], row[1])),
        moving=number(row for row in unfinished if _moves(row[0], row[1])),
        waiting_for_person=number(row for row in unfinished if _stays(row[0], row[1])),
        given_up=given_up,
        live_runs=live_runs,
    )


def _stays(status: TaskStatus, reason: str) -> bool:
    """Until a person acts: also where they ended it themselves, and so it asks for nobody. A pause is the
    mission's own to tell: when it is over, its tasks go on by themselves."""
    if parse(reason)[0] in (Reason.PAUSED, Reason.BUDGET):
        return False
    return status is TaskStatus.FAILED or turn(status, reason) is Turn.PERSON


def _moves(status: TaskStatus, reason: str) -> bool:
    waits = parse(reason)[0] in (Reason.DEPENDENCY, Reason.DEPENDENCY_FAILED, Reason.WAITING_FOR_CHILDREN)
    return turn(status, reason) not in (Turn.PERSON, Turn.NOBODY) and not waits


def holds_slot(status: MissionStatus, reason: str, live_runs: int) -> bool:
    """From approval to rest; one that waits for a person, and has no run, holds up nobody."""
    waits = meaning(reason).turn is Turn.PERSON and not live_runs
    return status is MissionStatus.ACTIVE and not waits
