"""Claims of work, pair by pair, up to `max_concurrent` runs of our own. A run is born at the daemon's."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from toryo.coordinator.config import Config
from toryo.coordinator.daemon_calls import CoordinatorDaemon, Project
from toryo.coordinator.observe.programs import Programs
from toryo.coordinator.observe.targets import Targets
from toryo.domain.words import OrderKind
from toryo.place.daemon_client import Registered
from toryo.place.order_set import OrderSet
from toryo.protocol.order import Order
from toryo.protocol.wire import ToolFailed, WireError
from toryo.workbench.git.keep.fingerprint_prefetch import FingerprintPrefetch

log = logging.getLogger(__name__)

_OF_A_RUN = frozenset({OrderKind.PREPARE, OrderKind.RUN})


class Capacity:
    """Our own live runs: claimed, prepared, started or still shimmed."""

    def __init__(
        self,
        most: int,
        live: Callable[[], frozenset[str]],
        orders: OrderSet,
        *,
        grace_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._live = live
        self._orders = orders
        self._grace_s = grace_s
        self._clock = clock
        self._lock = threading.Lock()
        self._ordered: frozenset[str] = frozenset()
        self._claimed: dict[str, float] = {}
        self._resting: dict[str, frozenset[str]] = {}
        self.was_full = False

    def rest(self, project: str, runs: frozenset[str]) -> None:
        """Runs of its units that only wait for their children."""
        with self._lock:
            self._resting[project] = runs

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
        busy = frozenset(order.run for order in self._orders.busy() if order.run)
        with self._lock:
            # between `prepared` and the order to run it, no order names the run for a moment
            fresh = {run for run, seen in self._claimed.items() if now - seen < self._grace_s}
            self._claimed = {run: self._claimed[run] for run in fresh}
            return (self._live() | busy | self._ordered | fresh).difference(*self._resting.values())


@dataclass(frozen=True)
class Claims:
    daemon: CoordinatorDaemon
    config: Config
    capacity: Capacity
    take: Callable[[Order, Order | None], None]
    """Carries out the order that came with a claim, and what comes after it."""
    on_superseded: Callable[[], None]
    targets: Targets
    """Looked at before a claim: a run should start from the commit that a person has just made."""
    programs: Programs
    prefetch: FingerprintPrefetch
    """Begun before a claim: the checkout is read while the daemon decides."""
    turn: threading.Lock = field(default_factory=threading.Lock)
    unanswered: dict[tuple[str, str], str] = field(default_factory=dict)
    """Pair → the request whose answer was lost: asked again under the same id until it is answered."""

    def visit(self, place: Registered, project: Project) -> bool:
        """Whether anything was claimed."""
        with self.turn:
            return self._visit(place, project)

    def at_once(
        self, place: Registered, pairs: Iterable[tuple[str, str]], programs: Iterable[str] = ()
    ) -> None:
        """The daemon named pairs that may start, and what they start: no need to ask whether they should."""
        with self.turn:
            self.programs.expect(programs)
            for agent, project in pairs:
                if not self.config.serves(agent) or self._is_full(place):
                    continue
                try:
                    self.programs.tell(self.daemon, place)
                    if not self.targets.look_at(project):
                        self._know(self.daemon.projects(place))
                        self.targets.look_at(project)
                    self.prefetch.begin(self.targets.directory(project))
                    self.unanswered.setdefault((agent, project), secrets.token_hex(16))
                    self._claim(place, agent, project)
                except (WireError, ToolFailed) as failed:
                    log.warning("Failed to claim %s/%s: %s", agent, project, failed.message)

    def _is_full(self, place: Registered) -> bool:
        """Where it seems so, after asking which runs only wait for others."""
        if self.capacity.is_full():
            self._know(self.daemon.projects(place))
        return self.capacity.is_full()

    def _know(self, projects: Iterable[Project]) -> None:
        known = tuple(projects)
        self.targets.know(known)
        for project in known:
            self.capacity.rest(project.id, project.resting)

    def _visit(self, place: Registered, project: Project) -> bool:
        claimed = False
        self.programs.expect(project.programs)
        self.programs.tell(self.daemon, place)
        self._know((project,))
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

    def _claim(self, place: Registered, agent: str, project: str) -> bool:
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
        log.info("Run claimed", extra={"run": claim.run, "agent": agent, "project": project})
        return True
