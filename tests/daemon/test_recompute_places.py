"""`doctor --recompute`: where a task is worked on, against the reports of its runs."""

from __future__ import annotations

import pytest
from whole_daemon import FIRST, MERGED, Body, Shop

from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import CandidateBuilt
from toryo.protocol.kinds.run import Lost, Prepared
from toryo.store.tables import tasks

OTHER = "9" * 40


def differences(shop: Shop) -> list[Body]:
    shop.daemon.settle()
    found: list[Body] = shop.daemon.person("recompute")["differences"]
    return found


def bend(shop: Shop, task: str, **columns: object) -> list[str]:
    """What is told of it, in words."""
    shop.daemon.change(tasks.update, task, **columns)
    told = [one for one in differences(shop) if one["what"] in columns]
    assert all(one["task"] == task and one["project"] == shop.project for one in told)
    return [f"{one['what']} is {one['cached']}, the facts say {one['facts_say']}" for one in told]


def claimed(shop: Shop, request: str = "a-request") -> str:
    """The run."""
    return str(shop.hands.claim("dev", shop.project, request)["run_id"])


def ended(shop: Shop, code: int = 0) -> None:
    shop.hands.exit(shop.hands.start(), code)
    shop.hands.collect()


@pytest.fixture
def begun(shop: Shop) -> str:
    """A task whose run is under way."""
    task = shop.add_task()
    claimed(shop)
    shop.hands.prepare()
    assert differences(shop) == []
    return task


@pytest.mark.parametrize("column", ["name", "worktree", "branch", "base_commit"])
def test_a_place_that_no_run_reported_is_told(shop: Shop, begun: str, column: str) -> None:
    worktree = shop.task(begun)["worktree"]
    name = worktree.rpartition("/")[2]
    said = {"name": name, "worktree": worktree, "branch": f"agent/{name}", "base_commit": FIRST}
    told = [f"{column} is {OTHER}, the facts say {said[column]}"]
    assert bend(shop, begun, **{column: OTHER}) == told


@pytest.mark.parametrize("wrong", [0, 7])
def test_the_generation_is_that_of_the_newest_run(shop: Shop, begun: str, wrong: int) -> None:
    assert bend(shop, begun, generation=wrong) == [f"generation is {wrong}, the facts say 1"]


def test_a_task_without_a_run_has_no_place_and_no_generation(shop: Shop) -> None:
    task = shop.add_task()
    assert differences(shop) == []
    told = ["name is it, the facts say ", "generation is 1, the facts say 0"]
    assert sorted(bend(shop, task, name="it", generation=1)) == sorted(told)


def test_a_later_run_of_an_attempt_has_the_base_that_it_was_moved_to(shop: Shop, begun: str) -> None:
    """What a person took off the target is not in it any more."""
    ended(shop)
    partner = {"paths": ("a.txt",), "partner": "", "task": ""}
    shop.hands.report(
        shop.hands.order("candidate"), "candidate_built", CandidateBuilt.model_validate({"conflict": partner})
    )
    claimed(shop, "another-request")
    again = Prepared(name="again", worktree="/again", branch="agent/again", base=OTHER, head=OTHER)
    shop.hands.report(shop.hands.order("prepare"), "prepared", again)
    assert differences(shop) == []
    assert bend(shop, begun, base_commit=MERGED) == [f"base_commit is {MERGED}, the facts say {OTHER}"]


def test_a_new_attempt_has_no_place_until_its_first_run_is_prepared(shop: Shop, begun: str) -> None:
    ended(shop, code=1)
    assert shop.state(begun).startswith("failed")
    shop.retry(begun)
    assert differences(shop) == []
    assert bend(shop, begun, branch="agent/old") == ["branch is agent/old, the facts say "]
    shop.daemon.change(tasks.update, begun, branch="")
    claimed(shop, "another-request")
    assert differences(shop) == []
    shop.hands.prepare()
    assert differences(shop) == []
    assert bend(shop, begun, base_commit="") == [f"base_commit is , the facts say {FIRST}"]


def test_a_place_that_could_not_be_prepared_is_none(shop: Shop) -> None:
    shop.add_task()
    claimed(shop)
    problem = Prepared(problem=Problem(code="no_room", message="full"), name="it", worktree="/it")
    shop.hands.report(shop.hands.order("prepare"), "prepared", problem)
    assert differences(shop) == []


def test_a_place_that_was_reported_after_the_runs_end_is_not_judged(shop: Shop) -> None:
    """Whether it was taken depends on what happened since: on a retry, or on another claim."""
    task = shop.add_task()
    claimed(shop)
    prepare = shop.hands.order("prepare")
    shop.hands.report(shop.hands.order("run"), "lost", Lost(reason="gone"))
    shop.daemon.person("cancel_task", task=task)
    shop.daemon.person("retry_task", task=task)
    shop.hands.prepare(prepare)
    assert differences(shop) == []
