"""How many runs of an agent there are at once, and what a ready task waits for."""

from __future__ import annotations

from whole_daemon import Body, Shop


def waits_for(shop: Shop, task: str) -> Body:
    found = shop.task(task)
    assert found["status"] == "ready"
    waits: Body = found["waits_for"]
    assert found["waiting_for"] == waits["what"]
    return waits


def test_an_agent_without_slots_gets_a_run_for_each_task_and_a_person_can_limit_it(shop: Shop) -> None:
    tasks = [shop.add_task(f"Mend {number}") for number in range(3)]
    answers = [shop.hands.claim("dev", shop.project, f"request-{number}") for number in range(2)]
    assert [answer["claimed"] for answer in answers] == [True, True]
    assert shop.daemon.person("get_agent", agent="dev")["agent"]["slots"] is None
    shop.add_agent("dev", slots=2)
    refused = shop.hands.claim("dev", shop.project, "request-2")
    assert (refused["claimed"], refused["waiting_for"]) == (False, "slots")
    waits = waits_for(shop, tasks[2])
    assert waits["code"] == "slots"
    assert waits["what"] == f"a slot of dev: 2 of 2 are taken by {tasks[0]}, {tasks[1]}"
    assert (waits["type"], waits["tasks"]) == ("toryo agent add dev --slots 3", tasks[:2])
    shop.add_agent("dev", slots=0)
    assert shop.hands.claim("dev", shop.project, "request-2")["claimed"]


def test_whoever_authenticates_as_an_agent_without_slots_is_alone(shop: Shop) -> None:
    task = shop.add_task()
    shop.session()
    assert shop.daemon.refused(
        "", "authenticate", agent_id="dev", project_id=shop.project, passkey=shop.passkey
    )
    assert not shop.hands.should_start("dev", shop.project)
    waits = waits_for(shop, task)
    assert (waits["code"], waits["type"]) == ("session", "toryo agent release dev")


def test_a_task_says_whose_write_scope_it_waits_for(shop: Shop) -> None:
    first = shop.add_task("One", write=["src/**"])
    assert shop.hands.claim("dev", shop.project)["claimed"]
    second = shop.add_task("Two", write=["src/a.py"])
    waits = waits_for(shop, second)
    assert (waits["code"], waits["tasks"]) == ("write_scope", [first])
    assert waits["what"] == f"{first} to end: both may write src/a.py"
    (line,) = shop.daemon.person("get_status")["ready"]
    assert (line["id"], line["waits_for"]) == (second, waits)


def test_a_task_says_that_the_machine_is_full_or_has_no_coordinator(shop: Shop) -> None:
    limits = {"max_concurrent": 1, "serves": ["dev"]}
    shop.hands.speak("heartbeat", **limits)
    first, second = shop.add_task("One"), shop.add_task("Two")
    assert waits_for(shop, first)["code"] == "turn"
    assert shop.hands.claim("dev", shop.project)["claimed"]
    waits = waits_for(shop, second)
    assert (waits["code"], waits["tasks"]) == ("max_concurrent", [first])
    assert "1 of 1" in waits["what"]
    shop.hands.speak("heartbeat", max_concurrent=3, serves=["other"])
    assert waits_for(shop, second)["code"] == "not_served"
    shop.hands.speak("heartbeat", max_concurrent=3)
    assert waits_for(shop, second)["code"] == "turn"
    shop.daemon.pass_time(3600)
    waits = waits_for(shop, second)
    assert (waits["code"], waits["type"]) == ("no_coordinator", "toryo up")


def test_a_task_of_an_outside_agent_waits_for_that_agent(shop: Shop) -> None:
    shop.add_agent("visitor", client="outside", project=shop.project)
    waits = waits_for(shop, shop.add_task(agent="visitor"))
    assert (waits["code"], waits["type"]) == ("outside_agent", "toryo agent passkey visitor")
