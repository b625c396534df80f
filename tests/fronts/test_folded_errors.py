"""Long errors on a terminal are folded between words; what is to be copied stays whole, as in a pipe."""

from __future__ import annotations

import subprocess
import sys

import pytest
from narrow_terminal import lines_on_a_terminal

from toryo.fronts.text.output import fold_copyable

UNKNOWN = ("task", "add", "x", "--no-such-option-at-all", "--and-another-one-of-them")


@pytest.mark.parametrize("columns", [20, 40, 60])
def test_an_error_is_folded_between_words_on_a_terminal(toryo_home, columns):
    shown = lines_on_a_terminal(toryo_home, columns, *UNKNOWN)
    assert shown[0].startswith("Error: ")
    assert any(line.startswith("Hint: ") for line in shown)
    wide = [line for line in shown if len(line) > columns]
    assert all(" " not in line or "`" in line for line in wide), "only what cannot be broken is wider"
    assert "`toryo task add --help`" in "\n".join(shown), "a command is never broken"


def test_an_error_in_a_pipe_is_one_line(toryo_home):
    done = subprocess.run(
        [sys.executable, "-m", "toryo", *UNKNOWN], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["Error", "Hint"]


def test_commands_and_lines_that_are_set_in_stay_whole():
    command = "  toryo task add 'a rather long line of words'"
    text = f"Type `toryo agent add worker --client claude` and wait.\n{command}"
    assert fold_copyable(text, 24, 6).split("\n") == [
        "Type",
        "`toryo agent add worker --client claude`",
        "and wait.",
        command,
    ]


def test_wide_characters_count_twice_and_no_terminal_folds_nothing():
    assert fold_copyable("日本語 日本語 日本語 日本語", 16, 0) == "日本語 日本語\n日本語 日本語"
    assert fold_copyable("a b " * 50, 0, 7) == "a b " * 50
