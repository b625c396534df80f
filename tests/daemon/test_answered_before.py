"""Task verbs said twice: the first valid one counts, later ones are told so with who and what."""

from __future__ import annotations

import pytest
from whole_daemon import Body, Shop

CANNOT = 3


def failed(shop: Shop) -> str:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=CANNOT)
    shop.hands.collect(commits=0)
    assert shop.task(task)["status"] == "failed"
    return task


def cancelled(shop: Shop) -> str:
    """Before it began: no worktree is asked about."""
    task = shop.add_task(held=True)
    shop.daemon.person("cancel_task", task=task)
    return task


def verbs(shop: Shop, task: str) -> list[str]:
    return [one["verb"] for one in shop.task(task)["verbs"]]


def said(shop: Shop, verb: str, task: str, **more: str) -> Body:
    answer: Body = shop.daemon.person(f"{verb}_task", task=task, **more)
    return answer


@pytest.mark.parametrize("verb", ["dismiss", "retry", "cancel"])
def test_the_second_of_a_verb_keeps_nothing_and_tells_of_the_first(shop: Shop, verb: str) -> None:
    task = cancelled(shop) if verb == "retry" else failed(shop)
    before = verbs(shop, task)
    first = said(shop, verb, task, note="I looked")
    assert (first["already"], first["by"]) == (False, "")
    second = said(shop, verb, task, note="me too")
    assert (second["already"], second["said"]) == (True, verb)
    assert second["by"].startswith(f"{verb} at 20")
    assert second["by"].endswith("I looked")
    assert verbs(shop, task) == [*before, verb]


def test_a_second_yes_to_a_held_task_is_told_of_the_first(shop: Shop) -> None:
    task = shop.add_task(held=True)
    assert said(shop, "approve", task)["said"] == "release"
    second = said(shop, "approve", task)
    assert (second["already"], second["said"]) == (True, "release")
    assert verbs(shop, task) == ["release"]


def test_another_verb_about_what_was_answered_is_told_of_the_answer(shop: Shop) -> None:
    task = shop.add_task(held=True)
    seen = shop.task(task)["reason"]
    said(shop, "approve", task, seen=seen)
    late = said(shop, "reject", task, seen=seen)
    assert (late["already"], late["said"]) == (True, "release")
    assert verbs(shop, task) == ["release"]
    assert said(shop, "cancel", task, seen=seen)["already"] is False, "it ends whatever is under way"


def test_a_verb_without_an_answer_before_it_is_refused_as_ever(shop: Shop) -> None:
    task = shop.add_task()
    refused = shop.daemon.refused(shop.daemon.operator, "approve_task", task=task)
    assert "waits for nobody" in refused["error"]
