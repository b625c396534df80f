"""The worker treats each order as the acts say; here by acts of the test, without git or a daemon."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from toryo.domain.errors import Hindered
from toryo.domain.words import OrderKind
from toryo.place.acts import Acts, Done, Handling, Result
from toryo.place.daemon_client import Daemon
from toryo.place.journal import Entry, Journal
from toryo.place.lifecycle import Lifecycle
from toryo.place.order_set import OrderSet
from toryo.place.outbox import Outbox
from toryo.place.reporter import Reporter
from toryo.place.worker import Worker
from toryo.protocol.kinds.work import Restored
from toryo.protocol.order import Order
from waiting import eventually


@dataclass(frozen=True)
class CallingActs(Acts):
    """Each order is a call of a function that the test gives."""

    handled: Handling
    call: Callable[[Order], None]
    lanes: Mapping[str, int] = field(default_factory=lambda: {"calls": 2})
    followers: Mapping[str, str] = field(default_factory=dict)
    failures: list[Exception] = field(default_factory=list)

    def handling(self, order: Order) -> Handling:
        return self.handled

    def carry_out(self, order: Order) -> Result:
        self.call(order)
        return Done("restored", Restored())

    def failed(self, order: Order, error: Exception) -> Result:
        self.failures.append(error)
        return Done("restored", Restored())

    def may_begin(self, order: Order) -> bool:
        return order.id not in self.followers.values()

    def follower(self, order: Order, wanted: Iterable[Order]) -> Order | None:
        return next((one for one in wanted if self.followers.get(order.id) == one.id), None)


class Desk:
    """A place on disk that has never spoken with a daemon: what it reports waits in the outbox."""

    def __init__(self, folder: Path) -> None:
        self.orders = OrderSet()
        self.journal = Journal(folder / "orders")
        self.outbox = Outbox(folder / "outbox")
        daemon = Daemon(folder / "mcp.sock", "plnr_x")
        self.reporter = Reporter(self.outbox, daemon, on_superseded=lambda: None)
        self.lifecycle = Lifecycle()
        self.workers: list[Worker] = []

    def worker(self, acts: Acts) -> Worker:
        self.workers.append(Worker(self.orders, acts, self.journal, self.reporter, self.lifecycle))
        return self.workers[-1]

    def reported(self) -> list[str]:
        batch = self.outbox.batch()
        return [fact.order for fact in batch.facts] if batch else []


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    for worker in made.workers:
        worker.close()
    names = ("calls-",)
    eventually(lambda: not [one for one in threading.enumerate() if one.name.startswith(names)])


def order(name: str) -> Order:
    return Order(id=name, kind=OrderKind.RESTORE, key=name)


def test_an_order_is_journalled_before_its_effect_and_reported_after_it(desk: Desk) -> None:
    seen: list[object] = []
    acts = CallingActs(Handling("calls"), lambda order: seen.append(desk.journal.find(order.id)))
    desk.worker(acts).replace([order("1")], 0.0)
    eventually(lambda: desk.reported() == ["1"])
    assert seen == [Entry(None)], "the intent"
    entry = desk.journal.find("1")
    assert entry is not None
    assert entry.outcome is not None


def test_an_effect_that_notes_its_own_intent_has_no_entry_before_it(desk: Desk) -> None:
    seen: list[object] = []
    acts = CallingActs(
        Handling("calls", has_intent=False), lambda order: seen.append(desk.journal.find(order.id))
    )
    desk.worker(acts).replace([order("1")], 0.0)
    eventually(lambda: desk.reported() == ["1"])
    assert seen == [None]
    assert desk.journal.find("1") is not None


def test_an_order_that_was_done_before_is_answered_from_the_journal(desk: Desk) -> None:
    calls: list[str] = []
    acts = CallingActs(Handling("calls"), lambda order: calls.append(order.id))
    desk.worker(acts).replace([order("1")], 0.0)
    eventually(lambda: desk.reported() == ["1"])
    eventually(lambda: not desk.orders.is_busy("1"))
    desk.outbox.acknowledge(range(1, 10))
    desk.worker(acts).replace([order("1")], 0.0)
    eventually(lambda: desk.reported() == ["1"])
    assert calls == ["1"]


def test_a_follower_begins_before_what_it_follows_is_reported(desk: Desk) -> None:
    reported: list[list[str]] = []
    acts = CallingActs(
        Handling("calls"), lambda order: reported.append(desk.reported()), followers={"1": "2"}
    )
    desk.worker(acts).replace([order("1"), order("2")], 0.0)
    eventually(lambda: desk.reported() == ["1", "2"])
    assert reported == [[], []]


def test_what_is_in_the_way_is_shown_and_gone_with_the_way(desk: Desk) -> None:
    stones = [Hindered("the model is away")]

    def call(order: Order) -> None:
        if stones:
            raise stones[0]

    acts = CallingActs(Handling("calls"), call)
    desk.worker(acts).replace([order("1")], 0.0)
    eventually(desk.orders.hindrances)
    assert not desk.reported()
    stones.clear()
    eventually(lambda: desk.reported() == ["1"])
    eventually(lambda: not desk.orders.hindrances())
    assert acts.failures == []


def test_a_superseded_place_finishes_what_it_began_and_begins_nothing(desk: Desk) -> None:
    begun, end = threading.Event(), threading.Event()

    def call(order: Order) -> None:
        begun.set()
        assert end.wait(10)

    worker = desk.worker(CallingActs(Handling("calls"), call, lanes={"calls": 1}))
    worker.replace([order("1"), order("2")], 0.0)
    assert begun.wait(10)
    desk.lifecycle.supersede()
    end.set()
    eventually(lambda: desk.reported() == ["1"])
    eventually(lambda: not desk.orders.is_busy("2"))
    assert desk.journal.find("2") is None
