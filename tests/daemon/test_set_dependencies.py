"""`update_task` with `after`: a task waits, and goes on, for other tasks than before."""

from __future__ import annotations

from typing import Any

import pytest
from whole_daemon import Body, Shop

from toryo.engine.context import HeadContext
from toryo.usecases.runs.claim import claim_run
from toryo.usecases.tasks.update import Update, update_task


def update(shop: Shop, task: str, **wishes: Any) -> Body:
    answer: Body = shop.daemon.person("update_task", task=task, **wishes)
    shop.daemon.settle()
    return answer


def refused(shop: Shop, task: str, **wishes: Any) -> Body:
    """And nothing about the task is another than before."""
    before, seen = shop.task(task), events(shop)
    refusal: Body = shop.daemon.refused(shop.daemon.operator, "update_task", task=task, **wishes)
    assert (shop.task(task), events(shop)) == (before, seen)
    return refusal


def events(shop: Shop) -> list[Body]:
    found: list[Body] = shop.daemon.person("list_events", after=0, limit=1000)["events"]
    return found


def agrees(shop: Shop) -> bool:
    """Whether `doctor --recompute` finds nothing."""
    return shop.daemon.person("recompute")["differences"] == []


def land(shop: Shop) -> None:
    """One run of the first that is ready, from its claim to its end."""
    hands = shop.hands
    assert hands.claim("dev", shop.project, request=f"request {len(hands.answers)}")["claimed"]
    hands.prepare()
    hands.exit(hands.start())
    hands.collect()
    hands.build()
    hands.land()


def test_a_ready_task_waits_once_it_comes_after_another_and_goes_on_without(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second")
    assert (shop.state(second), shop.hands.should_start("dev", shop.project)) == ("ready", True)
    update(shop, second, after=[first])
    assert (shop.state(second), shop.task(second)["dependencies"]) == ("blocked dependency", [first])
    assert not shop.hands.should_start("dev", shop.project)
    assert agrees(shop)
    update(shop, second, after=[])
    assert (shop.state(second), shop.task(second)["dependencies"]) == ("ready", [])
    assert shop.hands.claim("dev", shop.project)["claimed"]
    assert agrees(shop)


def test_a_claim_that_comes_before_the_drain_starts_nothing_that_waits(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second")
    hands = shop.hands

    def both(context: HeadContext) -> Body:
        update_task(context, Update(second, after=(first,)))
        return claim_run(context, "dev", shop.project, hands.id, hands.incarnation, "a-request")

    assert not shop.daemon.do(both)["claimed"]
    assert shop.state(second) == "blocked dependency"


def test_a_claim_that_came_first_keeps_its_task_as_it_is(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second")
    assert shop.hands.claim("dev", shop.project)["claimed"]
    refusal = refused(shop, second, after=[first])
    assert refusal["error"] == f"{second} is running: what it waits for cannot be changed now."
    assert refusal["hint"] == f"toryo task show {second}"


def test_a_task_goes_on_when_the_new_one_lands_and_a_landed_one_is_not_waited_for(shop: Shop) -> None:
    first, second, third = shop.add_task("first"), shop.add_task("second"), shop.add_task("third", held=True)
    update(shop, third, after=[first])
    update(shop, second, after=[first])
    land(shop)
    assert [shop.state(one) for one in (first, second)] == ["done", "ready"]
    update(shop, second, after=[first, third])
    assert shop.state(second) == "blocked dependency"
    assert shop.task(second)["detail"] == f"waits for {third}"
    update(shop, second, after=[first])
    assert (shop.state(second), agrees(shop)) == ("ready", True)


def test_a_cancelled_one_blocks_as_it_does_a_new_task_until_it_is_left_out(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second")
    shop.daemon.person("cancel_task", task=first)
    update(shop, second, after=[first])
    assert (
        shop.state(second) == f"blocked dependency_failed:{first}" == shop.state(shop.add_task(after=[first]))
    )
    update(shop, second, after=[])
    assert (shop.state(second), agrees(shop)) == ("ready", True)


def test_a_cycle_is_refused_with_its_order_and_nothing_else_is_changed_either(shop: Shop) -> None:
    first = shop.add_task("first", held=True)
    second = shop.add_task("second", after=[first])
    third = shop.add_task("third", after=[second])
    refusal = refused(shop, first, after=[third], title="another title", priority="low")
    assert refusal["error"] == f"{first} would wait for itself: {first} → {third} → {second} → {first}."
    assert refusal["hint"] == f"Leave {third} out, or first type: toryo task update {second} --no-after"
    assert f"{first} → {first}" in refused(shop, first, after=[first])["error"]
    assert agrees(shop)


def test_a_wish_that_fails_takes_the_others_of_the_same_command_along(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second")
    refused(shop, second, after=[first], status="in_progress")
    refused(shop, second, title="another", status="open")
    assert shop.state(second) == "ready"


def test_one_of_another_project_may_be_waited_for_as_with_a_new_task(shop: Shop) -> None:
    there = shop.add_task("there", project=shop.add_project("back"), held=True)
    task = shop.add_task()
    update(shop, task, after=[there[:6]])
    assert (shop.state(task), shop.task(task)["dependencies"]) == ("blocked dependency", [there])


def test_a_held_task_gets_its_list_before_it_is_released(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second", held=True)
    update(shop, second, after=[first])
    assert shop.state(second) == "open held"
    update(shop, second, status="open")
    assert shop.state(second) == "blocked dependency"


@pytest.mark.parametrize("after", [["tnothing"], [""]])
def test_a_task_that_is_not_known_is_refused(shop: Shop, after: list[str]) -> None:
    assert "There is no task" in refused(shop, shop.add_task(), after=after)["error"]


def test_a_cancelled_task_gets_its_list_together_with_another_try(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second", held=True)
    shop.daemon.person("cancel_task", task=second)
    refusal = refused(shop, second, after=[first])
    assert refusal["error"] == f"{second} is cancelled: what it waits for cannot be changed now."
    assert refusal["hint"] == f"toryo task update {second} --status open --after {first}"
    update(shop, second, status="open", after=[first])
    assert shop.state(second) == "blocked dependency"


def test_a_done_task_and_one_between_two_runs_are_refused(shop: Shop) -> None:
    first, other = shop.add_task("first"), shop.add_task("other", held=True)
    hands = shop.hands
    assert hands.claim("dev", shop.project)["claimed"]
    hands.prepare()
    hands.exit(hands.start())
    hands.collect(commits=0)
    assert shop.state(first) == "ready no_commit"
    assert "has begun" in refused(shop, first, after=[other])["error"]
    land(shop)
    assert shop.state(first) == "done"
    refused(shop, first, after=[])
    assert agrees(shop)


def test_a_new_list_is_told_as_a_change_and_the_same_list_is_none(shop: Shop) -> None:
    first, second = shop.add_task("first", held=True), shop.add_task("second")

    def told() -> list[list[str]]:
        mine = [one for one in events(shop) if one["kind"] == "task_changed" and one["task"] == second]
        return [one["body"]["fields"] for one in mine]

    update(shop, second, after=[first], title="another")
    assert told() == [["after", "title"]]
    update(shop, second, after=[first, first])
    assert told() == [["after", "title"]]
