"""Agent mode: one conversation from a sentence to the work, from the keyboard alone."""

from __future__ import annotations

from typing import cast

from terminal import PLAN, MissionShop, Screen, on_screen

from toryo.fronts.text.output import width
from toryo.fronts.tui.agent import chat_text
from toryo.protocol.views.missions import MissionView

QUESTIONS = {
    "title": "Rate limits",
    "size": "small",
    "questions": [
        {"id": "Q1", "text": "Per user or per address?", "options": ["user", "address"], "default": "user"},
        {"id": "Q2", "text": "How many a minute?", "default": "60"},
    ],
}


def begun(shop: MissionShop) -> str:
    return str(shop.daemon.person("list_missions")["missions"][-1]["id"])


def test_a_sentence_becomes_questions_a_plan_and_work_from_the_keyboard(model: MissionShop) -> None:
    mission = model.begin("Limit requests, word xylophone")

    async def journey(seen: Screen) -> None:
        await seen.until("Unfinished missions", "Limit requests")
        await seen.press("enter")
        await seen.until("you Limit requests, word xylophone")
        await seen.elsewhere(model.planner.answer, "question", QUESTIONS)
        text = await seen.until("2 questions before the plan is made", "1) user  (default)", "default: 60")
        assert "Enter takes every default" in text
        await seen.write("2")
        await seen.until("Kept. Next is question 2")
        await seen.press("enter")
        order = await seen.elsewhere(model.planner.order, "plan")
        brief = await seen.elsewhere(model.planner.brief, order)
        assert {one.id: one.answer for one in brief.questions} == {"Q1": "address", "Q2": "60"}
        await seen.elsewhere(model.planner.answer, "plan", PLAN)
        text = await seen.until("spec (plan 1)", "# Feature Specification: Limits", "tasks (2, at most 2")
        assert text.index("spec (plan 1)") < text.index("─ plan ") < text.index("tasks (2")
        await seen.until("Enter or y approves; a reason rejects", "2 model calls")
        await seen.write("y")
        await seen.until("active", "Plan version 1 approved.")
        assert model.standing(mission).startswith("active")

    on_screen(model, journey, screen="agent", size=(100, 40))


def test_without_ai_settings_the_input_is_off_until_they_are_valid(shop: MissionShop) -> None:
    tried: list[object] = []

    def check(values: dict[str, str | None], begun_with: object) -> dict[str, object]:
        tried.append(values["base_url"])
        return {"model": "tea", "seconds": 0.1}

    async def journey(seen: Screen) -> None:
        await seen.until("AI settings are required.", "AI settings are required (F2)")
        await seen.press("f2")
        await seen.until("The model that plans")
        await seen.write("http://127.0.0.1:9/v1")
        await seen.write("tea")
        await seen.press("enter")
        await seen.until("What do you want done?", "tea answers", gone="The model that plans")
        await seen.press(*"Hello")
        await seen.until("Hello")

    on_screen(shop, journey, screen="agent", check_model=check)
    assert tried == ["http://127.0.0.1:9/v1"]
    config = {one["key"]: one["value"] for one in shop.daemon.person("list_config")["settings"]}
    assert config["planner.base_url"] == "http://127.0.0.1:9/v1"
    assert config["planner.model"] == "tea"


def test_esc_starts_nothing_new_and_a_second_one_ends_the_agents(model: MissionShop) -> None:
    mission = model.planned()
    model.daemon.person("approve_mission", mission=mission)

    async def journey(seen: Screen) -> None:
        await seen.until("Unfinished missions")
        await seen.press("enter")
        await seen.until("active", "Say something to it")
        await seen.press("escape")
        await seen.until("Enter or Esc once more ends its agents", "Paused; nothing new starts.", "paused")
        await seen.press("escape")
        await seen.until("Paused; its runs are stopped.")
        await seen.write("/resume")
        text = await seen.until("Resumed.", "active")
        assert "without you" not in text
        await seen.write("also for PUT")
        await seen.until("also for PUT")

    on_screen(model, journey, screen="agent")
    assert "also for PUT" in [one["text"] for one in model.mission(mission)["messages"]]


def test_an_unfinished_mission_is_discarded_after_a_question(model: MissionShop) -> None:
    mission = model.begin()

    async def journey(seen: Screen) -> None:
        await seen.until("Unfinished missions", "D discards it")
        await seen.press("D")
        await seen.until(f"Discard {mission}?")
        await seen.press("enter")
        await seen.until(f"Discard {mission}?")
        await seen.press("y")
        await seen.until("What do you want done?", gone="Unfinished")

    on_screen(model, journey, screen="agent")
    assert model.standing(mission).startswith("cancelled")


def test_a_request_that_is_refused_stays_in_the_input(model: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.until("What do you want done?")
        await seen.elsewhere(model.daemon.person, "archive_project", project=model.project)
        await seen.write("Limit requests")
        await seen.until("is archived", "Limit requests", gone=" … ")

    on_screen(model, journey, screen="agent")


def test_settings_that_change_elsewhere_switch_the_input_on_and_off_at_once(shop: MissionShop) -> None:
    def change(tool: str, key: str, **value: str) -> None:
        shop.daemon.person(tool, key=f"planner.{key}", **value)

    async def journey(seen: Screen) -> None:
        await seen.until("AI settings are required (F2)")
        await seen.elsewhere(change, "set_config", "via", value="claude")
        await seen.until("What do you want done?", "The model is set")
        await seen.elsewhere(change, "unset_config", "via")
        await seen.until("AI settings are required (F2)")

    on_screen(shop, journey, screen="agent")


LONG = {**PLAN, "spec": "# Feature Specification: Limits\n" + "\n".join(f"- rule {n}." for n in range(60))}


def test_at_80_columns_a_plan_is_read_from_its_beginning_by_keys_and_the_tokens_are_told(
    model: MissionShop,
) -> None:
    title = "Limit requests of every user of the public API of the shop"
    model.begin(title)

    async def journey(seen: Screen) -> None:
        await seen.until("Unfinished missions")
        await seen.press("enter")
        await seen.elsewhere(model.planner.answer, "question", {"title": title, "size": "small"})
        await seen.elsewhere(model.planner.answer, "plan", LONG)
        text = await seen.until("Specification: Limits", "rule 9.", "2 model calls", gone="you Limit")
        assert "about 0 tokens" in text.splitlines()[1], "the title gives way"
        assert "PgUp/PgDn scroll" in text.splitlines()[-1]
        await seen.press("pagedown")
        await seen.until("rule 20.", gone="rule 9.")
        await seen.press("pageup")
        await seen.until("rule 9.")
        await seen.write("use a store of our own")
        await seen.until("you use a store of our own", gone="rule 9.")

    on_screen(model, journey, screen="agent", size=(80, 24))


def test_the_status_line_says_nothing_twice(model: MissionShop) -> None:
    mission = model.planned()
    model.daemon.person("approve_mission", mission=mission)
    model.daemon.person("pause_mission", mission=mission, now=False)
    found = cast("MissionView", model.mission(mission))
    assert found["reason"] == "paused"
    told = chat_text.status(found, queued=0, room=80).plain
    assert " · paused · 0 queued · 2 model calls · about 0 tokens" in told
    assert width(chat_text.status(found, queued=0, room=62).plain) <= 62
