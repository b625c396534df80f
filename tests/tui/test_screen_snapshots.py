"""Four screens as text, at 80 × 24 and 120 × 40, over a real daemon: nothing moves that nobody moved."""

from __future__ import annotations

import pytest
from snapshots import compare
from terminal import PLAN, MissionShop, Screen, on_screen
from test_modes import answer_branches
from test_work_screen import fail

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
Size = tuple[int, int]
RULES = "\n".join(f"- rule {number}." for number in range(1, 31))
LONG = {**PLAN, "spec": f"# Feature Specification: Limits\n{RULES}"}


async def same(seen: Screen, name: str, *words: str, gone: str = "") -> None:
    """The screen of that name is as it was, and these words are on it."""
    await seen.until(*words, gone=gone)
    await seen.pilot.pause(0.3)
    text = compare(seen, name)
    assert all(word in text for word in words)


@SIZES
def test_branches_with_the_details_of_one(shop: MissionShop, size: Size) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer_branches, shop)
        await seen.until("branches 4")
        await seen.press("j")
        words = (
            "認証/ログイン",
            "agent/mend-it",
            "2 commits ahead, 1 behind",
            "AI summary",
            "0 moving · front",
        )
        await same(seen, "branches", *words)

    on_screen(shop, journey, size=size)


@SIZES
def test_agent_with_a_plan_that_waits(model: MissionShop, size: Size) -> None:
    model.planned(plan=LONG)

    async def journey(seen: Screen) -> None:
        await seen.until("Unfinished missions")
        await seen.press("enter")
        words = ("spec (plan 1)", "# Feature Specification: Limits", "rule 9.", "2 model calls", "y approves")
        await same(seen, "agent", *words, gone="Unfinished")

    on_screen(model, journey, screen="agent", size=size)


@SIZES
def test_work_with_one_that_needs_a_person(shop: MissionShop, size: Size) -> None:
    first = shop.add_task("Mend the login")
    shop.add_task("別の仕事をする")
    fail(shop, first)

    async def journey(seen: Screen) -> None:
        await seen.until("needs you 1")
        await seen.press("i")
        words = ("Mend the login", "別の仕事をする", "It is the turn of: person", "1 needs you")
        await same(seen, "work", *words)

    on_screen(shop, journey, screen="work", size=size)


@SIZES
def test_queue_with_one_that_lands_next(shop: MissionShop, size: Size) -> None:
    shop.add_task("Mend the login")
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()

    async def journey(seen: Screen) -> None:
        await same(seen, "queue", "targets", "1 queued", "lands next", "1. Mend the login", "1 moving")

    on_screen(shop, journey, screen="queue", size=size)
