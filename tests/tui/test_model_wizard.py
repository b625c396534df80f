"""Wizard of the model: nothing is written before it answered, and leaving never waits for it."""

from __future__ import annotations

import threading
from typing import Any

from terminal import MissionShop, Screen, on_screen
from textual import events

from toryo.domain.errors import Unavailable
from toryo.planner.model_settings import choice_of

Values = dict[str, str | None]


class Overloaded(Unavailable):
    """The endpoint is overloaded."""

    way_out = "It is asked again by itself."


def settings(shop: MissionShop) -> dict[str, Any]:
    listed = shop.daemon.person("list_config")["settings"]
    return {one["key"].removeprefix("planner."): one["value"] for one in listed}


def test_a_try_that_fails_leaves_the_settings_and_the_key_as_they_were(model: MissionShop) -> None:
    model.daemon.person("set_config", key="planner.api_key_env", value="MY_KEY")
    before = settings(model)

    def check(values: Values, begun_with: object) -> dict[str, Any]:
        assert values == {
            **{"via": None, "base_url": "http://127.0.0.1:9/v1", "model": "tea2"},
            **{"api_key_env": None, "key": "bad"},
        }
        assert settings(model) == before
        raise Overloaded

    async def journey(seen: Screen) -> None:
        await seen.until("What do you want done?")
        await seen.press("f2")
        await seen.until("The model that plans", "tea")
        await seen.press("enter", *"tea2", "enter", *"bad", "enter")
        text = await seen.until("The endpoint is overloaded.", "Nothing is changed;")
        assert "asked again" not in text

    on_screen(model, journey, screen="agent", check_model=check)
    assert settings(model) == before
    assert not model.daemon.home.planner_api_key.exists()


def test_who_leaves_while_it_is_tried_changes_nothing_and_waits_for_nothing(model: MissionShop) -> None:
    before, answers, closed = settings(model), threading.Event(), threading.Event()

    class Asked:
        def close(self) -> None:
            closed.set()

    def check(values: Values, begun_with: Any) -> dict[str, Any]:
        begun_with(Asked())
        answers.wait(60)
        return {"model": "tea"}

    async def journey(seen: Screen) -> None:
        await seen.until("What do you want done?")
        await seen.press("f2")
        await seen.until("The model that plans", "tea")
        await seen.press("enter", *"tea2", "enter", "enter")
        await seen.until("Trying it…")
        await seen.press("enter", "escape")
        await seen.until("What do you want done?", gone="The model that plans")

    on_screen(model, journey, screen="agent", check_model=check)
    assert closed.is_set()
    answers.set()
    assert settings(model) == before


def test_a_variable_with_the_key_stays_where_the_endpoint_is_the_same(model: MissionShop) -> None:
    model.daemon.person("set_config", key="planner.api_key_env", value="MY_KEY")

    async def journey(seen: Screen) -> None:
        await seen.until("What do you want done?")
        await seen.press("f2")
        await seen.until("The model that plans", "tea")
        await seen.press("enter", *"tea2", "enter", "enter")
        await seen.until("answers in", gone="The model that plans")

    on_screen(model, journey, screen="agent", check_model=lambda values, begun_with: {})
    assert settings(model)["api_key_env"] == "MY_KEY"
    assert settings(model)["model"] == "tea2"


def test_all_three_lines_pasted_or_typed_in_one_breath_fill_the_three_fields(shop: MissionShop) -> None:
    tried: list[Values] = []

    def check(values: Values, begun_with: object) -> dict[str, Any]:
        tried.append(values)
        return {"model": "tea"}

    async def journey(seen: Screen) -> None:
        await seen.until("AI settings are required.")
        await seen.press("f2")
        await seen.until("The model that plans")
        for sign in "http://a/v1\rtea\r":
            seen.app.post_message(events.Key("enter" if sign == "\r" else sign, sign))
        await seen.until("http://a/v1", "│ tea")
        seen.app.post_message(events.Paste("secret\n"))
        await seen.until("••••••")
        await seen.press("enter")
        await seen.until("tea answers")

    on_screen(shop, journey, screen="agent", check_model=check)
    assert [(one["base_url"], one["model"], one["key"]) for one in tried] == [
        ("http://a/v1", "tea", "secret")
    ]


def test_what_is_tried_counts_over_what_is_written(model: MissionShop) -> None:
    tried = {"via": None, "base_url": "http://b/v1", "model": "coffee", "api_key_env": None, "key": "k"}
    found = choice_of(model.daemon.home, {}, tried)
    assert (found.base_url, found.model, found.key) == ("http://b/v1", "coffee", "k")
    assert choice_of(model.daemon.home, {}).model == "tea"
