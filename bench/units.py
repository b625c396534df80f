"""A tree of units through the real daemon: what it computes for each, in small trees and in large ones.

Hands and agents take no time, so that all that is counted is the daemon's. Each unit with children has nine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from idle import cpu_s
from installation import Installation, until
from instant_hands import InstantHands, commit_of
from table import Figure, Samples

from toryo import processes
from toryo.daemon.process import open_context
from toryo.store.database.rows import AgentRow, ProjectRow, TargetRow
from toryo.store.tables import agents, projects

FAN_OUT = 9
SLOTS = 8
PROJECT = "p0000bench"
MOST = 2.0
"""Times what a unit of the small tree takes."""
LIMIT_S = 3600


def measure(small: int, large: int, say: Callable[[str], None]) -> list[Figure]:
    (few, few_s), (many, many_s) = (_tree(number, small, say) for number in (small, large))
    about = f"for each of {large:,} units"
    return [
        _figure(f"units: statements of the daemon {about}", few, many, small, unit="statements"),
        _figure(f"units: CPU of the daemon {about}", 1000 * few_s, 1000 * many_s, small, unit="ms"),
    ]


def _figure(name: str, few: float, many: float, small: int, *, unit: str) -> Figure:
    return Figure(
        name=name,
        goal=f"≤ {MOST:g} × floor",
        met=many <= MOST * few,
        samples=Samples((many,)),
        floor_name=f"each of {small}",
        floor=Samples((few,)),
        unit=unit,
    )


def plan_of(number: int) -> dict[str, list[str]]:
    """The children of each unit that has any, filled level by level."""
    plan: dict[str, list[str]] = {}
    names = ["root"]
    for parent in names:
        if len(names) >= number:
            break
        plan[parent] = [f"c{child}" for child in range(min(FAN_OUT, number - len(names)))]
        names += [f"{parent}-{child}" for child in plan[parent]]
    return plan


def _tree(number: int, before: int, say: Callable[[str], None]) -> tuple[float, float]:
    """Statements and seconds of CPU a unit, of a tree of so many: from its spawn until all is retired.

    A smaller one comes before it: what a new daemon reads and compiles once is not counted."""
    place = Installation(daemon="counting_daemon.py")
    try:
        _fill(place)
        place.start_daemon()
        key = place.call("issue_coordinator_key", machine=processes.machine_id(), name="bench")["key"]
        hands = InstantHands(place.home.socket_in_use(), key, "bench")
        try:
            _grow(place, hands, before)
            counted, used, begun = place.counted(), cpu_s([place.daemon_pid]), time.monotonic()
            _grow(place, hands, number)
            counted, used = place.counted() - counted, cpu_s([place.daemon_pid]) - used
        finally:
            hands.close()
    finally:
        place.close()
    say(f"units: {number} in {time.monotonic() - begun:.0f} s")
    return counted / number, used / number


def _grow(place: Installation, hands: InstantHands, number: int) -> None:
    """A tree of so many, until its mission is completed."""
    hands.plan = plan_of(number)
    wish = {"project": PROJECT, "requirements": "goal: many\n", "onto": "main", "at_once": True}
    mission = place.call("spawn_tree", **wish)["mission"]

    def is_over() -> bool:
        if hands.turn():
            return False
        status = place.call("show_mission", mission=mission)["mission"]["status"]
        return bool(status == "completed")

    until(is_over, f"{number} units", LIMIT_S)


def _fill(place: Installation) -> None:
    place.repo.mkdir()
    context = open_context(place.home, place.home.database)
    limits = {"depth": 12, "children": FAN_OUT, "total": 10_000, "fruitless": 10_000}
    with context.store.change() as tx:
        projects.insert(
            tx,
            ProjectRow(
                id=PROJECT,
                name="bench",
                path=str(place.repo),
                machine=processes.machine_id(),
                base="main",
                settings={"units": limits},
                created_at=1.0,
            ),
        )
        first = commit_of("main")
        tip = TargetRow(
            project=PROJECT, name="main", tip=first, tip_tree=first, trusted_tree=first, published=first
        )
        projects.put_target(tx, tip)
        agent = AgentRow(id="ann", name="ann", client="command", command="true", slots=SLOTS, created_at=1.0)
        agents.insert(tx, agent)
        projects.assign(tx, PROJECT, "ann")
    context.store.close()
