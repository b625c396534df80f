"""Who works on tasks that name nobody: the default agent of a project, and how a person chooses it."""

from __future__ import annotations

from typing import Any

from whole_daemon import Body, Shop


def default(shop: Shop) -> str:
    return str(shop.daemon.person("get_project", project=shop.project)["project"]["default_agent"])


def person(shop: Shop, tool: str, agent: str, **more: Any) -> Body:
    answer = shop.daemon.person(tool, agent=agent, **more)
    shop.daemon.settle()
    return answer


def test_a_task_without_an_agent_goes_on_when_one_is_enabled(shop: Shop) -> None:
    person(shop, "disable_agent", "dev")
    task = shop.add_task()
    assert shop.state(task) == "blocked no_agent"
    assert shop.task(task)["next"] == ["toryo agent enable dev"]
    person(shop, "enable_agent", "dev")
    assert (shop.state(task), shop.task(task)["agent"]) == ("ready", "dev")


def test_a_task_without_an_agent_goes_on_when_one_is_assigned_or_added(shop: Shop) -> None:
    person(shop, "unassign_agent", "dev", project=shop.project)
    assert default(shop) == ""
    task = shop.add_task()
    assert shop.task(task)["next"] == ["toryo agent assign dev"]
    answer = person(shop, "assign_agent", "dev", project=shop.project)
    assert (answer["took"], answer["default_of"]) == ([task], ["front"])
    assert (shop.state(task), default(shop)) == ("ready", "dev")
    person(shop, "unassign_agent", "dev", project=shop.project)
    other = shop.add_task()
    shop.add_agent("new", project=shop.project)
    assert (shop.task(other)["agent"], shop.task(task)["agent"]) == ("new", "dev")


def test_a_second_agent_is_not_the_default_and_takes_no_tasks(shop: Shop) -> None:
    person(shop, "disable_agent", "dev")
    waiting = shop.add_task(agent="dev")
    wish = {"name": "second", "client": "command", "command": "sh it.sh", "project": shop.project}
    answer = shop.daemon.person("add_agent", **wish)
    assert (answer["default_of"], answer["took"], answer["waiting_tasks"]) == ([], [], 0)
    line = "`toryo agent assign second --default` makes it this one"
    assert answer["notes"] == [f"dev stays the default agent of front: {line}"]
    assert shop.daemon.person("add_agent", **wish, model="m")["notes"] == []
    assert (default(shop), shop.task(waiting)["agent"]) == ("dev", "dev")
    assert shop.daemon.person("add_agent", name="dev", model="m", project=shop.project)["waiting_tasks"] == 1


def test_the_first_agent_with_a_client_is_the_default_and_says_what_it_took(shop: Shop) -> None:
    person(shop, "unassign_agent", "dev", project=shop.project)
    shop.daemon.person("add_agent", name="worker", project=shop.project)
    task = shop.add_task()
    assert shop.state(task) == "blocked no_client"
    wish = {"name": "coder", "client": "command", "command": "sh it.sh", "project": shop.project}
    answer = shop.daemon.person("add_agent", **wish)
    assert (answer["default_of"], answer["took"], answer["waiting_tasks"]) == (["front"], [task], 1)
    assert (default(shop), shop.state(task)) == ("coder", "ready")


def test_a_person_chooses_the_default(shop: Shop) -> None:
    shop.add_agent("second", project=shop.project)
    waiting = shop.add_task()
    answer = person(shop, "assign_agent", "second", project=shop.project, default=True)
    assert (answer["default_of"], answer["took"], default(shop)) == (["front"], [], "second")
    assert (shop.task(waiting)["agent"], shop.task(shop.add_task())["agent"]) == ("dev", "second")


def test_an_agent_of_several_projects_is_removed_only_everywhere(shop: Shop) -> None:
    shop.add_project("back")
    refusal = shop.daemon.refused(shop.daemon.operator, "remove_agent", agent="dev")
    assert "front, back" in refusal["error"]
    assert refusal["hint"] == "toryo agent unassign dev, or toryo agent remove dev --everywhere"
    person(shop, "remove_agent", "dev", everywhere=True)
    assert default(shop) == ""


def test_an_agent_whose_client_is_not_installed_is_never_chosen_as_the_default(shop: Shop) -> None:
    shop.add_agent("cli", client="claude", project=shop.project)
    shop.add_agent("third", project=shop.project)
    person(shop, "remove_agent", "dev")
    assert default(shop) == "third"
    person(shop, "remove_agent", "third")
    assert default(shop) == ""


def test_a_task_is_not_given_to_an_agent_that_does_not_work_in_its_project(shop: Shop) -> None:
    task = shop.add_task()
    shop.daemon.person("add_agent", name="far", client="claude", path="/nowhere")
    refusal = shop.daemon.refused(shop.daemon.operator, "update_task", task=task, agent="far")
    assert refusal["hint"] == "toryo agent assign far"
