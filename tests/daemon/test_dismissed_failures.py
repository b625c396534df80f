"""A failure is news until a person ended it themselves or has seen it and dismissed it."""

from __future__ import annotations

import pytest
from whole_daemon import Body, Shop

from toryo.protocol.kinds.run import Exited
from toryo.protocol.kinds.work import Cleaned
from toryo.protocol.wire import ToolFailed


def failed(shop: Shop, title: str = "Mend it") -> str:
    task = shop.add_task(title)
    shop.hands.claim("dev", shop.project, request=task)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=1)
    shop.hands.collect(commits=0)
    assert shop.state(task) == "failed exit:1"
    return task


def asks(shop: Shop) -> list[Body]:
    shop.daemon.settle()
    return list(shop.daemon.person("get_status")["needs_you"])


def turn(shop: Shop, task: str) -> str:
    return str(shop.daemon.person("why", id=task, project=shop.project)["turn"])


def test_a_dismissed_failure_needs_nobody_until_it_was_tried_again(shop: Shop) -> None:
    task = failed(shop)
    assert [one["task"] for one in asks(shop)] == [task]
    assert turn(shop, task) == "person"
    shop.daemon.person("dismiss_task", task=task, note="known")
    assert asks(shop) == []
    assert turn(shop, task) == "nobody"
    shown = shop.task(task)
    assert (shown["status"], shown["dismissed"]) == ("failed", True)
    assert shown["verbs"][-1]["verb"] == "dismiss"
    shop.retry(task)
    assert shop.task(task)["dismissed"] is False
    shop.hands.report(shop.hands.order("clean"), "cleaned", Cleaned(freed=True))
    shop.hands.claim("dev", shop.project, request="once-more")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=1)
    shop.hands.collect(commits=0)
    assert [one["task"] for one in asks(shop)] == [task]


def test_what_a_person_ended_does_not_wait_for_them(shop: Shop) -> None:
    """Cancelled, rejected, or its run stopped: they know."""
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    order = shop.hands.start()
    shop.daemon.person("stop_run", run=shop.task(task)["runs"][0]["id"])
    shop.hands.report(order, "exited", Exited(exit_code=None, signal="SIGTERM", stopped=True))
    shop.hands.collect(commits=0)
    assert shop.state(task) == "failed stopped"
    assert asks(shop) == []
    assert turn(shop, task) == "nobody"


def test_only_a_failed_task_is_dismissed(shop: Shop) -> None:
    task = shop.add_task()
    with pytest.raises(ToolFailed, match="only failed tasks are dismissed"):
        shop.daemon.person("dismiss_task", task=task)


def test_more_failures_than_a_page_holds_are_counted(shop: Shop) -> None:
    made = [failed(shop, f"task {number}") for number in range(4)]
    shop.daemon.person("dismiss_task", task=made[0])
    answer = shop.daemon.person("get_status")
    assert [one["task"] for one in answer["needs_you"]] == made[1:]  # what waits longest first
    assert answer["needs_you_counts"] == {"failed": 3}
