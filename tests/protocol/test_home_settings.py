"""The home's settings: the environment over the file over the defaults, mistakes with their line."""

from __future__ import annotations

import pytest

from toryo.yaml import home_settings
from toryo.yaml.edit import with_key
from toryo.yaml.home_settings import HomeSettingsWrong, parse

WHERE = "/h/config.yaml"


def test_without_a_file_everything_has_its_default() -> None:
    found = parse(WHERE, "", {})
    assert (found.notify, found.ask_silent) == (None, 600)
    assert (found.session.default_timeout, found.session.max_timeout, found.session.cleanup_interval) == (
        3600,
        86400,
        300,
    )


def test_a_command_is_told_of_what_needs_a_person_and_of_failures_unless_more_is_asked_for() -> None:
    found = parse(WHERE, "notify: bell\n", {})
    assert (found.notify, found.notify_on) == ("bell", ("needs_you", "failed"))
    assert parse(WHERE, "notify_on: [done]\n", {}).notify_on == ("done",)
    assert parse(WHERE, "notify_on: done, failed\n", {}).notify_on == ("done", "failed")


def test_the_environment_counts_over_the_home() -> None:
    env = {"TORYO_ASK_SILENT": "0", "TORYO_SESSION_MAX_TIMEOUT": "7200"}
    text = "ask_silent: 30\nsession: {default_timeout: 60}\n"
    found = parse(WHERE, text, env)
    assert (found.ask_silent, found.session.default_timeout, found.session.max_timeout) == (0, 60, 7200)
    listed = home_settings.values(found, home_settings.read(WHERE, text), env)
    assert {one.key: one.source for one in listed} == {
        **dict.fromkeys(home_settings.ABOUT, "default"),
        "ask_silent": "environment",
        "session.default_timeout": "home",
        "session.max_timeout": "environment",
    }


def test_a_planner_is_set_by_an_installed_cli_or_by_an_endpoint_with_its_model() -> None:
    assert not parse(WHERE, "planner: {base_url: http://127.0.0.1:1/v1}\n", {}).planner.is_set
    assert parse(WHERE, "planner: {via: claude}\n", {}).planner.is_set
    env = {"TORYO_PLANNER_BASE_URL": "http://127.0.0.1:1/v1", "TORYO_PLANNER_MODEL": "small"}
    assert parse(WHERE, "", env).planner.is_set


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "ask_silent: 3\nnotfy: bell\n",
            "/h/config.yaml, line 2: notfy: there is no such key; did you mean notify",
        ),
        (
            "session:\n  max_timout: 1\n",
            "line 2: session.max_timout: there is no such key; did you mean max_timeout",
        ),
        ("ask_silent: -1\n", "line 1: ask_silent: must be greater than or equal to 0"),
        ("notify_on: [dne]\n", "line 1: notify_on.0: must be"),
        ("notify: ' '\n", "line 1: notify: is blank"),
        (
            "planner:\n  base_url: localhost:8080\n",
            "line 2: planner.base_url: does not begin with http:// or https://",
        ),
        ("a: [\n", "/h/config.yaml, line 2"),
        ("- a\n", "a mapping is expected"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_what_was_meant(text: str, told: str) -> None:
    with pytest.raises(HomeSettingsWrong) as wrong:
        parse(WHERE, text, {})
    assert told in wrong.value.message
    assert wrong.value.hint


def test_a_wrong_variable_is_named_as_a_variable() -> None:
    with pytest.raises(HomeSettingsWrong, match="TORYO_ASK_SILENT: ask_silent: must be a number") as wrong:
        parse(WHERE, "", {"TORYO_ASK_SILENT": "soon"})
    assert wrong.value.hint == "unset TORYO_ASK_SILENT"


def test_a_value_that_is_typed_is_text_unless_it_is_a_mapping_or_a_list() -> None:
    for command in ("curl -d @- https://x # y: z", "[ -t 1 ] && bell", "{ bell; sleep 1; }", "600"):
        assert home_settings.from_text("notify", command) == command
    assert home_settings.from_text("notify_on", "[done, failed]") == ["done", "failed"]
    assert home_settings.from_text("ask_silent", "600") == "600"


OLD = """# mine
notify: bell  # loud

# how long
session:
  max_timeout: 60

# the end
ask_silent: 5
"""


def test_setting_a_key_leaves_every_other_line_alone() -> None:
    changed = with_key(OLD, "session", {"max_timeout": 90})
    assert changed == OLD.replace("max_timeout: 60", "max_timeout: 90")
    assert with_key(OLD, "notify", "curl: x") == OLD.replace("notify: bell  # loud", "notify: 'curl: x'")
    assert with_key(OLD, "session", None) == OLD.replace("session:\n  max_timeout: 60\n", "")
    assert with_key(OLD, "new", 1) == OLD + "new: 1\n"
    assert with_key("", "new", 1) == "new: 1\n"
    assert with_key("# only this", "new", 1) == "# only this\nnew: 1\n"
    assert with_key("{a: 1, b: 2}\n", "b", 3) == "a: 1\nb: 3\n"


def test_who_only_reads_gets_the_defaults_where_the_file_is_wrong_or_missing(tmp_path):
    file = tmp_path / "config.yaml"
    assert home_settings.of(file).ask_silent == 600
    file.write_text("ask_silent: 30\n")
    assert home_settings.of(file).ask_silent == 30
    file.write_text("ask_silent: never\n")
    assert home_settings.of(file).ask_silent == 600
