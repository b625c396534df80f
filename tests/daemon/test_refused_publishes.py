"""A publish that could not be done is tried again after a while, whether or not anybody looks meanwhile."""

from __future__ import annotations

import pytest
from whole_daemon import MERGED, Shop

from toryo.engine.facts.landings import RETRY_S
from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import Accepted, Published

REFUSED = [Published(diverged=True), Published(problem=Problem(code="io", message="the disk says no"))]


@pytest.mark.parametrize("refused", REFUSED)
def test_a_publish_that_was_refused_is_tried_again_after_a_while(shop: Shop, refused: Published) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build()
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=MERGED))
    for _ in range(2):
        shop.hands.report(shop.hands.order("publish"), "published", refused)
        assert not _publishes(shop)
        shop.daemon.pass_time(RETRY_S / 2)
        assert not _publishes(shop)
        shop.daemon.pass_time(RETRY_S / 2 + 1)
        assert _publishes(shop)
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=MERGED))
    assert shop.state(task) == "done"


def test_accepted_work_that_a_person_rejects_is_taken_off_and_nobody_is_said_to_have_moved_it(
    shop: Shop,
) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build()
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=MERGED))
    shop.hands.report(shop.hands.order("publish"), "published", REFUSED[1])
    shop.daemon.person("reject_task", task=task)
    told = [one["kind"] for one in shop.daemon.person("list_events", last=20)["events"]]
    assert "work_taken_off" in told
    assert "target_moved" not in told


def _publishes(shop: Shop) -> bool:
    return any(one["kind"] == "publish" for one in shop.hands.speak("next_orders", wait_s=0)["orders"])
