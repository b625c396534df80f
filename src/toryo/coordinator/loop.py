"""The coordinator's loop: register, then look for work when the daemon says so, and at every interval anyway.

It knows where to work and never what. Orders come by `listen`, are carried out by `orders` and `act`, and the
agents' ends are told by `runs`; this loop only asks who may start.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toryo.coordinator.calls import Daemon, Place
from toryo.coordinator.claims import Claims
from toryo.coordinator.config import Config
from toryo.coordinator.lines import Lines
from toryo.coordinator.listen import Listener
from toryo.coordinator.observe import Targets
from toryo.coordinator.orders import Orders
from toryo.coordinator.reporter import Reporter
from toryo.coordinator.runs import Runs
from toryo.coordinator.signs import Signs
from toryo.coordinator.standing import Standing
from toryo.coordinator.tidying import Trash
from toryo.coordinator.windows import Windows
from toryo.protocol.wire import ToolFailed, WireError
from toryo.workbench.git import questions

log = logging.getLogger(__name__)

_LAUNCH_S = 1.0
"""So long after a claim targets are looked at by the interval only: that git would slow down the launch."""


@dataclass
class Loop:
    daemon: Daemon
    machine: str
    about: Callable[[], Mapping[str, Any]]
    config: Config
    standing: Standing
    reporter: Reporter
    runs: Runs
    orders: Orders
    listener: Listener
    targets: Targets
    claims: Claims
    windows: Windows
    lines: Lines
    signs: Signs
    place: Place | None = None
    beat_at: float = 0.0
    claimed_at: float = 0.0
    trash: Trash = field(default_factory=Trash)
    renew_key: Callable[[], bool] = lambda: False

    def run(self) -> None:
        self.runs.attach()  # before the daemon answers: an agent that ends meanwhile must be seen
        self.windows.attend_all(self.runs.live())
        while not self._is_over():
            if self._cycle():
                self.standing.rest(self.config.polling_interval)
            else:
                self._rest_until_the_daemon_is_back()
        self.close()

    def close(self) -> None:
        """Agents and their shims go on; what was not reported waits on disk."""
        self.standing.end()
        self.orders.close()
        self.windows.close()
        self.runs.close()
        self.reporter.close()
        self.daemon.close()
        self.claims.daemon.close()
        self.lines.close()

    def _cycle(self) -> bool:
        """False: the daemon cannot be reached."""
        try:
            if self.place is not None or self._register():
                self._look_for_work()
        except WireError as away:
            log.warning("MCP server not available, retrying...", extra={"reason": away.message})
            return False
        except ToolFailed as refused:
            log.warning("Failed to get project list: %s", refused.message, extra={"hint": refused.hint})
            self._replace_refused_key()
        except Exception:  # the loop's outermost edge: a bug costs a cycle, never the agents' watch
            log.exception("Cycle failed by a bug")
        return True

    def _register(self) -> bool:
        try:
            self.place = self.daemon.register(self.about())
        except ToolFailed as refused:
            log.warning("Registration refused: %s", refused.message, extra={"hint": refused.hint})
            self._replace_refused_key()
            return False
        log.info("Registered", extra={"coordinator": self.place.id, "incarnation": self.place.incarnation})
        self.reporter.introduce(self.place)
        self.listener.start(self.place)
        return True

    def _replace_refused_key(self) -> None:
        """Only where it is the key that was refused: everybody may ask for the daemon's health."""
        try:
            self.daemon.is_healthy()
        except ToolFailed:
            try:
                renewed = self.renew_key()
            except (WireError, ToolFailed, OSError) as failed:
                log.warning("No other key was given", extra={"reason": str(failed)[:500]})
                return
            if renewed:
                log.info("Another key is in use")
                self.place = None  # by it we register again: the daemon may have forgotten us altogether
        except WireError:
            return

    def _look_for_work(self) -> None:
        if not self.daemon.is_healthy():
            log.warning("MCP server unhealthy, skipping cycle")
            return
        self.reporter.try_again()
        place = self.place
        if place is None or not self.standing.may_act:
            return
        beats = self._beat(place)
        self.orders.tidy()
        self.runs.end_overdue()
        if beats:
            self.runs.park_waiting()
            self.signs.look_all()
            questions.TALKS.rest()
        here = ("", self.machine)
        projects = [project for project in self.daemon.projects(place) if project.machine in here]
        self.trash.empty(projects)
        if [project for project in projects if self.claims.visit(place, project)]:
            self.claimed_at = time.monotonic()
        if beats or time.monotonic() - self.claimed_at > _LAUNCH_S:
            self.targets.look(projects)

    def _beat(self, place: Place) -> bool:
        """Once per interval, however often we are woken: renews the tokens of the agents that live."""
        now = time.monotonic()
        if now - self.beat_at < 0.9 * self.config.polling_interval:
            return False
        if self.daemon.heartbeat(place, sorted(self.runs.live()), self.orders.hindrances()):
            self.standing.supersede()
        self.beat_at = now
        return True

    def _rest_until_the_daemon_is_back(self) -> None:
        """One line in the log per interval, but work goes on within a second of its return."""
        end = time.monotonic() + self.config.polling_interval
        while (left := end - time.monotonic()) > 0 and not self._is_over():
            self.standing.rest(min(1.0, left))
            try:
                if self.daemon.is_healthy():
                    return
            except (WireError, ToolFailed):
                continue

    def _is_over(self) -> bool:
        # one that is superseded tells what it has done, too late as it is, and leaves nothing half done
        return self.standing.ending or (
            self.standing.superseded and not self.runs.live() and not self.orders.is_acting()
        )
