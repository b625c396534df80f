"""Text for people: columns that line up in every script, colour only where a person looks."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toryo.fronts.cli import showing
from toryo.fronts.cli.yaml_text import to_yaml
from waiting import eventually


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_columns_line_up_with_wide_and_combining_characters():
    rows = [("t1", "扉を直す", "x"), ("t22", "cafe\u0301", "y")]
    assert showing.table(("id", "title", "z"), rows).splitlines() == [
        "id   title     z",
        "t1   扉を直す  x",
        "t22  cafe\u0301      y",
    ]


def test_a_long_cell_is_cut_by_columns_not_by_characters():
    assert showing.cut("扉を直す", 5) == "扉を…"
    assert showing.width(showing.cut("扉を直す", 5)) == 5


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.04, "0.0 s"), (59.6, "60 s"), (61, "1 min 1 s"), (3600, "1 h"), (90061, "1 d 1 h")],
)
def test_durations_have_at_most_two_units(value, text):
    assert showing.duration(value) == text


@pytest.mark.parametrize(
    ("env", "painted"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_without_no_color(monkeypatch, env, painted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert (showing.paint("done", "green", Terminal()) == "\033[32mdone\033[0m") is painted
    assert showing.paint("done", "green", io.StringIO()) == "done"


def test_a_long_wait_shows_one_line_on_a_terminal_and_takes_it_away(monkeypatch):
    monkeypatch.setattr(showing, "PROGRESS_AFTER_S", 0.01)
    terminal = Terminal()
    with showing.Progress("waiting for the checks", terminal):
        eventually(lambda: "waiting for the checks 0." in terminal.getvalue())
    assert terminal.getvalue().endswith("\r\033[K")
    assert "\n" not in terminal.getvalue()


def test_a_short_wait_and_a_pipe_show_nothing():
    terminal, pipe = Terminal(), io.StringIO()
    with showing.Progress("x", terminal), showing.Progress("x", pipe):
        pass
    assert terminal.getvalue() == pipe.getvalue() == ""


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
