"""Errors become text in one place, and the exit code says who can mend them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from toryo import __version__
from toryo.domain.errors import Refused, UsageError
from toryo.fronts.cli import entry
from toryo.fronts.cli.overviews import verbs_of, whole_tree
from toryo.fronts.text.errors import describe


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_the_version_is_one_line(typed, word):
    result = typed(word)
    assert (result.code, result.out, result.err) == (0, f"toryo {__version__}\n", "")


def test_no_verb_at_all_is_a_usage_error_that_lists_the_verbs(typed):
    result = typed()
    assert result.code == 2
    assert all(f"\n  {verb} " in result.out for verb in entry.VERBS)


def test_an_unknown_verb_is_a_usage_error_that_names_the_nearest_one(typed):
    result = typed("stauts")
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: There is no verb `stauts`.\nHint: Did you mean `toryo status`?\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("tasks", "task"),
        ("retry t1", "task retry"),
        ("task lsit", "task list"),
        ("agent enabel x", "agent enable"),
        ("version", "--version"),
        ("memory ad x", "memory add"),
    ],
)
def test_a_mistyped_verb_or_one_without_its_group_is_named_as_it_was_meant(typed, words, meant):
    result = typed(*words.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[1] == f"Hint: Did you mean `toryo {meant}`?"


@pytest.mark.parametrize("words", ["xyzzy", "task xyzzy"])
def test_a_verb_that_is_like_no_other_is_answered_with_where_to_look(typed, words):
    result = typed(*words.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[1].startswith("Hint: `toryo ")


def test_a_mistyped_option_is_named_as_it_was_meant(typed):
    result = typed("task", "add", "x", "--prioritty=high")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[1].startswith("Hint: Did you mean `--priority`? ")


@pytest.mark.parametrize(
    "words",
    [
        ("task", "add"),
        ("task", "add", "x", "-p", "urgent"),
        ("task", "add", "x", "--timeout", "-3"),
        ("task", "add", "x", "--timeout", "nan"),
        ("task", "wait"),
        ("task", "list", "--limit", "0"),
        ("task", "list", "--status", "finished"),
        ("task", "update", "t1"),
        ("task", "update", "t1", "--status", "finished"),
        ("project", "move", "a", "b", "c"),
        ("session", "start", "t1"),
        ("session", "end", "r1"),
        ("session", "end", "r1", "--exit-code", "-1"),
        ("session", "end", "r1", "--exit-code", "0", "--artifacts", "a.txt"),
        ("session", "end", "r1", "--exit-code", "0", "--artifacts", '{"a": 1}'),
        ("session", "end", "r1", "--exit-code", "0", "--dod-result", "fine"),
        ("memory", "add", "x", "-d", "y", "--file", "z"),
        ("completion",),
        ("completion", "tcsh"),
        ("status", "--watch", "-n", "0"),
        ("agent", "add", "coder"),
        ("status", "extra"),
        ("task", "list", "--stats", "done"),
        ("worker", "command"),
    ],
)
def test_words_that_make_no_command_exit_2_with_a_hint(typed, words):
    result = typed(*words)
    assert (result.code, result.out) == (2, "")
    first, second = result.err.splitlines()
    assert first.startswith("Error: ")
    assert second.startswith("Hint: ")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a.txt", "line 1, column 1: it is no JSON"),
        ('["a",\n b]', "line 2, column 2: it is no JSON"),
        ('["a", 5]', "entry 2: must be text"),
        ('{"a": 1}', "it must be a list of paths"),
        ("[" * 50_000, "it is nested too deeply"),
    ],
    ids=["word", "broken", "number", "object", "deep"],
)
def test_artifacts_that_are_no_json_list_of_paths_are_told_with_their_place(typed, given, said):
    result = typed("session", "end", "r1", "--exit-code", "0", "--artifacts", given)
    assert (result.code, result.out) == (2, "")
    assert f"--artifacts: {said}" in result.err
    assert len(result.err) < 1000


def test_a_title_without_quotes_is_recognised(typed):
    result = typed("task", "add", "mend", "the", "door")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[1].startswith("Hint: Put the title in quotes. ")


def test_a_group_without_a_verb_lists_its_verbs_and_is_a_usage_error(typed):
    result = typed("task")
    assert (result.code, result.err) == (2, "")
    assert "\n  update   change a task" in result.out


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
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    peer(get_status={})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toryo.fronts.cli.look.status_page.page", interrupted)
        result = typed("status")
    assert (result.code, result.out, result.err) == (130, "", "")


EVERY_VERB = sorted(whole_tree())


@pytest.mark.parametrize("words", EVERY_VERB)
def test_every_verb_explains_itself_with_examples(typed, words):
    result = typed(*words.split(), "--help")
    assert (result.code, result.err) == (0, "")
    examples = result.out.partition("\nexamples:\n")[2].splitlines()
    assert examples
    assert all(f"toryo {words}" in line for line in examples)
    assert typed("help", *words.split()).out == result.out


@pytest.mark.parametrize("words", EVERY_VERB)
def test_every_example_in_the_help_can_be_parsed(words):
    for line in (whole_tree()[words].epilog or "").splitlines()[1:]:
        parser, rest = entry.find(words_for_toryo(line))
        assert parser is not None
        parser.parse_args(rest)


def words_for_toryo(line: str) -> list[str]:
    """What the shell would give us of an example."""
    inside = re.search(r"\$\((toryo [^)]*)\)", line)
    ours = line.partition(" -- ")[2] or line  # behind it stands what another program is to start
    words = shlex.split(inside[1] if inside else ours[ours.index("toryo ") :], comments=True)
    ends = [words.index(sign) for sign in "<>" if sign in words]
    return words[1 : min(ends, default=len(words))]


@pytest.mark.parametrize("word", [word for word in entry.VERBS if verbs_of(word)])
def test_a_group_lists_its_verbs_with_an_example_of_each(typed, word):
    result = typed(word, "--help")
    assert (result.code, result.err) == (0, "")
    assert all(f"\n  {verb} " in result.out for verb in verbs_of(word))
    assert all(f"toryo {word} {verb}" in result.out for verb in verbs_of(word))
    assert typed("help", word).out == result.out


def test_no_example_is_wider_than_a_terminal():
    epilogs = [parser.epilog or "" for parser in whole_tree().values()]
    assert [line for text in epilogs for line in text.splitlines() if len(line) > 80] == []


def test_no_line_of_any_help_is_very_wide_without_a_terminal(typed):
    pages = [typed("--help").out, *(typed(*words.split(), "--help").out for words in EVERY_VERB)]
    pages += [typed(word, "--help").out for word in entry.VERBS if verbs_of(word)]
    assert [line for page in pages for line in page.splitlines() if len(line) > 100] == []


def test_a_daemon_of_another_version_is_named_once_with_what_to_do(peer, typed):
    there = peer(read_log={"run": "r1", "text": "x", "next_offset": 1, "ended": True})
    there.version = "0.0.9"
    result = typed("log", "r1", "--raw")
    assert (result.code, result.out, len(there.calls)) == (0, "xx", 2)
    assert result.err.splitlines() == [
        f"Warning: this is toryo {__version__}, but the daemon that runs is 0.0.9.",
        f"Hint: `toryo down && toryo up` restarts it as {__version__}; running agents go on.",
    ]
    there.version = "99.10"
    assert "Hint: Install toryo 99.10 here too" in typed("log", "r1").err


@pytest.mark.parametrize("version", [__version__, ""])
def test_a_daemon_of_the_same_version_or_of_none_is_no_reason_to_warn(peer, typed, version):
    peer(get_project={"project": {"name": "x", "id": "p1", "status": "active"}}).version = version
    assert typed("project", "show").err == ""
