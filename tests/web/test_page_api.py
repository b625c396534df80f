"""The API against the real daemon: reads answer as their views say, verbs are those that `toryo` says."""

from __future__ import annotations

from typing import Any

import pytest
from page_client import PageClient

from answer_views import insist_view
from journeys.house import House
from toryo.fronts.web.routes import ROUTES, Route

READS = [one for one in ROUTES if one.method == "GET"]
ELSEWHERE = {
    "show_mission": "there is none without a model",
    "export_mission": "there is none without a model",
    "attach_run": "there is no terminal here",
    "read_screen": "there is no terminal here",
    "show_memory": "there are no memory files here",
    "unit_tree": "there is no tree of units here",
    "list_messages": "there is no tree of units here",
}
QUERIES = {
    "/api/why": "id={task}",
    "/api/target": "target=main&project={project}",
    "/api/tasks/{task}/file": "file=README.md",
    "/api/projects/{project}/file": "file=README.md",
    "/api/projects/{project}/branch": "branch=main",
    "/api/tasks/{task}/log/search": "text=agent",
    "/api/runs/{run}/log/search": "text=agent",
}


@pytest.fixture(scope="module")
def names(house: House) -> dict[str, str]:
    """Of one thing of each kind."""
    task = house.add("of the walk", "--agent", "works")
    house.rest(task)
    shown = house.task(task)
    return {"task": task, "run": shown["runs"][-1]["id"], "project": shown["project"], "agent": "works"}


@pytest.mark.parametrize("route", READS, ids=lambda one: one.path)
def test_a_read_answers_what_its_view_says(page: PageClient, names: dict[str, str], route: Route) -> None:
    path = route.path.format_map(
        {**names, "mission": "mnone", "id": names["run"], "name": "none", "unit": "root"}
    )
    query = QUERIES.get(route.path, "").format_map(names)
    answer = page.ask("GET", f"{path}?{query}", page.bearer)
    if route.tool in ELSEWHERE:
        assert answer.status in (400, 404, 409), answer.text
        assert answer.json()["error"]
    else:
        assert answer.status == 200, answer.text
        insist_view(route.tool, answer.json())


def test_the_list_of_work_has_the_unfinished_and_the_newest(house: House, page: PageClient) -> None:
    old = house.add("unfinished", "--agent", "works", "--hold")
    over = [house.add(f"over {number}", "--agent", "works", "--hold") for number in range(3)]
    for one in over:
        house.ok("task", "cancel", one)
    listed = [one["id"] for one in page.get("/api/work?recent=2")["tasks"]]
    assert listed[-2:] == over[-2:]
    assert old in listed
    assert over[0] not in listed
    assert set(page.get("/api/tasks")) >= {old, *over}


def test_all_tasks_come_page_by_page(house: House, page: PageClient) -> None:
    listed = {one["id"] for one in house.read("task", "list")["tasks"]}
    answer = page.ask("GET", "/api/tasks?all=1", page.bearer)
    assert set(answer.json()) == listed
    assert "link" not in answer.headers
    after = page.get("/api/task-lines?limit=1")["next_after"]
    assert set(page.get(f"/api/tasks?all=true&after={after}")) == listed - set(
        sorted(listed, key=_seq(house))[:1]
    )


def _seq(house: House) -> Any:
    seqs = {one["id"]: one["seq"] for one in house.read("task", "list")["tasks"]}
    return lambda id: seqs[id]


def test_tasks_of_another_project_are_left_out(page: PageClient, names: dict[str, str]) -> None:
    assert names["task"] in page.get(f"/api/tasks?project={names['project']}")
    assert page.ask("GET", "/api/tasks?project=none", page.bearer).status == 404


VERBS = ("approve", "reject", "cancel", "dismiss", "retry")


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_by_the_page_leaves_the_row_that_the_command_leaves(
    house: House, page: PageClient, verb: str
) -> None:
    def begun() -> str:
        if verb in ("dismiss", "retry"):
            task = house.add(f"for {verb}", "--agent", "fails")
            house.rest(task)
            return task
        return house.add(f"for {verb}", "--agent", "works", "--hold")

    def left(task: str) -> list[dict[str, Any]]:
        return [{**one, "at": None} for one in house.task(task)["verbs"]]

    typed, clicked = begun(), begun()
    done = house.toryo("task", verb, typed, "--note", "why")
    answer = page.ask("POST", f"/api/tasks/{clicked}/{verb}", page.bearer, {"note": "why"})
    assert (done.returncode == 0) is (answer.status == 200), (done.stderr, answer.text)
    assert left(clicked) == left(typed)
    house.rest(typed, clicked)


def test_what_is_refused_says_why_and_what_to_do(
    house: House, page: PageClient, names: dict[str, str]
) -> None:
    done = page.ask("POST", f"/api/tasks/{names['task']}/approve", page.bearer, {})
    assert (done.status, set(done.json())) == (409, {"error", "hint"})
    assert done.json()["error"]
    assert page.ask("GET", "/api/tasks/tnone", page.bearer).status == 404
    assert page.ask("GET", "/api/nothing", page.bearer).status == 404
    assert page.ask("DELETE", "/api/tasks", page.bearer).status == 405


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/api/tasks", {}, "title"),
        ("/api/tasks", {"title": "x", "tittle": "y"}, "tittle"),
        ("/api/tasks", {"title": "x", "priority": "now"}, "priority"),
        ("/api/accounts/release", {"client": ""}, "client"),
        ("/api/tasks", [1], ""),
    ],
)
def test_wrong_arguments_are_named(page: PageClient, path: str, body: Any, named: str) -> None:
    answer = page.ask("POST", path, page.bearer, body)
    assert answer.status == 422
    assert named in answer.json()["error"]


def test_a_text_that_the_daemon_refuses_as_too_long_is_said(page: PageClient) -> None:
    answer = page.ask("POST", "/api/tasks", page.bearer, {"title": "x", "description": "y" * 2_000_000})
    assert (answer.status, bool(answer.json()["hint"])) == (413, True)


def test_the_page_adds_and_changes_what_the_command_shows(house: House, page: PageClient) -> None:
    first = page.post("/api/tasks", {"title": "first", "agent": "works", "held": True})["id"]
    second = page.post("/api/tasks", {"title": "second", "after": [first], "agent": "works", "held": True})[
        "id"
    ]
    changed = page.ask("PATCH", f"/api/tasks/{second}", page.bearer, {"title": "renamed", "after": []})
    assert changed.status == 200, changed.text
    shown = house.task(second)
    assert (shown["title"], shown["dependencies"]) == ("renamed", [])
    page.post("/api/agents/works/disable", {"project": shown["project"]})
    assert page.get("/api/agents/works")["agent"]["status"] == "disabled"
    page.post("/api/agents/works/enable", {"project": shown["project"]})
    page.post(f"/api/projects/{shown['project']}/archive")
    assert page.get(f"/api/projects/{shown['project']}")["project"]["status"] == "archived"
    page.post(f"/api/projects/{shown['project']}/activate")
    page.post("/api/config/ask_silent", {"value": "120"})
    assert "120" in house.ok("config", "get", "ask_silent")
    assert page.ask("DELETE", "/api/config/ask_silent", page.bearer).json()["was_set"] is True


def test_names_in_an_address_may_have_any_character(page: PageClient) -> None:
    answer = page.ask("GET", "/api/tasks/%E3%82%BF%20%2Fx", page.bearer)
    assert answer.status == 404
