"""Asks for work, pair by pair, up to `max_concurrent` runs of our own. A run is born at the daemon's."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from toryo.coordinator.calls import Daemon, Place, Project
from toryo.coordinator.config import Config
from toryo.coordinator.observe import Targets
from toryo.domain.words import OrderKind
from toryo.protocol.models import Order
from toryo.protocol.wire import ToolFailed, WireError
from toryo.workbench.git.looks import Looks

log = logging.getLogger(__name__)

LAUNCH_S = 0.02
"""About what a launch takes, which has this process and the daemon to itself where nothing else can begin."""
_OF_A_RUN = frozenset({OrderKind.PREPARE, OrderKind.RUN})


class Capacity:
    """Our own live runs: claimed, prepared, started or still shimmed."""

    def __init__(
        self,
        most: int,
        live: Callable[[], frozenset[str]],
        busy: Callable[[], frozenset[str]] = frozenset,
        *,
        grace_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._live = live
        self._busy = busy
        self._grace_s = grace_s
        self._clock = clock
        self._lock = threading.Lock()
        self._ordered: frozenset[str] = frozenset()
        self._claimed: dict[str, float] = {}
        self.was_full = False

    def claimed(self, run: str) -> None:
        with self._lock:
            self._claimed[run] = self._clock()

    def ended(self, run: str) -> None:
        with self._lock:
            self._claimed.pop(run, None)

    def ordered(self, orders: Iterable[Order]) -> None:
        """The runs that the daemon still has orders for."""
        now = self._clock()
        with self._lock:
            self._ordered = frozenset(order.run for order in orders if order.kind in _OF_A_RUN and order.run)
            for run in self._ordered & self._claimed.keys():
                self._claimed[run] = now

    def is_full(self) -> bool:
        self.was_full = len(self._runs()) >= self._most
        return self.was_full

    def _runs(self) -> frozenset[str]:
        now = self._clock()
        with self._lock:
            # between `prepared` and the order to run it, no order names the run for a moment
            fresh = {run for run, seen in self._claimed.items() if now - seen < self._grace_s}
            self._claimed = {run: self._claimed[run] for run in fresh}
            return self._live() | self._busy() | self._ordered | fresh


@dataclass(frozen=True)
class Claims:
    daemon: Daemon
    config: Config
    capacity: Capacity
    take: Callable[[Order, Order | None], None]
    """Carries out the order that came with a claim, and what comes after it."""
    on_superseded: Callable[[], None]
    targets: Targets
    """Looked at before a claim: a run should start from the commit that a person has just made."""
    looks: Looks = field(default_factory=Looks)
    """Begun before a claim: the checkout is read while the daemon decides."""
    rest: Callable[[float], None] = time.sleep
    turn: threading.Lock = field(default_factory=threading.Lock)
    unanswered: dict[tuple[str, str], str] = field(default_factory=dict)
    """Pair → the request whose answer was lost: asked again under the same id until it is answered."""

    def visit(self, place: Place, project: Project) -> bool:
        """Whether anything was claimed."""
        with self.turn:
            return self._visit(place, project)

    def at_once(self, place: Place, pairs: Iterable[tuple[str, str]]) -> None:
        """The daemon named pairs that may start: no need to ask whether they should."""
        with self.turn:
            for agent, project in pairs:
                if not self.config.serves(agent) or self.capacity.is_full():
                    continue
                try:
                    if not self.targets.look_at(project):
                        self.targets.know(self.daemon.projects(place))
                        self.targets.look_at(project)
                    self.looks.begin(self.targets.directory(project))
                    self.unanswered.setdefault((agent, project), secrets.token_hex(16))
                    self._claim(place, agent, project)
                except (WireError, ToolFailed) as failed:
                    log.warning("Failed to claim %s/%s: %s", agent, project, failed.message)

    def _visit(self, place: Place, project: Project) -> bool:
        claimed = False
        self.targets.know((project,))
        self.targets.look_at(project.id)
        for agent in project.agents:
            if not self.config.serves(agent):
                log.debug("No passkey config for %s, skipping", agent)
                continue
            try:
                while not self.capacity.is_full() and self._claim(place, agent, project.id):
                    claimed = True
            except (WireError, ToolFailed) as failed:
                log.warning("Failed to check %s/%s: %s", agent, project.id, failed.message)
        return claimed

    def _claim(self, place: Place, agent: str, project: str) -> bool:
        """Whether a run was claimed, so that asking once more may bring another."""
        pair = (agent, project)
        if pair not in self.unanswered:
            if not self.daemon.should_start(agent, project):
                return False
            self.unanswered[pair] = secrets.token_hex(16)
        try:
            claim = self.daemon.claim(place, agent, project, self.unanswered[pair])
        except ToolFailed:
            del self.unanswered[pair]  # that was an answer
            raise
        del self.unanswered[pair]
        if claim.superseded:
            self.on_superseded()
        if not claim.claimed:
            log.debug("%s/%s waits for %s", agent, project, claim.waiting_for)
            return False
        self.capacity.claimed(claim.run)
        if claim.order is not None:
            self.take(claim.order, claim.then)
        if claim.is_last:
            self.rest(LAUNCH_S)
        log.info("Run claimed", extra={"run": claim.run, "agent": agent, "project": project})
        return True
