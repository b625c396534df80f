"""Planners as places: a key of their own kind, incarnations, their own orders, no word in another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from whole_daemon import Body, Shop

from toryo import processes
from toryo.domain.words import PLANNERS, OrderKind, PlaceKind
from toryo.engine.context import HeadContext
from toryo.engine.orders.compose import insert
from toryo.place import keys
from toryo.place.acts import Acts, Done, Handling, Result
from toryo.place.daemon_client import Daemon
from toryo.place.lifecycle import Lifecycle
from toryo.place.parts import parts
from toryo.place.place import Place
from toryo.place.place_loop import PlaceLoop
from toryo.place.worker import Worker
from toryo.protocol.base import Model
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.work import Restored, RestoreInputs
from toryo.protocol.order import Order
from toryo.store.tables import orders
from waiting import eventually


class Planner:
    """One that does nothing: the test says what it reports."""

    def __init__(self, shop: Shop, name: str = "main") -> None:
        self.shop = shop
        self.who = {"machine": "m", "name": name}
        self.key = shop.daemon.person("issue_planner_key", **self.who)["key"]
        body = shop.daemon.by(self.key, "register_planner", boot="b", pid=1, **self.who)
        self.me = {"coordinator": body["coordinator"], "incarnation": body["incarnation"]}

    def speak(self, tool: str, /, **arguments: Any) -> Body:
        return self.shop.daemon.by(self.key, tool, **self.me, **arguments)

    def orders(self) -> list[str]:
        return [one["id"] for one in self.speak("next_orders", wait_s=0)["orders"]]

    def report(self, kind: str, order: str, fact: Model, generation: int = 0) -> Body:
        body = fact.model_dump(mode="json")
        told = {"seq": 1, "kind": kind, "order": order, "generation": generation, "body": body}
        return self.speak("report_facts", facts=[told])


RESTORE = RestoreInputs(repo="/r", run="r1", snapshot="1" * 40, destination="/d")


def ask_planners(shop: Shop) -> str:
    """An order that any planner may carry out."""
    shop.daemon.change(insert, OrderKind.RESTORE, "restore/1", PLANNERS, RESTORE)

    def look(context: HeadContext) -> str:
        with context.store.read() as tx:
            found = orders.by_key(tx, "restore/1")
        assert found is not None
        return found.id

    return str(shop.daemon.do(look))


def kinds(shop: Shop) -> list[str]:
    return [one["kind"] for one in shop.daemon.person("list_events", limit=1000)["events"]]


def test_a_later_planner_of_a_name_supersedes_the_earlier_whose_reports_come_late(shop: Shop) -> None:
    first = Planner(shop)
    order = ask_planners(shop)
    assert first.orders() == [order]
    assert first.me["coordinator"] == "planner/m/main"
    again = shop.daemon.by(first.key, "register_planner", boot="b", pid=2, **first.who)
    assert again["incarnation"] == first.me["incarnation"] + 1
    assert first.speak("next_orders", wait_s=0)["superseded"]
    assert first.speak("heartbeat")["superseded"]
    assert first.report("restored", order, Restored())["superseded"]
    assert "fact_late" in kinds(shop)
    first.me["incarnation"] += 1
    assert first.orders() == [order], "its successor goes on with it"


def test_an_order_for_planners_goes_to_one_planner_and_to_no_coordinator(shop: Shop) -> None:
    first, second = Planner(shop), Planner(shop, "second")
    order = ask_planners(shop)
    assert not shop.hands.speak("next_orders", wait_s=0)["orders"]
    assert first.orders() == [order]
    assert second.orders() == []
    shop.daemon.pass_time(20)
    second.speak("heartbeat")
    shop.daemon.pass_time(20)
    assert "planner_unseen" in kinds(shop)
    assert second.orders() == [order], "the first has gone silent"


def test_a_planner_and_a_coordinator_change_nothing_by_a_word_about_the_others_orders(shop: Shop) -> None:
    planner, order = Planner(shop), ask_planners(shop)
    shop.add_task()
    shop.hands.claim("dev", shop.project)
    prepare = shop.hands.order("prepare")
    planner.report("prepared", prepare["id"], Prepared(worktree="/elsewhere"), prepare["generation"])
    shop.hands.report({"id": order, "generation": 0}, "restored", Restored())
    assert kinds(shop).count("fact_orphan") == 2
    assert shop.hands.order("prepare")["id"] == prepare["id"]
    assert planner.orders() == [order]


def test_a_planner_is_counted_as_no_coordinator(shop: Shop) -> None:
    planner = Planner(shop)
    listed = shop.daemon.person("get_status")["coordinators"]
    assert [one["id"] for one in listed] == [shop.hands.id]
    shop.daemon.pass_time(20)
    planner.speak("heartbeat")
    shop.daemon.pass_time(20)
    found = shop.daemon.person("doctor")["findings"]
    assert "no coordinator answers" in [one["what"] for one in found]
    assert shop.daemon.person("recompute")["differences"] == []


@dataclass(frozen=True)
class AnsweringActs(Acts):
    """The least that a kind of place has to say."""

    lanes: Mapping[str, int] = field(default_factory=lambda: {"calls": 2})
    done: list[str] = field(default_factory=list)

    def handling(self, order: Order) -> Handling:
        return Handling("calls")

    def carry_out(self, order: Order) -> Result:
        self.done.append(order.id)
        return Done("restored", Restored())

    def failed(self, order: Order, error: Exception) -> Result:
        raise error


def join(shop: Shop, acts: Acts, lifecycle: Lifecycle) -> PlaceLoop[Daemon]:
    home = shop.daemon.home
    place = Place(PlaceKind.PLANNER, "main", home.planner("main"))
    place.make()
    key = keys.obtain(home, place, home.socket, lifecycle, 0.2)
    assert key is not None
    shared = parts(home, place, home.socket_in_use(), key, lifecycle, Daemon)
    worker = Worker(shared.orders, acts, shared.journal, shared.reporter, lifecycle)
    asking = shared.daemon()
    about = {
        "machine": processes.machine_id(),
        "name": place.name,
        "boot": processes.boot_id(),
        "pid": processes.own_pid(),
        "interval_s": 0.2,
    }
    registration = shared.registration(
        asking, 0.2, lambda _, got, at: worker.replace(got.orders, at), about=lambda: about, state=dict
    )
    return PlaceLoop(shared, asking, registration, worker)


@pytest.fixture
def lifecycles() -> Iterator[list[tuple[Lifecycle, threading.Thread]]]:
    begun: list[tuple[Lifecycle, threading.Thread]] = []
    yield begun
    for lifecycle, thread in begun:
        lifecycle.end()
        thread.join(10)
        assert not thread.is_alive()


def test_a_planner_made_of_the_parts_of_every_place_carries_out_its_order_once(
    shop: Shop, lifecycles: list[tuple[Lifecycle, threading.Thread]]
) -> None:
    order, acts, lifecycle = ask_planners(shop), AnsweringActs(), Lifecycle()
    loop = join(shop, acts, lifecycle)
    thread = threading.Thread(target=loop.run, daemon=True)
    lifecycles.append((lifecycle, thread))
    thread.start()
    eventually(lambda: "planner_registered" in kinds(shop))
    folder: Path = shop.daemon.home.planner("main")
    entry = eventually(lambda: loop.parts.journal.find(order))
    assert acts.done == [order]
    assert entry.outcome is None or entry.outcome.fact == "restored"
    assert (folder / "key").read_text().startswith("plnr_")
    assert (folder / "key").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    eventually(lambda: not loop.orders.wanted(), what="the order was reported")
