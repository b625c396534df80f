"""A claim brings both orders of a run, so the facts about them come in any order: nothing is lost by that."""

from __future__ import annotations

from whole_daemon import WORK, Shop

from toryo.protocol import models


def test_a_preparation_that_is_told_after_the_end_of_its_run_is_known_and_the_work_collected(
    shop: Shop,
) -> None:
    task = shop.add_task()
    claimed = shop.hands.claim("dev", shop.project)
    shop.hands.exit(claimed["then"])
    shop.hands.prepare(claimed["order"])
    assert shop.state(task) == "verifying collecting"
    shop.hands.collect()
    (run,) = shop.task(task)["runs"]
    assert (run["outcome"], run["commits"], run["worktree"] != "") == ("succeeded", 1, True)
    assert shop.hands.order("candidate")["inputs"]["heads"][0]["commit"] == WORK


def test_a_start_that_is_told_after_the_end_is_late_and_wakes_nothing(shop: Shop) -> None:
    task = shop.add_task()
    claimed = shop.hands.claim("dev", shop.project)
    shop.hands.prepare(claimed["order"])
    shop.hands.exit(claimed["then"], 3)
    started = models.Started(shim_pid=1, pid=2, started_at="", boot="b")
    shop.hands.report(claimed["then"], "started", started)
    shop.hands.collect(0)
    assert (shop.state(task), shop.task(task)["runs"][-1]["live"]) == ("failed exit:3", False)
