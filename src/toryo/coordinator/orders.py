"""The set of orders that the daemon wants from us now, and each one's way: journal, effect, report.

Level-triggered: a set says what is wanted, not what is new. How a kind is carried out is left to `act`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from toryo import disks
from toryo.coordinator.act import Acts, Again, Begun, Done, Result
from toryo.coordinator.journal import Journal, Outcome
from toryo.coordinator.lanes import Lane
from toryo.coordinator.reporter import Reporter
from toryo.coordinator.standing import Standing
from toryo.domain.errors import Hindered, ToryoError
from toryo.domain.words import OrderKind
from toryo.processes import TimeLimit
from toryo.protocol.models import Model, Order
from toryo.protocol.wire import WireError
from toryo.steps import step

log = logging.getLogger(__name__)

RETRY_S = 1.0
LONG_RETRY_S = 30.0
_TIDY_EVERY_S = 3600.0
_UNJOURNALLED = frozenset({OrderKind.READ})
_INTENT_ELSEWHERE = frozenset({OrderKind.SAY, OrderKind.NOTIFY})
"""Each message has a note, or a place in the spool, of its own before an agent can hear it (ADR 27); a notice
has one right before its command starts (ADR 44)."""


class Orders:
    acts: Acts
    """Set once, by whoever joins the parts: the acts ask back whether an order is still wanted."""

    def __init__(
        self,
        journal: Journal,
        reporter: Reporter,
        standing: Standing,
        *,
        quick_hands: int = 8,
        check_hands: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._journal = journal
        self._reporter = reporter
        self._standing = standing
        self._clock = clock
        self._lock = threading.Lock()
        self._wanted: dict[str, Order] = {}
        self._busy: set[str] = set()
        self._acting: set[str] = set()
        self._told: dict[str, Model] = {}
        self._hindered: dict[str, Hindered] = {}
        self._heard = False
        self._tidied = clock() - _TIDY_EVERY_S
        self._quick = Lane("orders", quick_hands)
        self._checks = Lane("checks", check_hands)
        self._notices = Lane("notices", 1)  # a person's own command: it holds up nothing but the next notice

    def wanted(self) -> dict[str, Order]:
        return dict(self._wanted)

    def is_wanted(self, order_id: str) -> bool:
        return order_id in self._wanted

    def busy_runs(self) -> frozenset[str]:
        """Runs that something is being done for."""
        with self._lock:
            return frozenset(
                self._wanted[one].run for one in self._busy if one in self._wanted and self._wanted[one].run
            )

    def is_to_stop(self, run: str) -> bool:
        return any(order.kind is OrderKind.STOP and order.run == run for order in self.wanted().values())

    def is_busy(self, order_id: str) -> bool:
        with self._lock:
            return order_id in self._busy

    def is_acting(self) -> bool:
        """Whether an effect is under way, or its report."""
        return bool(self._acting)

    def replace(self, orders: Iterable[Order], asked_at: float) -> None:
        """The complete set, as the daemon gave it to a call that we made at `asked_at`."""
        with self._lock:
            self._wanted = {order.id: order for order in orders}
            self._heard = True
        for order in self.wanted().values():
            self._consider(order, asked_at)

    def add(self, order: Order, then: Order | None = None) -> None:
        """Ahead of the next set: what a claim brought."""
        with self._lock:
            self._wanted |= {one.id: one for one in (order, then) if one is not None}
        self._consider(order, self._clock())

    def hindrances(self) -> list[Hindered]:
        """What stands in the way of orders that wait: each once."""
        found = {one.message: one for one in dict(self._hindered).values()}
        return [found[message] for message in sorted(found)]

    def conclude(self, order: Order, outcome: Outcome) -> None:
        """A begun order (a run) has told its end: note it, not in the teller's own time."""

        def note() -> None:
            try:
                self._journal.conclude(order, outcome)
            except OSError as unwritten:  # let go all the same: the run's own record answers for it
                _log_waiting(order, unwritten)
                self._quick.put_later(note, RETRY_S)
            finally:
                self.finished(order.id)

        self._quick.put(note)

    def finished(self, order_id: str) -> None:
        """A begun order (a run) has its final fact."""
        with self._lock:
            self._busy.discard(order_id)

    def reconsider(self, order_id: str) -> None:
        """A begun order came to nothing: once more, if it is still wanted."""
        self.finished(order_id)
        order = self._wanted.get(order_id)
        if order is not None:
            self._consider(order, self._clock())

    def tidy(self) -> None:
        """Once an hour: forget what nobody asks about any more."""
        now = self._clock()
        if not self._heard or now - self._tidied < _TIDY_EVERY_S:
            return
        self._tidied = now
        open_orders = frozenset(self._wanted)
        self._reporter.forget(open_orders)
        self._journal.forget(open_orders | self._reporter.answering())

    def close(self) -> None:
        self._quick.close()
        self._checks.close()
        self._notices.close()

    def _consider(self, order: Order, asked_at: float) -> None:
        if not self._standing.may_act or order.id in self._reporter.answering():
            return
        if not self.acts.may_begin(order):
            return  # it comes after the order that makes its worktree
        answered = self._reporter.answered_at(order.id)
        if answered is not None and answered >= asked_at:
            return  # the set is older than our answer
        if self._make_busy(order):
            self._lane(order).put(lambda: self._carry_out(order))

    def _make_busy(self, order: Order) -> bool:
        with self._lock:
            if order.id in self._busy:
                return False
            self._busy.add(order.id)
            return True

    def _carry_out(self, order: Order) -> None:
        self._guarded(order, lambda: self._do(order))

    def _guarded(self, order: Order, work: Callable[[], bool]) -> None:
        """`work` says whether the order stays busy after it."""
        stays_busy = False
        self._acting.add(order.id)
        try:
            if order.id in self._wanted and self._standing.may_act:
                stays_busy = work()
            self._hindered.pop(order.id, None)
        except WireError as away:
            # no fact about the order: the daemon went away in the middle
            log.warning("Order waits for the daemon", extra={"order": order.id, "reason": away.message})
            self._again(order, RETRY_S)
            stays_busy = True
        except (OSError, Hindered) as hindered:
            # it says nothing about the effect, so it is no failure of the order
            self._wait_for_the_way(order, hindered)
            stays_busy = True
        except Exception:  # a worker's outermost edge: one order must not end the others
            log.exception("Order waits after a bug", extra={"order": order.id, "kind": order.kind})
            self._again(order, LONG_RETRY_S)
            stays_busy = True
        finally:
            self._acting.discard(order.id)
            if not stays_busy:
                self.finished(order.id)

    def _wait_for_the_way(self, order: Order, hindered: OSError | Hindered) -> None:
        known = hindered
        if isinstance(known, OSError):  # of journal or outbox
            full = disks.is_about_space(known)
            unwritten = f"it cannot be written down: {known}"[:500]
            known = disks.full(self._journal.folder) if full else Hindered(unwritten)
        before = self._hindered.get(order.id)
        if before is None or before.message != known.message:  # once, however long it waits
            log.warning("Order waits: %s", known.message, extra={"order": order.id, "kind": order.kind})
        self._hindered[order.id] = known
        self._again(order, RETRY_S)

    def _do(self, order: Order) -> bool:
        """Whether the order stays busy after this."""
        result = self._perform(order)
        after = self._following(order)
        if after is None:
            return self._settle(order, result)
        # the agent does not wait until its preparation is told
        begun: list[Result | Outcome] = []

        def begin() -> bool:
            begun.append(self._perform(after))
            return True

        self._guarded(after, begin)
        if begun:
            self.acts.let_begin(after)
        with self._reporter.together():
            try:
                return self._settle(order, result)
            finally:
                if begun:
                    self._guarded(after, lambda: self._settle(after, begun[0]))

    def _perform(self, order: Order) -> Result | Outcome:
        """Its effect, or how it ended when it was done before."""
        journalled = order.kind not in _UNJOURNALLED
        entry = self._journal.find(order.id) if journalled else None
        if entry is not None and entry.outcome is not None:
            return entry.outcome
        if journalled and entry is None and order.kind not in _INTENT_ELSEWHERE:
            self._journal.intend(order)
        step(f"{order.kind}.before")
        result = self._effect(order)
        step(f"{order.kind}.after")
        return result

    def expected_run(self, run: str) -> Order | None:
        """The order that follows the preparation of this run, its intent written down ahead of its turn."""
        for order in self.wanted().values():
            if order.kind is OrderKind.RUN and order.run == run and not order.inputs.get("worktree"):
                if self.is_busy(order.id) or self._journal.find(order.id) is not None:
                    return None
                self._journal.intend(order)
                return order
        return None

    def _following(self, order: Order) -> Order | None:
        """The run that this preparation was for, made busy."""
        if order.kind is not OrderKind.PREPARE:
            return None
        for other in self.wanted().values():
            if other.kind is OrderKind.RUN and other.run == order.run and self.acts.may_begin(other):
                return other if self._make_busy(other) else None
        return None

    def _settle(self, order: Order, result: Result | Outcome) -> bool:
        """Whether the order stays busy."""
        match result:
            case Outcome():
                self._tell(order, result)
                return False
            case Begun():
                result.tell()
                step(f"{order.kind}.reported")
                return True
            case Again():
                self._tell_waiting(order, result)
                self._again(order, result.after_s)
                return True
            case Done():
                self._conclude(order, result)
                return False

    def _conclude(self, order: Order, done: Done) -> None:
        outcome = Outcome(done.fact, done.model.model_dump(mode="json"), dict(done.blobs))
        if order.kind not in _UNJOURNALLED:
            outcome = self._journal.conclude(order, outcome)
        self._tell(order, outcome)

    def _tell(self, order: Order, outcome: Outcome) -> None:
        self._report(order, outcome)
        self._told.pop(order.id, None)
        self.acts.after(order, outcome.body)

    def _tell_waiting(self, order: Order, again: Again) -> None:
        """On the way, and only when the reason is another one than last time."""
        if self._told.get(order.id) == again.model:
            return
        body = again.model.model_dump(mode="json")
        self._reporter.report(
            again.fact, body, order=order.id, generation=order.generation, subject=f"{again.fact}:{order.id}"
        )
        self._told[order.id] = again.model

    def _effect(self, order: Order) -> Result:
        try:
            return self.acts.carry_out(order)
        except (WireError, Hindered):
            raise
        except (ToryoError, OSError, TimeLimit, ValueError) as failed:
            disks.insist_on_space(failed, self._journal.folder, *_places(order))
            log.warning(
                "Order failed", extra={"order": order.id, "kind": order.kind, "reason": str(failed)[:2000]}
            )
            return self.acts.failed(order, failed)
        except Exception as bug:
            log.exception("Order failed by a bug", extra={"order": order.id, "kind": order.kind})
            return self.acts.failed(order, bug)

    def _report(self, order: Order, outcome: Outcome) -> None:
        if outcome.blobs or order.kind in _UNJOURNALLED:
            self._reporter.report(
                outcome.fact, outcome.body, order=order.id, generation=order.generation, blobs=outcome.blobs
            )
        else:  # after a crash the journal answers the order again: no second durable copy on the way
            self._reporter.report_records(
                [(outcome.fact, outcome.body)], order=order.id, generation=order.generation
            )
        step(f"{order.kind}.reported")

    def _again(self, order: Order, after_s: float) -> None:
        # as it is wanted by then: a repository that was moved has another path
        self._lane(order).put_later(lambda: self._carry_out(self._wanted.get(order.id, order)), after_s)

    def _lane(self, order: Order) -> Lane:
        if order.kind is OrderKind.NOTIFY:
            return self._notices
        return self._checks if order.kind is OrderKind.CHECK else self._quick


def _places(order: Order) -> list[Path]:
    """Where it writes besides the home: the repository, a worktree."""
    named = [order.inputs.get(key) for key in ("worktree", "repo", "path", "destination")]
    return [Path(place) for place in named if isinstance(place, str) and place.startswith("/")]


def _log_waiting(order: Order, unwritten: OSError) -> None:
    log.warning(
        "Order waits: it cannot be written down",
        extra={"order": order.id, "kind": order.kind, "reason": str(unwritten)[:500]},
    )
