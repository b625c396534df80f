"""A claim brings both orders of a run, so the facts about them come in any order: nothing is lost by that."""

from __future__ import annotations

from whole_daemon import FIRST, MERGED, WORK, Shop

from toryo.protocol.kinds.run import Started
from toryo.protocol.kinds.target import TargetSeen


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
    started = Started(shim_pid=1, pid=2, started_at="", boot="b")
    shop.hands.report(claimed["then"], "started", started)
    shop.hands.collect(0)
    assert (shop.state(task), shop.task(task)["runs"][-1]["live"]) == ("failed exit:3", False)


def test_a_look_that_knew_an_older_publication_does_not_say_that_a_rewritten_target_goes_on(
    shop: Shop,
) -> None:
    """Somebody amended what was just published: joined with the tip it would come back against their will."""
    shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build()
    shop.hands.land()
    after = shop.add_task(held=True)
    look = {
        "project": shop.project,
        "target": "main",
        "commit": "5" * 40,
        "tree": "6" * 40,
        "relation": "diverged",
        "tip": MERGED,
    }
    older = TargetSeen(**look, published=FIRST, contains_published=True).model_dump(mode="json")
    told = shop.hands.speak("report_facts", facts=[{"seq": 99, "kind": "target_seen", "body": older}])
    assert told["acknowledged"] == []  # it is told again, after a newer look
    shop.daemon.settle()
    assert {one["kind"] for one in shop.hands.speak("next_orders", wait_s=0)["orders"]} <= {"clean"}
    newer = TargetSeen(**look, published=MERGED, contains_published=False)
    shop.hands.report({"id": "", "generation": 0}, "target_seen", newer)
    shop.daemon.person("approve_task", task=after)
    assert shop.state(after) == "blocked target_rewound"
