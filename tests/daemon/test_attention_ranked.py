"""The attention list: what frees most comes first, then what waits longest; dead ends are somebody's, too."""

from __future__ import annotations

from test_targets_of_people import seen
from test_why import failed
from whole_daemon import Body, Shop


def needs(shop: Shop) -> list[Body]:
    shop.daemon.settle()
    return list(shop.daemon.person("get_status")["needs_you"])


def test_the_oldest_held_task_with_others_behind_it_is_first_among_many_newer_ones(shop: Shop) -> None:
    oldest = shop.add_task("Oldest", held=True)
    for number in range(3):
        shop.add_task(f"Behind {number}", after=[oldest])
    others = [shop.add_task(f"Held {number}", held=True) for number in range(35)]
    found = needs(shop)
    assert (found[0]["task"], found[0]["unblocks"]) == (oldest, 3)
    assert [one["task"] for one in found] == [oldest, *others[:29]]  # of the others, what waits longest
    assert shop.daemon.person("get_status")["needs_you_counts"]["open"] == 36


def test_a_new_task_that_others_wait_for_has_room_however_many_older_ones_wait(shop: Shop) -> None:
    for number in range(35):
        shop.add_task(f"Held {number}", held=True)
    newest = shop.add_task("Newest", held=True)
    shop.add_task("Behind", after=[newest])
    assert needs(shop)[0]["task"] == newest


def test_a_branch_that_was_set_back_counts_the_tasks_that_it_holds_up(shop: Shop) -> None:
    held = shop.add_task("Held", held=True)
    shop.add_task("Behind it", after=[held])
    waiting = [shop.add_task(f"Waiting {number}") for number in range(3)]
    shop.add_task("Behind that", after=[waiting[0]])
    seen(shop, "behind", contains_published=False)
    assert shop.state(waiting[0]) == "blocked target_rewound"
    first, second = needs(shop)
    assert (first["reason"], first["unblocks"]) == ("target_rewound", 4)
    assert first["type"] == "toryo target approve main --project front"
    assert first["why"].endswith("approve to go on from where it is now; 4 tasks wait")
    assert (second["task"], second["unblocks"]) == (held, 1)
    assert shop.daemon.person("get_status")["needs_you_counts"]["blocked"] == 3


def test_a_branch_that_was_set_back_is_ranked_although_no_task_waits_for_it(shop: Shop) -> None:
    held = shop.add_task("Held", held=True)
    shop.add_task("Behind it", after=[held])
    seen(shop, "behind", contains_published=False)
    assert [one["unblocks"] for one in needs(shop)] == [1, 0]


def chain(shop: Shop, first: str) -> tuple[str, str]:
    second = shop.add_task("Second", after=[first])
    return second, shop.add_task("Third", after=[second])


def test_what_waits_behind_a_cancelled_task_is_one_entry_of_that_task(shop: Shop) -> None:
    first = shop.add_task("First", held=True)
    second, third = chain(shop, first)
    shop.daemon.person("cancel_task", task=first)
    shop.daemon.settle()
    (wish,) = needs(shop)
    assert (wish["task"], wish["status"], wish["unblocks"]) == (first, "cancelled", 2)
    assert wish["lines"] == [f"toryo task retry {first}"]
    assert wish["why"] == "cancelled: 2 tasks are dead-blocked behind it"
    counts = shop.daemon.person("get_status")["needs_you_counts"]
    assert counts["cancelled"] == 1
    for task in (second, third):
        (line,) = [one for one in shop.daemon.person("get_status")["work"] if one["id"] == task]
        assert (line["dead"], line["dead_at"]) == (True, first)
        assert line["dead_action"]["line"] == f"toryo task retry {first}"
    shop.daemon.person("retry_task", task=first)
    assert [one["task"] for one in needs(shop)] == []


def test_a_dismissed_and_a_rejected_task_are_told_again_while_others_wait_for_them(shop: Shop) -> None:
    dismissed = failed(shop, "Dismissed")
    shop.daemon.person("dismiss_task", task=dismissed)
    assert needs(shop) == []
    behind = shop.add_task("Behind", after=[dismissed])
    (wish,) = needs(shop)
    assert (wish["task"], wish["unblocks"]) == (dismissed, 1)
    assert wish["why"] == "the agent exited 1: 1 task is dead-blocked behind it"
    shop.daemon.person("cancel_task", task=behind)
    assert needs(shop) == []


def test_whoever_waits_for_a_dead_blocked_chain_is_told_of_its_root(shop: Shop) -> None:
    first = shop.add_task("First", held=True)
    _, third = chain(shop, first)
    shop.daemon.person("cancel_task", task=first)
    shop.daemon.settle()
    told = shop.daemon.person("why", id=third, project=shop.project)
    assert (told["dead_at"], told["actions"][0]["line"]) == (first, f"toryo task retry {first}")
