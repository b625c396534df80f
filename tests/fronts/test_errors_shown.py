"""Errors become text in one place, and the exit code says who can mend them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toryo.domain.errors import Refused, UsageError
from toryo.fronts.cli import entry
from toryo.fronts.cli.complaints import describe


def test_no_verb_at_all_is_a_usage_error_that_lists_the_verbs(typed):
    result = typed()
    assert result.code == 2
    assert all(f"\n  {verb} " in result.out for verb in entry.VERBS)


def test_an_unknown_verb_is_a_usage_error_that_names_the_nearest_one(typed):
    result = typed("stauts")
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: There is no verb `stauts`.\nHint: `toryo status`\n"


@pytest.mark.parametrize(
    "words",
    [
        ("task", "add"),
        ("task", "add", "x", "-p", "urgent"),
        ("task", "add", "x", "--timeout", "-3"),
        ("task", "add", "x", "--timeout", "nan"),
        ("task", "wait"),
        ("task",),
        ("task", "list", "--limit", "0"),
        ("task", "list", "--stat", "done"),
        ("agent", "add", "coder"),
        ("status", "extra"),
        ("run", "explode", "r1"),
    ],
)
def test_words_that_make_no_command_exit_2_with_a_hint(typed, words):
    result = typed(*words)
    assert (result.code, result.out) == (2, "")
    first, second = result.err.splitlines()
    assert first.startswith("Error: ")
    assert second.startswith("Hint: `toryo ")


def test_a_refusal_of_the_daemon_is_printed_with_its_hint_and_exits_1(peer, typed):
    peer(get_task={"success": False, "error": "There is no task t9.", "hint": "`toryo task list`"})
    result = typed("task", "show", "t9")
    assert (result.code, result.out) == (1, "")
    assert result.err == "Error: There is no task t9.\nHint: `toryo task list`\n"


def test_a_bug_of_the_daemon_exits_255(peer, typed):
    peer(
        get_task={"success": False, "error": "get_task failed by a bug", "hint": "See the log.", "bug": True}
    )
    result = typed("task", "show", "t9")
    assert result.code == 255
    assert result.err.endswith("Hint: See the log.\n")


def test_a_bug_of_the_command_exits_255_and_leaves_its_traceback_in_the_log(peer, typed, toryo_home: Path):
    peer(list_tasks={"tasks": [{"no": "id"}]})
    result = typed("task", "list")
    log = toryo_home / "logs" / "cli.jsonl"
    assert result.code == 255
    assert result.err.startswith("Error: This is a bug in Toryo: KeyError: 'id'\nHint: ")
    assert str(log) in result.err
    record = json.loads(log.read_text())
    assert record["verb"] == ["task", "list"]
    assert "KeyError" in record["traceback"]
    assert log.stat().st_mode & 0o777 == 0o600


def test_causes_are_listed_from_the_nearest_to_the_first():
    first = FileNotFoundError(2, "No such file or directory", "/x")
    second = ValueError("half a file")
    error = Refused("The settings cannot be read.", hint="Mend them.")
    error.__cause__, second.__cause__ = second, first
    assert describe(error, error.hint).splitlines() == [
        "Error: The settings cannot be read.",
        "Caused by: ValueError: half a file",
        "Caused by: /x: No such file or directory",
        "Hint: Mend them.",
    ]


def test_text_from_elsewhere_cannot_drive_the_terminal():
    shown = describe(UsageError("a\x1b[2Jb\x07c"))
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_ctrl_c_ends_quietly_with_130(peer, typed):
    def interrupted(_args: object) -> int:
        raise KeyboardInterrupt

    peer(get_status={})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toryo.fronts.cli.status.render", interrupted)
        result = typed("status")
    assert (result.code, result.out, result.err) == (130, "", "")


@pytest.mark.parametrize("verb", sorted(entry.VERBS))
def test_every_verb_explains_itself_with_examples(typed, verb):
    with pytest.raises(SystemExit) as ended:
        typed(verb, "--help")
    assert ended.value.code == 0


@pytest.mark.parametrize(
    ("group", "verbs"),
    [
        ("task", "add list show wait retry cancel approve reject"),
        ("run", "list show stop release"),
        ("agent", "add list show"),
    ],
)
def test_every_verb_of_a_group_explains_itself_with_examples(typed, capfd, group, verbs):
    for verb in verbs.split():
        with pytest.raises(SystemExit):
            typed(group, verb, "--help")
        assert f"examples:\n  toryo {group} {verb}" in capfd.readouterr().out
