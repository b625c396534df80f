"""`limits:` in a project's settings: how many runs of one attempt before a person looks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_daemon import Shop

from toryo.protocol.kinds.repository import Surveyed
from toryo.protocol.wire import ToolFailed


def settle_on(shop: Shop, limits: str) -> None:
    """These settings are in force from now on."""
    config = f"base: main\nlimits: {limits}\n"
    found = Surveyed(root="/x", base="main", settings_files={"config.yaml": config}, settings_from="commit")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=shop.project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", found)
        asked.result(30)
    shop.daemon.settle()


def begin(shop: Shop) -> None:
    assert shop.hands.claim("dev", shop.project)["claimed"]
    shop.hands.prepare()


def end_without_work(shop: Shop) -> None:
    shop.hands.exit(shop.hands.start())
    shop.hands.collect(0)


@pytest.mark.parametrize(
    ("limits", "state"),
    [("{}", "ready no_commit"), ("{runs_per_attempt: 1}", "needs_review run_cap")],
)
def test_a_project_says_how_many_runs_an_attempt_has(shop: Shop, limits: str, state: str) -> None:
    settle_on(shop, limits)
    task = shop.add_task()
    begin(shop)
    end_without_work(shop)
    assert shop.state(task) == state


def test_a_run_keeps_the_limits_that_were_in_force_when_it_was_claimed(shop: Shop) -> None:
    task = shop.add_task()
    begin(shop)
    settle_on(shop, "{runs_per_attempt: 1}")
    end_without_work(shop)
    assert shop.state(task) == "ready no_commit"


def test_a_higher_limit_starts_nothing_that_has_stopped(shop: Shop) -> None:
    settle_on(shop, "{runs_per_attempt: 1}")
    task = shop.add_task()
    begin(shop)
    end_without_work(shop)
    settle_on(shop, "{runs_per_attempt: 5}")
    assert shop.state(task) == "needs_review run_cap"
    assert shop.daemon.person("recompute")["differences"] == []


@pytest.mark.parametrize("limits", ["{fix_runs: -1}", "{runs_per_attempt: 0}", "{fix_tries: 3}"])
def test_a_limit_that_is_none_is_refused_by_its_key(shop: Shop, limits: str) -> None:
    with pytest.raises(ToolFailed, match=r"line 2: limits\."):
        settle_on(shop, limits)
