"""The order set: what is wanted, what is being done, and what waits for what."""

from __future__ import annotations

from toryo.domain.errors import Hindered
from toryo.domain.words import OrderKind
from toryo.place.order_set import OrderSet
from toryo.protocol.order import Order


def order(name: str) -> Order:
    return Order(id=name, kind=OrderKind.RESTORE, key=name, run=f"r{name}")


def test_a_complete_set_takes_the_place_of_the_one_before() -> None:
    orders = OrderSet()
    assert not orders.was_heard
    orders.add([order("1")])
    assert not orders.was_heard, "what a claim brought is no complete set"
    orders.replace([order("2")])
    assert orders.was_heard
    assert list(orders.wanted()) == ["2"]
    assert not orders.is_wanted("1")


def test_an_order_is_made_busy_by_one_only_until_it_is_let_go() -> None:
    orders = OrderSet()
    orders.replace([order("1")])
    assert orders.make_busy("1")
    assert not orders.make_busy("1")
    assert [one.run for one in orders.busy()] == ["r1"]
    orders.let_go("1")
    assert orders.make_busy("1")


def test_a_withdrawn_order_that_is_being_done_is_busy_but_no_longer_wanted() -> None:
    orders = OrderSet()
    orders.replace([order("1")])
    orders.make_busy("1")
    orders.replace([])
    assert orders.is_busy("1")
    assert orders.busy() == []


def test_an_effect_is_under_way_until_it_ends_also_by_an_error() -> None:
    orders = OrderSet()
    try:
        with orders.acting("1"):
            assert orders.is_acting()
            raise ValueError
    except ValueError:
        assert not orders.is_acting()


def test_a_hindrance_is_news_once_and_shown_once_for_all_orders_behind_it() -> None:
    orders = OrderSet()
    assert orders.hinder("1", Hindered("the disk is full"))
    assert not orders.hinder("1", Hindered("the disk is full"))
    assert orders.hinder("2", Hindered("the disk is full"))
    assert [one.message for one in orders.hindrances()] == ["the disk is full"]
    orders.clear_the_way("1")
    orders.clear_the_way("2")
    assert orders.hindrances() == []
