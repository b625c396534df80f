"""The mouse in lists, tabs and names of screens; usage and cost; a plan that is short."""

from __future__ import annotations

from terminal import MissionShop, Screen, on_screen
from test_modes import answer_branches
from test_work_screen import fail


async def click(seen: Screen, words: str) -> None:
    """Where they stand first on the screen; only narrow signs may stand before them."""
    rows = seen.text().split("\n")
    y = next(number for number, row in enumerate(rows) if words in row)
    await seen.pilot.click(offset=(rows[y].index(words), y))


def test_a_click_on_a_row_stands_on_it(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer_branches, shop)
        await seen.until("branches 4", "agent/mend-it")
        await click(seen, "agent/mend-it")
        await seen.until("Work on agent/mend-it")

    on_screen(shop, journey)


def test_a_click_on_the_row_that_is_stood_on_opens_it(model: MissionShop) -> None:
    model.planned()

    async def journey(seen: Screen) -> None:
        await seen.until("Limits", "awaiting approval")
        await seen.press("j")
        await seen.until("approve mission")
        await click(seen, "Limits")
        await seen.until("Enter or y approves; a reason rejects")

    on_screen(model, journey, screen="work")


def test_a_click_on_a_tab_and_on_the_name_of_a_screen_shows_it(shop: MissionShop) -> None:
    task = shop.add_task("Mend the login")
    fail(shop, task)

    async def journey(seen: Screen) -> None:
        await seen.until("needs you 1", "Mend the login")
        await seen.press("j")
        await seen.until("It is the turn of: person")
        await click(seen, "checks")
        await seen.until("exit", gone="It is the turn of: person")
        await click(seen, "4 Queue")
        await seen.until("targets", gone="needs you 1")

    on_screen(shop, journey, screen="work")


def test_the_dollar_key_shows_what_model_and_agents_spent(model: MissionShop) -> None:
    model.begin("Limit requests")
    used = {"input_tokens": 1200, "output_tokens": 34}
    model.planner.answer("question", {"title": "Limits", "size": "small"}, **used)
    fail(model, model.add_task("Mend the login"))

    async def journey(seen: Screen) -> None:
        await seen.until("Limits", "Mend the login")
        await seen.press("dollar_sign")
        text = await seen.until("usage and cost", "Limits: 1 calls, 1,200 in, 34 out, cost unknown")
        assert "1 runs, 0 in, 0 out, cost not told" in text
        await seen.press("escape")
        await seen.until("Mend the login", gone="usage and cost")

    on_screen(model, journey, screen="work")


def test_a_plan_that_fits_the_screen_is_seen(model: MissionShop) -> None:
    model.planned()

    async def journey(seen: Screen) -> None:
        await seen.until("Unfinished missions")
        await seen.press("enter")
        await seen.until("spec (plan 1)", "Start the work?", gone="Unfinished")

    on_screen(model, journey, screen="agent", size=(120, 40))
