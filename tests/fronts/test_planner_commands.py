"""`toryo planner use`: one way to a model takes the place of the other, and nothing is set by half."""

from __future__ import annotations

import json
from typing import Any

import pytest


class Settings:
    """The installation's own, as the daemon keeps them."""

    def __init__(self, **values: str) -> None:
        self.values = values
        self.set: list[str] = []

    def get(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["key"].removeprefix("planner.")
        variable = f"TORYO_PLANNER_{name.upper()}"
        value = self.values.get(name, "")
        return {"key": asked["key"], "value": value, "source": "home", "about": "", "variable": variable}

    def put(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.values[asked["key"].removeprefix("planner.")] = asked["value"]
        self.set.append(asked["key"])
        return self.get(asked)

    def unset(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.values.pop(asked["key"].removeprefix("planner."), None)
        return {"key": asked["key"], "was_set": True}


@pytest.fixture
def known(peer) -> Settings:
    found = Settings()
    peer(get_config=found.get, set_config=found.put, unset_config=found.unset)
    return found


def test_an_installed_cli_takes_the_place_of_an_endpoint(known, typed):
    known.values = {"base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": "MY_KEY"}
    told = typed("planner", "use", "claude")
    assert (told.code, known.values) == (0, {"via": "claude"})
    assert told.out == "claude plans. To try it: toryo planner check\n"


def test_an_endpoint_takes_the_place_of_a_cli(known, typed):
    known.values = {"via": "codex"}
    told = typed("planner", "use", "--url", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", "MY_KEY")
    assert known.values == {"base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": "MY_KEY"}
    assert told.out.startswith("http://127.0.0.1:9/v1 plans, model m.")


def test_use_alone_shows_what_is_used_and_changes_nothing(known, typed):
    assert "toryo planner use claude" in typed("planner", "use").out
    known.values = {"via": "codex", "model": "gpt-5"}
    assert json.loads(typed("planner", "use", "--json").out)["via"] == "codex"
    assert known.set == []


@pytest.mark.parametrize(
    "words",
    ["claude --url http://x --model m", "--url http://x", "--url x:80 --model m", "gemini", "--window 9"],
)
def test_what_is_no_model_is_refused_before_anything_is_set(known, typed, words):
    assert typed("planner", "use", *words.split()).code == 2
    assert known.set == []


def test_a_key_is_never_an_argument(typed, toryo_home):
    assert typed("planner", "key", "sk-secret").code == 2
