"""The event channel against the real daemon: nothing is missed, whoever goes away and comes back."""

from __future__ import annotations

import json

from page_client import PageClient, heard
from websockets.sync.client import ClientConnection

from journeys.house import House


def all_up_to(channel: ClientConnection, last: int) -> list[dict[str, object]]:
    """What was told of events, up to that one."""
    found: list[dict[str, object]] = []
    while not found or int(str(found[-1]["id"])) < last:
        message = json.loads(channel.recv(timeout=30))
        if message["type"] in ("task_update", "task_added"):
            found.append(message)
    return found


def test_a_socket_without_a_number_begins_by_loading_everything(house: House, page: PageClient) -> None:
    newest = page.get("/api/events?last=1")["newest"]
    with page.channel() as channel:
        first = json.loads(channel.recv(timeout=30))
    assert (first["type"], first["id"] >= newest) == ("resync", True)


def test_a_socket_that_comes_back_is_told_exactly_what_it_missed(house: House, page: PageClient) -> None:
    with page.channel() as watching:
        begun = heard(watching, "resync")["id"]
        task = house.add("missed", "--agent", "works")
        last = heard(watching, "task_update", task_id=task, state="done", within_s=60)["id"]
    with page.channel(after=begun) as whole, page.channel(after=begun) as again:
        told = all_up_to(whole, last)
        assert told == all_up_to(again, last)
    numbers = [int(str(one["id"])) for one in told]
    assert numbers == sorted(set(numbers))
    assert min(numbers) > begun
    assert [one["state"] for one in told if one.get("task_id") == task and one["type"] == "task_update"][
        -1
    ] == "done"
    middle = numbers[len(numbers) // 2]
    with page.channel(after=middle) as rest:
        assert all_up_to(rest, last) == [one for one in told if int(str(one["id"])) > middle]


def test_what_happens_while_others_listen_is_replayed_to_who_comes_late(
    house: House, page: PageClient
) -> None:
    with page.channel() as early:
        begun = heard(early, "resync")["id"]
        task = house.add("late", "--agent", "works", "--hold")
        added = heard(early, "task_added", task_id=task)
        with page.channel(after=begun) as late:
            assert heard(late, "task_added", task_id=task) == added


def test_a_number_of_another_store_leads_to_loading_everything(page: PageClient) -> None:
    newest = page.get("/api/events?last=1")["newest"]
    with page.channel(after=newest + 1000) as channel:
        assert heard(channel, "resync")["id"] >= newest


def test_two_browsers_see_the_same(house: House, page: PageClient) -> None:
    with page.channel() as one, page.channel() as two:
        task = house.add("for two", "--agent", "works", "--hold")
        told = heard(one, "task_added", task_id=task)
        assert heard(two, "task_added", task_id=task) == told


def test_the_channel_goes_on_when_the_daemon_comes_back(house: House, page: PageClient) -> None:
    with page.channel() as channel:
        heard(channel, "resync")
        house.kill(house.pids()[0])
        away = heard(channel, "daemon")
        assert (away["reachable"], away["hint"]) == (False, "`toryo up`")
        refused = page.ask("GET", "/api/tasks", page.bearer)
        assert (refused.status, set(refused.json())) == (503, {"error", "hint"})
        with page.channel() as meanwhile:
            assert heard(meanwhile, "daemon")["reachable"] is False
            house.ok("up")
            assert heard(meanwhile, "daemon")["reachable"] is True
            heard(meanwhile, "resync")
        assert heard(channel, "daemon")["reachable"] is True
        task = house.add("afterwards", "--agent", "works")
        heard(channel, "task_update", task_id=task, state="done", within_s=60)
    assert page.get("/api/tasks")[task]["status"] == "completed"


def test_what_a_browser_says_on_the_channel_changes_nothing(house: House, page: PageClient) -> None:
    with page.channel() as channel:
        heard(channel, "resync")
        channel.send("hello")
        channel.send(b"\x00\xff")
        task = house.add("still there", "--agent", "works", "--hold")
        heard(channel, "task_added", task_id=task)
