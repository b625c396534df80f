"""Worker of a place: each wanted order's way through journal, effect and report.

What is wanted is in the order set; how a kind is carried out is left to the acts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable

from toryo import disks
from toryo.domain.errors import Hindered, ToryoError
from toryo.place.acts import Acts, Again, Begun, Done, Result
from toryo.place.journal import Journal, Outcome
from toryo.place.lanes import Lane
from toryo.place.lifecycle import Lifecycle
from toryo.place.order_set import OrderSet
from toryo.place.reporter import Reporter
from toryo.processes import TimeLimit
from toryo.protocol.base import Model
from toryo.protocol.order import Order
from toryo.protocol.wire import WireError
from toryo.steps import step

log = logging.getLogger(__name__)

RETRY_S = 1.0
LONG_RETRY_S = 30.0
_TIDY_EVERY_S = 3600.0


class Worker:
    def __init__(
        self,
        orders: OrderSet,
        acts: Acts,
        journal: Journal,
        reporter: Reporter,
        lifecycle: Lifecycle,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._orders = orders
        self._acts = acts
        self._journal = journal
        self._reporter = reporter
        self._lifecycle = lifecycle
        self._clock = clock
        self._told: dict[str, Model] = {}
        self._tidied = clock() - _TIDY_EVERY_S
        self._lanes = {name: Lane(name, hands) for name, hands in acts.lanes.items()}

    def replace(self, orders: Iterable[Order], asked_at: float) -> None:
        """The complete set, as the daemon gave it to a call that we made at `asked_at`."""
        self._orders.replace(orders)
        for order in self._orders.wanted().values():
            self._consider(order, asked_at)

    def add(self, order: Order, then: Order | None = None) -> None:
        """Ahead of the next set: an order, and the one that follows it."""
        self._orders.add([one for one in (order, then) if one is not None])
        self._consider(order, self._clock())

    def conclude(self, order: Order, outcome: Outcome) -> None:
        """A begun order has told its end: note it, not in the teller's own time."""

        def note() -> None:
            try:
                self._journal_outcome(order, outcome)
            except OSError as unwritten:  # let go all the same: its own record answers for it
                _log_waiting(order, unwritten)
                self._lane(order).put_later(note, RETRY_S)
            finally:
                self._orders.let_go(order.id)

        self._lane(order).put(note)

    def reconsider(self, order_id: str) -> None:
        """A begun order came to nothing: once more, if it is still wanted."""
        self._orders.let_go(order_id)
        order = self._orders.get(order_id)
        if order is not None:
            self._consider(order, self._clock())

    def tidy(self) -> None:
        """Once an hour: forget what nobody asks about any more."""
        now = self._clock()
        if not self._orders.was_heard or now - self._tidied < _TIDY_EVERY_S:
            return
        self._tidied = now
        open_orders = frozenset(self._orders.wanted())
        self._reporter.forget(open_orders)
        self._journal.forget(open_orders | self._reporter.answering())

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()

    def _consider(self, order: Order, asked_at: float) -> None:
        if not self._lifecycle.may_act or order.id in self._reporter.answering():
            return
        if not self._acts.may_begin(order):
            return
        answered = self._reporter.answered_at(order.id)
        if answered is not None and answered >= asked_at:
            return  # the set is older than our answer
        if self._orders.make_busy(order.id):
            self._lane(order).put(lambda: self._carry_out(order))

    def _carry_out(self, order: Order) -> None:
        self._guarded(order, lambda: self._do(order))

    def _guarded(self, order: Order, work: Callable[[], bool]) -> None:
        """`work` says whether the order stays busy after it."""
        with self._orders.acting(order.id):
            stays_busy = self._survived(order, work)
        if not stays_busy:
            self._orders.let_go(order.id)

    def _survived(self, order: Order, work: Callable[[], bool]) -> bool:
        """What is in the way of `work` makes the order wait, which keeps it busy."""
        try:
            may_act = self._orders.is_wanted(order.id) and self._lifecycle.may_act
            stays_busy = may_act and work()
            self._orders.clear_the_way(order.id)
            return stays_busy
        except WireError as away:
            # no fact about the order: the daemon went away in the middle
            log.warning("Order waits for the daemon", extra={"order": order.id, "reason": away.message})
            self._again(order, RETRY_S)
        except (OSError, Hindered) as hindered:
            # it says nothing about the effect, so it is no failure of the order
            self._wait_for_the_way(order, hindered)
        except Exception:  # a worker's outermost edge: one order must not end the others
            log.exception("Order waits after a bug", extra={"order": order.id, "kind": order.kind})
            self._again(order, LONG_RETRY_S)
        return True

    def _wait_for_the_way(self, order: Order, hindered: OSError | Hindered) -> None:
        known = hindered
        if isinstance(known, OSError):  # of journal or outbox
            full = disks.is_about_space(known)
            unwritten = f"it cannot be written down: {known}"[:500]
            known = disks.full(self._journal.folder) if full else Hindered(unwritten)
        if self._orders.hinder(order.id, known):  # once, however long it waits
            log.warning("Order waits: %s", known.message, extra={"order": order.id, "kind": order.kind})
        self._again(order, RETRY_S)

    def _do(self, order: Order) -> bool:
        """Whether the order stays busy after this."""
        result = self._perform(order)
        after = self._following(order)
        if after is None:
            return self._settle(order, result)
        # it does not wait until what it follows is told
        begun: list[Result | Outcome] = []

        def begin() -> bool:
            begun.append(self._perform(after))
            return True

        self._guarded(after, begin)
        if begun:
            self._acts.let_begin(after)
        with self._reporter.together():
            try:
                return self._settle(order, result)
            finally:
                if begun:
                    self._guarded(after, lambda: self._settle(after, begun[0]))

    def _perform(self, order: Order) -> Result | Outcome:
        """Its effect, or how it ended when it was done before."""
        how = self._acts.handling(order)
        entry = self._journal.find(order.id)
        if entry is not None and entry.outcome is not None:
            return entry.outcome
        if entry is None and how.has_intent:
            self._journal.intend(order)
        step(f"{order.kind}.before")
        result = self._effect(order)
        step(f"{order.kind}.after")
        return result

    def _following(self, order: Order) -> Order | None:
        """The order that this one was for, made busy."""
        found = self._acts.follower(order, self._orders.wanted().values())
        return found if found is not None and self._orders.make_busy(found.id) else None

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
        self._tell(order, self._journal_outcome(order, outcome))

    def _journal_outcome(self, order: Order, outcome: Outcome) -> Outcome:
        return self._journal.conclude(order, outcome, durably=self._acts.handling(order).is_synced)

    def _tell(self, order: Order, outcome: Outcome) -> None:
        self._report(order, outcome)
        self._told.pop(order.id, None)
        self._acts.after(order, outcome.body)

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
            return self._acts.carry_out(order)
        except (WireError, Hindered):
            raise
        except (ToryoError, OSError, TimeLimit, ValueError) as failed:
            disks.insist_on_space(failed, self._journal.folder, *self._acts.writes_in(order))
            log.warning(
                "Order failed", extra={"order": order.id, "kind": order.kind, "reason": str(failed)[:2000]}
            )
            return self._acts.failed(order, failed)
        except Exception as bug:
            log.exception("Order failed by a bug", extra={"order": order.id, "kind": order.kind})
            return self._acts.failed(order, bug)

    def _report(self, order: Order, outcome: Outcome) -> None:
        if outcome.blobs:
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
        self._lane(order).put_later(lambda: self._carry_out(self._orders.get(order.id) or order), after_s)

    def _lane(self, order: Order) -> Lane:
        return self._lanes[self._acts.handling(order).lane]


def _log_waiting(order: Order, unwritten: OSError) -> None:
    log.warning(
        "Order waits: it cannot be written down",
        extra={"order": order.id, "kind": order.kind, "reason": str(unwritten)[:500]},
    )
