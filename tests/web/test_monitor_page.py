"""The source's page through all layers: the map of tasks, a log, the event channel, the built files."""

from __future__ import annotations

import re

from page_client import PageClient, heard

from journeys.house import House


def test_the_map_has_every_task_with_its_children_and_its_state(house: House, page: PageClient) -> None:
    parent = house.add("a parent", "--agent", "works", "--hold")
    child = house.add("a child", "--agent", "fails", "--parent", parent)
    house.rest(child)
    found = page.get("/api/tasks")
    assert set(found[parent]) == {"id", "unit", "status", "state", "reason", "message", "children"}
    assert (found[parent]["status"], found[parent]["children"]) == ("pending", [child])
    assert (found[parent]["unit"], found[parent]["id"]) == (None, parent)
    assert (found[child]["status"], found[child]["state"], found[child]["children"]) == (
        "error",
        "failed",
        [],
    )
    assert found[child]["reason"] == house.task(child)["reason"]
    assert found[child]["message"]


def test_the_log_of_a_task_is_the_end_of_what_its_agent_printed(house: House, page: PageClient) -> None:
    task = house.add("a log", "--agent", "fails")
    house.rest(task)
    log = page.get(f"/api/logs/{task}")
    assert set(log) == {"task_id", "content", "last_updated"}
    assert log["task_id"] == task
    assert "the build failed" in log["content"]
    assert re.match(r"^\d{4}-\d\d-\d\dT.*Z$", log["last_updated"])


def test_of_a_long_log_the_last_64_kb_are_shown(house: House, page: PageClient) -> None:
    house.agent("seq -f 'line %07.0f of a long log' 1 40000\nprintf 'the very end'\nexit 3\n", "talks")
    task = house.add("talks much", "--agent", "talks")
    house.rest(task)
    content = page.get(f"/api/logs/{task}")["content"]
    assert 50_000 < len(content) <= 65_536
    assert "line 0040000 of a long log" in content
    assert content.rstrip().endswith("the very end")
    assert "line 0000001 " not in content


def test_a_task_that_is_not_there_has_no_log(page: PageClient) -> None:
    answer = page.ask("GET", "/api/logs/tnothing", page.bearer)
    assert answer.status == 404
    assert answer.json() == {"error": "There is no task 'tnothing'.", "hint": "See `toryo task list`."}


def test_a_task_that_has_not_begun_has_an_empty_log(house: House, page: PageClient) -> None:
    task = house.add("not yet", "--agent", "works", "--hold")
    assert page.get(f"/api/logs/{task}") == {"task_id": task, "content": "", "last_updated": None}


def test_the_channel_tells_of_a_new_task_and_of_each_of_its_states(house: House, page: PageClient) -> None:
    with page.channel() as channel:
        assert heard(channel, "resync")["id"] > 0
        parent = house.add("above", "--agent", "works", "--hold")
        task = house.add("watched", "--agent", "works", "--parent", parent)
        added = heard(channel, "task_added", task_id=task)
        assert added == {"id": added["id"], "type": "task_added", "task_id": task, "parent_id": parent}
        done = heard(channel, "task_update", task_id=task, state="done", within_s=60)
        assert set(done) == {"id", "type", "task_id", "status", "message", "state", "reason"}
        assert done["status"] == "completed"
        assert done["id"] > added["id"]


def test_what_needs_a_person_is_told_when_the_list_changes(house: House, page: PageClient) -> None:
    with page.channel() as channel:
        before = heard(channel, "attention")["total"]
        task = house.add("goes wrong", "--agent", "fails")
        told = heard(channel, "attention", total=before + 1)
        assert f"task:{task}" in told["subjects"]
        shown = page.get("/api/attention")
        assert [one["subject"] for one in shown["needs_you"]] == told["subjects"]


def test_the_page_is_one_document_with_its_scripts(page: PageClient) -> None:
    first = page.ask("GET", "/", page.cookie())
    assert first.status == 200
    assert first.headers["content-type"].startswith("text/html")
    named = re.findall(r'(?:src|href)="(/assets/[^"]+)"', first.text)
    assert len(named) == 2
    for path in named:
        file = page.ask("GET", path, page.cookie())
        assert file.status == 200, path
        assert "immutable" in file.headers["cache-control"]
    assert page.ask("GET", "/missions/m1", page.cookie()).text == first.text
