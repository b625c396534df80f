"""The random campaign: rounds of tasks and kills that a seed chooses, each played to its end."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

from chaos import invariants, points, states, victims
from chaos.place import Place
from chaos.points import of_order
from chaos.victims import BOTH, COORDINATOR, DAEMON, EVERYWHERE, IN_A_RUN
from toryo.domain.words import OrderKind
from toryo.reconciler.subjects import Policy

WORKERS = ("quick", "quick", "breaks", "clashes", "waits")
ON_THE_WAY = (
    OrderKind.PREPARE,
    OrderKind.RUN,
    OrderKind.COLLECT,
    OrderKind.CANDIDATE,
    OrderKind.CHECK,
    OrderKind.ACCEPT,
    OrderKind.PUBLISH,
    OrderKind.CLEAN,
)
PASSED = (
    *(point for kind in ON_THE_WAY for point in of_order(kind)),
    *(*points.LAUNCH, *points.EXIT, *points.PUBLISH, *points.HEAD, *points.SHIM),
    *(point for point in points.CHECK if point != "check.set_up"),
    "window.before",
)
"""What tasks on their way may come to."""
VICTIMS = (*EVERYWHERE, *IN_A_RUN)
HARMLESS = (DAEMON, COORDINATOR, BOTH)
"""Without these everything ends as if nothing had happened."""
COMES_WITHIN_S = 3.0
"""So long a round waits for somebody to come to the armed point."""


@dataclass(frozen=True)
class Kill:
    point: str
    """Perhaps with the number of the time, as `check.after@2`."""
    victim: str
    tasks: tuple[str, ...]
    """The agents of the tasks that are added once the point is armed: somebody will come there."""


@dataclass(frozen=True)
class Plan:
    """One round, before it is played: the same seed and number, the same plan."""

    kills: tuple[Kill, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(agent for kill in self.kills for agent in kill.tasks)


@dataclass
class Round:
    number: int
    plan: Plan
    happened: list[str] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    """Victims that were alive when their moment came."""
    ends: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    lost: int = 0

    def told(self) -> str:
        lines = [f"round {self.number}: tasks {', '.join(self.plan.tasks)}"]
        lines += [f"  {line}" for line in self.happened]
        lines += [f"  ends: {', '.join(self.ends)}", *(f"  BROKEN: {one}" for one in self.broken)]
        return "\n".join(lines)


def plan(seed: int, number: int) -> Plan:
    chance = random.Random(f"{seed}/{number}")
    return Plan(tuple(_chosen(chance) for _ in range(chance.randint(1, 5))))


def _chosen(chance: random.Random) -> Kill:
    point, victim = chance.choice(PASSED), chance.choice(VICTIMS)
    tasks = [chance.choice(WORKERS) for _ in range(chance.randint(1, 2))]
    if point == "window.before":
        tasks.append("waits")  # of these agents it has a window
    again = chance.random() < 0.2 and not point.startswith("shim.")
    return Kill(f"{point}@2" if again else point, victim, tuple(tasks))


def rounds(place: Place, seed: int, more: Callable[[int], bool]) -> Iterator[Round]:
    """One after the other while `more(number)` says so."""
    number = 1
    while more(number):
        yield play(place, number, plan(seed, number))
        number += 1


def play(place: Place, number: int, wanted: Plan) -> Round:
    found = Round(number, wanted)
    states.bring(place, "begun")
    place.disarm()
    place.start()
    for kill in wanted.kills:
        found.happened.append(_kill(place, found, kill))
    place.disarm()
    place.go.touch()
    place.start()
    place.until(lambda: place.let_all_go() or states.at_rest(place), "everything comes to rest", 120)
    look_over(place, found)
    return found


def _kill(place: Place, found: Round, kill: Kill) -> str:
    """What became of it, in words."""
    if kill.victim in IN_A_RUN:
        place.call("add_task", path=str(place.repo), title="A task to die in", agent="waits")
        place.until(lambda: live_run(place), "a run to die in")
    place.arm(kill.point)
    added = _add(place, kill.tasks)
    end = time.monotonic() + COMES_WITHIN_S
    while (standing := place.who_stands()) is None:
        if time.monotonic() > end or (added.done() and states.at_rest(place)):
            place.disarm()
            victims.revive(place, place.who_stands())
            added.result()
            return f"{kill.point}: nobody came, {kill.victim} lives"
        time.sleep(0.005)
    place.disarm()
    run = live_run(place)
    died = kill.victim not in IN_A_RUN or (run != "" and victims.is_there(place, kill.victim, run))
    if died:
        victims.kill(place, kill.victim, run, standing)
        found.killed.append(kill.victim)
    victims.revive(place, standing)
    added.result()
    return f"{kill.point}: {kill.victim} {'killed' if died else 'was not there'}"


def _add(place: Place, tasks: tuple[str, ...]) -> Future[None]:
    """Beside the kill: a daemon that stands still answers nobody."""
    done: Future[None] = Future()

    def add() -> None:
        try:
            for agent in tasks:
                place.call("add_task", path=str(place.repo), title=f"A task for {agent}", agent=agent)
        except BaseException as failed:  # noqa: BLE001 — a thread's outermost edge: told to who asks
            done.set_exception(failed)
        else:
            done.set_result(None)

    threading.Thread(target=add, daemon=True).start()
    return done


def live_run(place: Place) -> str:
    """One that has begun and not ended, the newest."""
    for (run,) in place.rows("select id from runs where live order by seq desc"):
        if victims.started(place, str(run)):
            return str(run)
    return ""


def look_over(place: Place, found: Round) -> None:
    """How it ended, and whether it may end so."""
    ends = _tasks(place)
    found.ends = [end for _, end in ends]
    found.lost = len(invariants.lost_files(place))
    found.broken = invariants.broken(place)
    odd = [end for task, end in ends if end != "done" and not _met_too_many(place, task, end)]
    if set(found.killed) <= set(HARMLESS) and (odd or not ends):
        found.broken.append(f"only {sorted(set(found.killed))} died, yet {found.ends}")
    allowed = ("failed:signal:SIGKILL", "needs_review:lost")
    found.broken += [f"nobody explains {end}" for end in odd if end not in allowed]


def _met_too_many(place: Place, task: str, end: str) -> bool:
    """Whether others that write the same file were quicker each time, until its resolve runs were spent."""
    resolving = place.rows(f"select id from runs where task = '{task}' and purpose = 'resolve'")
    return end == "needs_review:conflict" and len(resolving) >= Policy().resolve_runs


def _tasks(place: Place) -> list[tuple[str, str]]:
    """Their ids, and how they ended."""
    rows = place.rows("select id, status, reason from tasks order by seq")
    return [(str(task), f"{status}{':' + reason if reason else ''}") for task, status, reason in rows]
