"""`toryo why`: a sentence, the facts it stands on, the whole chain it waits for, and whose turn it is."""

from __future__ import annotations

import pytest
from whole_daemon import Body, Shop

from toryo.protocol.wire import ToolFailed


def why(shop: Shop, name: str, project: str = "") -> Body:
    shop.daemon.settle()
    return shop.daemon.person("why", id=name, project=project or shop.project)


def failed(shop: Shop, title: str = "Mend it") -> str:
    task = shop.add_task(title)
    shop.hands.claim("dev", shop.project, request=task)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=1)
    shop.hands.collect(commits=0)
    assert shop.state(task) == "failed exit:1"
    return task


def test_a_running_task_says_that_it_is_the_agents_turn_and_which_run(shop: Shop) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.start()
    told = why(shop, task)
    run = shop.task(task)["runs"][0]["id"]
    assert (told["subject"]["kind"], told["subject"]["id"]) == ("task", task)
    assert (told["status"], told["turn"], told["dead"]) == ("running", "agent", False)
    assert told["sentence"].startswith("running: an agent implements it")
    assert {"subject": f"run:{run}", "status": "running", "reason": ""} in told["waits_for"]
    assert all(fact["age_s"] >= 0 for fact in told["facts"])
    assert told["facts"][0]["what"] == "task added"


def test_what_waits_for_a_failed_task_is_dead_blocked_along_the_whole_chain(shop: Shop) -> None:
    first = failed(shop)
    second = shop.add_task("Second", after=[first])
    third = shop.add_task("Third", after=[second])
    assert shop.state(third).startswith("blocked dependency")
    told = why(shop, third)
    assert (told["dead"], told["dead_at"], told["turn"]) == (True, first, "person")
    assert "dead-blocked" in told["sentence"]
    assert [one["subject"] for one in told["waits_for"]] == [f"task:{second}", f"task:{first}"]
    assert told["actions"][0] == {
        "do": "retry",
        "subject": first,
        "args": {},
        "line": f"toryo task retry {first}",
    }
    shop.retry(first)
    assert why(shop, third)["dead"] is False


def test_a_chain_that_ends_at_work_that_goes_on_is_not_dead(shop: Shop) -> None:
    first = shop.add_task("First")
    second = shop.add_task("Second", after=[first])
    told = why(shop, second)
    assert (told["dead"], told["turn"]) == (False, "toryo")
    assert told["waits_for"][0]["subject"] == f"task:{first}"


def test_a_run_a_target_and_a_project_say_why_too(shop: Shop) -> None:
    task = failed(shop)
    run = shop.task(task)["runs"][0]["id"]
    assert why(shop, run)["sentence"] == "it ended: failed (exit 1)"
    target = why(shop, "main")
    assert (target["subject"]["kind"], target["status"], target["turn"]) == ("target", "moving", "nobody")
    project = why(shop, shop.project)
    assert project["subject"]["kind"] == "project"
    assert "1 failed" in project["sentence"]


def test_a_project_whose_tasks_wait_for_a_person_is_a_persons_turn_with_their_lines(shop: Shop) -> None:
    assert why(shop, shop.project)["turn"] == "nobody"
    first, second = failed(shop, "First"), shop.add_task("Second", held=True)
    told = why(shop, shop.project)
    assert told["turn"] == "person"
    assert {one["subject"] for one in told["waits_for"]} == {f"task:{first}", f"task:{second}"}
    assert {f"toryo task retry {first}", f"toryo task approve {second}"} <= {
        one["line"] for one in told["actions"]
    }
    assert f"task:{first}" in {fact["row"] for fact in told["facts"]}
    shop.daemon.person("dismiss_task", task=first)
    shop.daemon.person("approve_task", task=second)
    assert why(shop, shop.project)["turn"] == "nobody"


def test_a_name_that_nothing_has_is_refused_with_a_hint(shop: Shop) -> None:
    with pytest.raises(ToolFailed) as refused:
        why(shop, "tnothing")
    assert refused.value.hint


def test_the_end_of_a_chain_of_sixty_tasks_is_named_wherever_somebody_waits(shop: Shop) -> None:
    first = last = shop.add_task("First", held=True)
    for number in range(60):
        last = shop.add_task(f"Follower {number}", after=[last])
    (waited,) = shop.daemon.person("wait_tasks", tasks=[last], timeout_s=0)["tasks"]
    assert waited["needs_you"]["task"] == first
    assert why(shop, last)["actions"][0]["line"] == f"toryo task approve {first}"
    shop.daemon.person("cancel_task", task=first)
    told = why(shop, last)
    assert (told["dead"], told["dead_at"], told["turn"]) == (True, first, "person")
    assert told["actions"][0]["line"] == f"toryo task retry {first}"
    assert len(told["waits_for"]) == 60
