"""Every event and every verb is about a subject, and events are asked for by it."""

from __future__ import annotations

from whole_daemon import FIRST, Body, Shop

from toryo.protocol.kinds.target import TargetSeen


def events_about(shop: Shop, subject: str) -> list[Body]:
    return list(shop.daemon.person("list_events", subject=subject)["events"])


def test_an_event_of_a_task_is_about_it_and_one_of_a_run_is_about_the_run(shop: Shop) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    run = shop.task(task)["runs"][-1]["id"]
    (added,) = [one for one in events_about(shop, f"task:{task}") if one["kind"] == "task_added"]
    assert (added["project"], added["task"], added["run"]) == (shop.project, task, None)
    of_run = events_about(shop, f"run:{run}")
    assert of_run
    assert {(one["task"], one["run"]) for one in of_run} == {(task, run)}


def test_an_event_of_a_target_is_about_it_and_still_belongs_to_its_project(shop: Shop) -> None:
    moved = {"project": shop.project, "target": "main", "commit": "7" * 40, "tree": "7" * 40}
    shop.hands.report(
        {"id": "", "generation": 0}, "target_seen", TargetSeen(relation="ahead", old=FIRST, **moved)
    )
    shop.daemon.settle()
    about = events_about(shop, f"target:{shop.project}/main")
    assert "target_seen" in [one["kind"] for one in about]
    assert {one["project"] for one in about} == {shop.project}


def test_an_event_of_an_agent_or_a_coordinator_is_about_it(shop: Shop) -> None:
    assert [one["kind"] for one in events_about(shop, "agent:dev")] == ["agent_added"]
    (place,) = {
        one["subject"]
        for one in shop.daemon.person("list_events", limit=1000)["events"]
        if one["kind"].startswith("coordinator_")
    }
    assert place == f"coordinator:{shop.hands.machine}/main"


def test_only_a_clock_that_was_set_is_about_nothing(shop: Shop) -> None:
    shop.add_task()
    shop.daemon.settle()
    found = shop.daemon.person("list_events", limit=1000)["events"]
    assert {one["kind"] for one in found if one["subject"] is None} <= {"deadlines_extended"}


def test_older_events_of_a_kind_are_read_page_by_page(shop: Shop) -> None:
    tasks = [shop.add_task(f"task {number}") for number in range(5)]

    def page(before: int) -> list[tuple[int, str]]:
        found = shop.daemon.person("list_events", kind="task_added", last=2, before=before)["events"]
        return [(one["seq"], one["task"]) for one in found]

    newest = page(0)
    older = page(newest[0][0])
    oldest = page(older[0][0])
    assert [task for _, task in oldest + older + newest] == tasks
    assert page(oldest[0][0]) == []
