"""What the daemon tells for the status page: the work in its states, with the way that each task went."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_daemon import Body, Shop

from toryo.protocol.kinds.repository import Unadopted
from toryo.store.gather.task_steps import LandingStep, RunStep
from toryo.usecases.status.steps import steps


def work(shop: Shop, **asked: str) -> dict[str, Body]:
    shop.daemon.settle()
    return {one["id"]: one for one in shop.daemon.person("get_status", **asked)["work"]}


def landed(shop: Shop, task: str) -> None:
    shop.hands.claim("dev", shop.project, request=f"request-{task}")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build()
    shop.hands.land()


def test_what_moves_what_waits_and_what_has_just_ended_are_told_with_their_projects_and_steps(
    shop: Shop,
) -> None:
    done = shop.add_task("first")
    landed(shop, done)
    running = shop.add_task("second", after=[done])
    shop.hands.claim("dev", shop.project, request="another-request")
    shop.hands.prepare()
    shop.hands.start()
    waiting = shop.add_task("third", after=[running])
    found = work(shop)
    assert {id: one["status"] for id, one in found.items()} == {
        running: "running",
        waiting: "blocked",
        done: "done",
    }
    assert {one["project_name"] for one in found.values()} == {"front"}
    assert (found[waiting]["dependencies"], found[waiting]["steps"]) == ([running], [])
    assert found[done]["steps"] == ["implement", "unchecked", "on main"]
    assert found[running]["steps"] == ["implement"]
    assert work(shop, project=shop.add_project("back")) == {}


def test_a_done_task_that_nothing_checked_says_so_wherever_it_is_listed(shop: Shop) -> None:
    task = shop.add_task()
    landed(shop, task)
    (listed,) = shop.daemon.person("list_tasks", project=shop.project)["tasks"]
    told = [work(shop)[task], listed, shop.task(task)]
    assert [(one["status"], one["verdict"]) for one in told] == [("done", "unchecked")] * 3


def test_a_dismissed_failure_is_not_told_as_just_ended(shop: Shop) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=1)
    shop.hands.collect(commits=0)
    assert work(shop)[task]["steps"] == ["implement", "exit 1"]
    shop.daemon.person("dismiss_task", task=task)
    assert work(shop) == {}


def run(generation: int, purpose: str = "implement", **facts: object) -> RunStep:
    whole = {"outcome": "succeeded", "exit_code": 0, "new_commits": 1, **facts}
    return RunStep(generation, purpose, **whole)  # type: ignore[arg-type]


CONFLICT = LandingStep(1, "main", ended="conflict")
GREEN = LandingStep(2, "main", "green", accepted=True, published=True, ended="landed")


@pytest.mark.parametrize(
    ("runs", "landings", "told"),
    [
        ((run(1), run(2, "resolve")), (CONFLICT, GREEN), "implement conflict resolve green on main"),
        ((run(1, new_commits=0), run(2, new_commits=0)), (), "implement no commit implement no commit"),
        ((run(1, outcome="timed_out", exit_code=124),), (), "implement timed out"),
        ((run(1, outcome="failed", reason="api_error: x"),), (), "implement api error"),
        ((run(1, live=True, outcome="running", exit_code=None, new_commits=None),), (), "implement"),
        ((run(1, reason="withdrawn:target_moved"), run(2)), (), "implement"),
        ((run(2),), (LandingStep(2, "main", ended="red"),), "implement red"),
        (
            (run(2),),
            (LandingStep(2, "main", "green", True, True, "removed"),),
            "implement green no longer on main",
        ),
        ((run(2),), (LandingStep(2, "main", "green", True, False, "dropped"),), "implement"),
    ],
)
def test_the_steps_of_a_task_are_what_was_seen(
    runs: tuple[RunStep, ...], landings: tuple[LandingStep, ...], told: str
) -> None:
    assert " ".join(steps(runs, landings)) == told


def test_a_retry_begins_a_way_of_its_own(shop: Shop) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=1)
    shop.hands.collect(commits=0)
    shop.retry(task)
    assert work(shop)[task]["steps"] == []


def remove(shop: Shop, project: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "remove_project", project=project)
        shop.hands.report(shop.hands.order("unadopt"), "unadopted", Unadopted(done=True, bundle="/b"))
        assert asked.result(30)["done"]


def test_a_removed_project_is_on_the_page_only_where_it_is_named(shop: Shop) -> None:
    back = shop.add_project("back")
    shop.daemon.person("assign_agent", agent="dev", project=back)
    held, waiting = (shop.add_task(project=back, **how) for how in ({"held": True}, {"agent": "dev"}))
    here = shop.add_task(held=True)
    remove(shop, back)
    whole = shop.daemon.person("get_status")
    assert [one["name"] for one in whole["projects"]] == ["front"]
    assert [one["id"] for one in whole["work"]] == [here]
    assert [one["task"] for one in whole["needs_you"]] == [here]
    assert {status: number for status, number in whole["counts"].items() if number} == {"open": 1}
    assert {*work(shop, project=back)} == {held, waiting}


def test_nobody_is_offered_a_line_for_a_task_of_a_removed_project(shop: Shop) -> None:
    back = shop.add_project("back")
    held = shop.add_task(project=back, held=True)
    remove(shop, back)
    assert shop.daemon.person("get_task", task=held)["task"]["next"] == []
    why = shop.daemon.refused(shop.daemon.operator, "approve_task", task=held)
    assert "was removed" in why["error"]
