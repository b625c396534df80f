"""The order to retire a worktree names every run that used it, and no later one."""

from __future__ import annotations

from whole_daemon import MERGED, Body, Shop


def run_once(shop: Shop, request: str, commits: int) -> str:
    claimed: Body = shop.hands.claim("dev", shop.project, request)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect(commits)
    return str(claimed["run_id"])


def test_the_order_to_clean_names_the_runs_that_shared_the_worktree(shop: Shop) -> None:
    shop.add_task()
    runs = [run_once(shop, "first-request", commits=0), run_once(shop, "second-request", commits=1)]
    shop.hands.build()
    shop.hands.land(MERGED)
    given = [
        one for _, body in shop.hands.answers for one in body.get("orders", ()) if one["kind"] == "clean"
    ]
    assert given[-1]["inputs"]["run"] == runs[-1]
    assert set(given[-1]["inputs"]["runs"]) == set(runs)
