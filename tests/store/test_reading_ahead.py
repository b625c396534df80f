"""What a foretold end makes the daemon read: it is read, and nothing is changed."""

from __future__ import annotations

from simulated_house import Conduct, a_house

from toryo.store.engine import Committed
from toryo.usecases.report_facts import read_ahead
from toryo.usecases.tasks import NewTask, add_task


def test_reading_ahead_changes_nothing_and_is_no_news() -> None:
    with a_house() as house:
        add_task(house.context, NewTask("a task", project="p1", agent="ann"))
        for _ in range(3):
            house.round(Conduct())
        orders = [row["id"] for row in house.rows("orders")]
        kinds = {row["kind"] for row in house.rows("orders")}
        assert {"prepare", "run"} <= kinds
        before, marks = house.everything(), house.rows("marks")
        told: list[Committed] = []
        house.context.store.listen(told.append)
        for order in (*orders, "nobody", ""):
            read_ahead(house.context, order)
        assert (house.everything(), house.rows("marks")) == (before, marks)
        assert not [one for one in told if one.events or one.places or one.marked or one.marked_lazily]
