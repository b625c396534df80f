"""After a kill: how long until the system has recovered, for each kind of victim, and the work that was lost.

The kill comes at a named point that stands still (chaos/), so that each sample is of the same moment. Who
died is started again at once, by fork: what a command's own interpreter takes is in the rows of commands.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from table import Figure, Samples

sys.path.insert(0, str(Path(__file__).parents[1]))

from chaos import campaign, playing, victims
from chaos.acts import newest_run
from chaos.cases import Case
from chaos.place import Place

SEED = 5


@dataclass(frozen=True)
class Recovery:
    name: str
    case: Case
    recovered: str
    """SQL whose answer is there once the system has recovered."""


REPORTED = "select 1 from orders where kind = 'collect' and state = 'reported'"
ENDED = "select 1 from runs where outcome = '{}'"
KINDS = (
    Recovery("daemon killed → its order reported", Case("collect.before", "daemon", "ran"), REPORTED),
    Recovery(
        "coordinator killed → its order reported", Case("collect.before", "coordinator", "ran"), REPORTED
    ),
    Recovery("both killed → the order reported", Case("collect.before", "both", "ran"), REPORTED),
    Recovery("agent killed → failed", Case("run.reported", "agent", "waits"), ENDED.format("failed")),
    Recovery(
        "shim killed, its agent ends → lost", Case("run.reported", "shim", "waits"), ENDED.format("lost")
    ),
    Recovery(
        "bridge killed, its agent ends → succeeded",
        Case("run.reported", "bridge", "waits"),
        ENDED.format("succeeded"),
    ),
    Recovery("a run's whole tree killed → lost", Case("run.reported", "tree", "waits"), ENDED.format("lost")),
    Recovery("machine restarted → lost", Case("run.reported", "reboot", "waits"), ENDED.format("lost")),
    Recovery(
        "tmux server killed → its run's end", Case("screen.ready", "tmux", "screen"), ENDED.format("failed")
    ),
)


def measure(rounds: int, say: Callable[[str], None]) -> list[Figure]:
    place = Place()
    try:
        figures = [_measured(place, kind, rounds, say) for kind in KINDS]
        return [*figures, _lost_work(place, rounds, say)]
    finally:
        place.close()


def _measured(place: Place, kind: Recovery, rounds: int, say: Callable[[str], None]) -> Figure:
    seconds = [_sample(place, kind) for _ in range(rounds)]
    say(f"recovery: {kind.case.victim}, {rounds} times")
    return Figure(kind.name, "", None, Samples.of_seconds(seconds))


def _sample(place: Place, kind: Recovery) -> float:
    case = kind.case
    _, standing = playing.come_to(place, case)
    run = newest_run(place)
    if case.has_live_run:
        place.until((place.here / f"up-{run}").exists, "the agent is up")
    begun = time.perf_counter()
    victims.kill(place, case.victim, run, standing)
    victims.revive(place, standing)
    if case.victim in (victims.SHIM, victims.BRIDGE):  # the agent lives on: its own end is waited for
        (place.here / f"go-{run}").touch()
    place.until(lambda: place.rows(kind.recovered), kind.name)
    return time.perf_counter() - begun


def _lost_work(place: Place, rounds: int, say: Callable[[str], None]) -> Figure:
    """Files that agents wrote and nobody has, over a random campaign."""
    played = list(campaign.rounds(place, SEED, lambda number: number <= rounds))
    lost = sum(one.lost for one in played)
    kills = sum(len(one.killed) for one in played)
    broken = [told for one in played for told in one.broken]
    say(f"campaign: {len(played)} rounds")
    for told in broken:
        say(f"broken: {told}")
    note = f"{len(played)} rounds with seed {SEED}, {kills} kills, {len(broken)} broken invariants"
    samples = Samples(tuple(float(one.lost) for one in played))
    return Figure("work lost in a random campaign", "0", not lost, samples, unit="files", note=note)
