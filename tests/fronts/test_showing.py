"""Text for people: columns that line up in every script, colour only where a person looks."""

from __future__ import annotations

import io
import subprocess
import sys
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain import words
from toryo.fronts.cli import choices
from toryo.fronts.cli.yaml_text import to_yaml
from toryo.fronts.text import output


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_columns_line_up_with_wide_and_combining_characters():
    rows = [("t1", "扉を直す", "x"), ("t22", "cafe\u0301", "y")]
    assert output.table(("id", "title", "z"), rows).splitlines() == [
        "id   title     z",
        "t1   扉を直す  x",
        "t22  cafe\u0301      y",
    ]


def test_a_long_cell_is_cut_by_columns_not_by_characters():
    assert output.cut("扉を直す", 5) == "扉を…"
    assert output.width(output.cut("扉を直す", 5)) == 5


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.04, "0.0 s"), (59.6, "60 s"), (61, "1 min 1 s"), (3600, "1 h"), (90061, "1 d 1 h")],
)
def test_durations_have_at_most_two_units(value, text):
    assert output.duration(value) == text


@pytest.mark.parametrize(
    ("env", "painted"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_without_no_color(monkeypatch, env, painted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert (output.paint("done", "green", Terminal()) == "\033[32mdone\033[0m") is painted
    assert output.paint("done", "green", io.StringIO()) == "done"


def test_a_long_wait_shows_one_line_on_a_terminal_and_takes_it_away(monkeypatch):
    terminal, now = Terminal(), [100.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    with output.Progress("waiting for the checks", terminal) as progress:
        for at in (100.5, 101.1, 101.2, 102.2):
            now[0] = at
            progress.tick()
    shown = "\r\033[Kwaiting for the checks "
    assert terminal.getvalue() == f"{shown}1.1 s{shown}2.2 s\r\033[K"


def test_a_short_wait_and_a_pipe_show_nothing(monkeypatch):
    terminal, pipe, now = Terminal(), io.StringIO(), [100.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    with output.Progress("x", terminal) as short, output.Progress("x", pipe) as piped:
        short.tick()
        now[0] = 109.0
        piped.tick()
    assert terminal.getvalue() == pipe.getvalue() == ""


@pytest.mark.parametrize(
    ("at", "now", "text"),
    [
        ("2026-11-15T09:10:04.813Z", "2026-11-15T09:10:05Z", "0 s"),
        ("2026-11-15T09:10:04Z", "2026-11-15T09:15:00Z", "4 min"),
        ("2024-02-28T23:59:59Z", "2024-03-01T00:00:00Z", "1 d"),
        ("2025-02-28T23:59:59Z", "2025-03-01T00:00:00Z", "1 s"),
        ("2025-12-31T22:00:00Z", "2026-01-01T00:30:00Z", "2 h"),
        ("2026-11-15T09:10:04Z", "2026-11-15T09:10:00Z", "0 s"),
        ("2026-11-19T20:04:45+00:00", "2026-11-19T20:09:45Z", "5 min"),
        ("2026-11-20T05:04:45+09:00", "2026-11-19T22:04:45Z", "2 h"),
        ("2026-11-19T16:34:45-03:30", "2026-11-19T20:04:49Z", "4 s"),
        (None, "2026-11-15T09:10:00Z", ""),
        ("soon", "2026-11-15T09:10:00Z", ""),
    ],
)
def test_moments_are_shown_by_how_long_they_are_past(at, now, text):
    assert output.ago(at, datetime.fromisoformat(now).timestamp()) == text


@given(st.datetimes(datetime(1970, 1, 1), datetime(2300, 1, 1), timezones=st.just(UTC)))
def test_every_moment_is_read_as_the_calendar_has_it(moment):
    text = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    since = output.seconds_since(text, moment.timestamp() + 1000)
    assert since == pytest.approx(1000, abs=0.01)


def test_a_table_too_wide_for_the_terminal_gives_way_in_its_elastic_column_first():
    rows = [("t3kd92m1x", "needs_review", "dependency_failed:t3kd92m1x", "a title " * 9)]
    heads = ("id", "status", "because", "title")
    lines = output.table(heads, rows, room=80, elastic=2).splitlines()
    assert lines[1] == ("t3kd92m1x  needs_review  dependency_fail…  a title a title a title a title a ti…")
    assert all(len(line) <= 80 for line in lines)
    narrow = output.table(heads, rows, room=20).splitlines()[1].split("  ")
    assert narrow[:2] == ["t3kd92m1x", "needs_review"]


def test_a_table_for_a_pipe_is_never_cut():
    long = "x" * 300
    assert output.table(("id", "title"), [("t1", long)]).splitlines()[1] == f"t1  {long}"


def test_a_long_value_goes_on_below_its_beginning(monkeypatch):
    monkeypatch.setattr(output, "columns", lambda: 40)
    text = output.facts([("because", "one two three four five six seven eight nine"), ("x", "y")])
    assert text.splitlines() == [
        "because  one two three four five six",
        "         seven eight nine",
        "x        y",
    ]


def test_the_choices_are_the_glossarys_words():
    assert tuple(words.TaskStatus) == choices.STATUSES
    assert tuple(words.MissionStatus) == choices.MISSION_STATUSES
    assert tuple(words.Priority) == choices.PRIORITIES
    assert tuple(words.Access) == choices.ACCESS
    assert set(choices.MAY_LAND) == words.MAY_LAND


scalars = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
flat = scalars | st.lists(scalars, max_size=3)
keys = st.sampled_from(["exclude", "read", "on", "a b", "id"])
values = (
    flat
    | st.dictionaries(keys, flat, max_size=3)
    | st.lists(st.dictionaries(keys, flat, max_size=2), max_size=2)
)


@given(st.dictionaries(keys, values, max_size=4))
def test_the_yaml_we_write_reads_back_as_the_same_data(data):
    assert (yaml.safe_load(to_yaml(data)) or {}) == data


def test_several_lines_are_a_block_that_people_can_edit():
    assert to_yaml({"prompt": "Be kind.\n\nBe brief: 1.\n"}) == "prompt: |\n  Be kind.\n\n  Be brief: 1.\n"


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    code = "import sys; from toryo.fronts.cli import entry; sys.exit(entry.run(['--help'], {}))"
    with open(tmp_path / "err", "wb") as err:
        writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=err)
        assert writer.stdout is not None
        writer.stdout.close()
        assert writer.wait(30) == 0
    assert (tmp_path / "err").read_bytes() == b""
