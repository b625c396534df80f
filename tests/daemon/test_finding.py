"""One finder for every verb: prefixes, `#id`, branch names; a run stands for its task, a task for its run."""

from __future__ import annotations

import pytest
from whole_daemon import Shop

from toryo.protocol.wire import ToolFailed


def test_a_task_is_found_by_prefix_mark_branch_and_run(shop: Shop) -> None:
    task = shop.add_task("Mend the door")
    run = shop.hands.claim("dev", shop.project)["run_id"]
    branch = f"agent/mend-the-door-{task}"
    for text in (task, task[:5], f"#{task}", branch, f"{branch}-2", f"refs/heads/{branch}", run, f"#{run}"):
        assert shop.daemon.person("get_task", task=text)["task"]["id"] == task


def test_every_verb_that_takes_a_run_takes_a_task(shop: Shop) -> None:
    task = shop.add_task()
    with pytest.raises(ToolFailed, match="no run yet"):
        shop.daemon.person("get_run", run=task)
    run = shop.hands.claim("dev", shop.project)["run_id"]
    assert shop.daemon.person("get_run", run=task)["run"]["id"] == run
    assert shop.daemon.person("get_run", run=f"agent/mend-it-{task}")["run"]["id"] == run


def test_checks_scope_and_time_limit_of_a_task_can_be_changed(shop: Shop) -> None:
    task = shop.add_task(checks=["make test"], write=["src/**"])
    shop.daemon.person("update_task", task=task, checks=["make smoke"], write=["docs/**"], timeout_s=60)
    now = shop.task(task)
    assert (now["checks"], now["write"], now["timeout_s"]) == (["make smoke"], ["docs/**"], 60)
    shop.daemon.person("update_task", task=task, checks=[], write=[])
    now = shop.task(task)
    assert (now["checks"], now["write"], now["timeout_s"]) == ([], None, 60)
    with pytest.raises(ToolFailed, match="empty command"):
        shop.daemon.person("update_task", task=task, checks=[" "])
