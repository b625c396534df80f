"""The coordinator's loop: watch what runs, and look for work when the daemon says so and at every interval.

Registration, heartbeat and what becomes of a daemon that is away are every place's (`place/place_loop.py`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import ClassVar

from toryo import processes
from toryo.coordinator.claims import Claims
from toryo.coordinator.daemon_calls import CoordinatorDaemon
from toryo.coordinator.observe.targets import Targets
from toryo.coordinator.runs.runs import Runs
from toryo.coordinator.runs.signs import Signs
from toryo.coordinator.runs.windows import Windows
from toryo.coordinator.tidying import Trash
from toryo.place.asks import Asks
from toryo.place.daemon_client import Registered
from toryo.place.place_loop import PlaceLoop
from toryo.workbench.git.door import batch_git

_LAUNCH_S = 1.0
"""So long after a claim targets are looked at by the interval only: that git would slow down the launch."""

_GLANCE_S = 2.0
"""How often branches are looked at between two cycles: a few stats each while nobody moves them."""


@dataclass
class Loop(PlaceLoop[CoordinatorDaemon]):
    runs: Runs
    targets: Targets
    claims: Claims
    windows: Windows
    signs: Signs
    asks: Asks
    refusal: ClassVar[str] = "Failed to get project list: %s"
    claimed_at: float = 0.0
    trash: Trash = field(default_factory=Trash)

    def begin(self) -> None:
        self.runs.attach()  # before the daemon answers: an agent that ends meanwhile must be seen
        self.windows.attend_all(self.runs.live())

    def look(self, place: Registered, has_beaten: bool) -> None:
        self.runs.end_overdue()
        if has_beaten:
            self.runs.park_waiting()
            self.signs.look_all()
            batch_git.TALKS.rest()
        here = ("", processes.machine_id())
        projects = [project for project in self.daemon.projects(place) if project.machine in here]
        self.trash.empty(projects)
        if [project for project in projects if self.claims.visit(place, project)]:
            self.claimed_at = time.monotonic()
        if has_beaten or time.monotonic() - self.claimed_at > _LAUNCH_S:
            self.targets.look(projects)
        else:
            self.targets.know(projects)

    def rest(self) -> None:
        """Until woken, at most an interval. Reported within two seconds: a person's move of a branch, and a
        hindrance that came or went."""
        end = time.monotonic() + self.registration.interval_s
        while (left := end - time.monotonic()) > 0:
            if self.lifecycle.rest(min(_GLANCE_S, left)):
                return
            may_look = self.registration.place is not None and self.lifecycle.may_act
            if may_look and (self.targets.look_again_at_known() or self.registration.has_news()):
                return

    def is_at_work(self) -> bool:
        return bool(self.runs.live()) or super().is_at_work()

    def close(self) -> None:
        """Agents and their shims go on."""
        self.lifecycle.end()
        self.windows.close()
        self.runs.close()
        self.claims.daemon.close()
        self.asks.close()
        super().close()
