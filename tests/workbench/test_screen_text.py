"""A terminal's output is replayed to the text that stood on it; escape codes never come through."""

from __future__ import annotations

import pytest

from toryo.workbench.terminals.screen_replay import ScreenText, unfinished, with_colours, without_codes


def screen(output: str, columns: int = 20, rows: int = 4) -> list[str]:
    found = ScreenText(columns, rows)
    found.feed(output)
    return found.lines()


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain", ["red and plain"]),
        ("10 %\r20 %\r100 %", ["100 %"]),
        ("old line\x1b[2K\x1b[1Gnew", ["new"]),
        ("a\r\nb\r\nc\x1b[2A\x1b[JA", ["aA"]),
        ("1\r\n2\r\n3\r\n4\r\n5\r\n6", ["1", "2", "3", "4", "5", "6"]),
        ("x" * 25, ["x" * 20, "x" * 5]),
        ("\x1b[3;5Hthere", ["", "", "    there"]),
        ("日本\x1b[1;3H語", ["日語"]),
        ("a\tb\bc", ["a       c"]),
        (
            "shell\r\n\x1b[?1049h\x1b[2J\x1b[Hfull\x1b[2;1Hscreen\x1b[?1049lback",
            ["shell", "full", "screen", "back"],
        ),
        ("old\r\n\x1b[2J\x1b[3J\x1b[Hnew", ["new"]),
        ("head\r\n\x1b[2;3r\x1b[2;1Ha\r\nb\r\nc", ["head", "b", "c"]),
        ("one\r\ntwo\x1b[1;1H\x1b[Lzero", ["zero", "one", "two"]),
        ("abc\x1b[1;2H\x1b[P", ["ac"]),
        ("\x1b[999;999Hx\x1b[0;0H\x1b[999Cy\x1b[>4;1m\x1b(B", [" " * 19 + "y", "", "", " " * 19 + "x"]),
    ],
)
def test_what_stood_on_the_screen_is_its_text(output, shown):
    assert screen(output) == shown


def test_output_in_pieces_reads_as_output_at_once():
    output = "a\x1b[31mb\x1b[0m\r\n日本\x1b]8;;http://x\x1b\\c\x1b[1Ad"
    whole, pieces, kept = screen(output), ScreenText(20, 4), ""
    for sign in output:
        kept += sign
        ready = len(kept) - unfinished(kept)
        pieces.feed(kept[:ready])
        kept = kept[ready:]
    assert pieces.lines() == whole


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[32mok\x1b[0m 日本\x1b[K", "ok 日本"),
        ("10 %\r100 %\r", "100 %"),
        ("bell\a and \x1b]0;title\x07tab\tkept", "bell and tab\tkept"),
    ],
)
def test_a_line_loses_its_codes_and_nothing_else(line, shown):
    assert without_codes(line) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[1;32mok\x1b[0m", "\x1b[1;32mok\x1b[0m"),
        ("\x1b[2K\x1b[38;5;9mred\x1b[m\x1b]0;title\x07", "\x1b[38;5;9mred\x1b[m"),
        ("10 %\r\x1b[32m100 %\x1b[0m\r", "\x1b[32m100 %\x1b[0m"),
        ("\x07a\x1b7b\x00", "ab"),
    ],
)
def test_a_line_is_shown_with_its_colours_and_no_other_code(line: str, shown: str) -> None:
    assert with_colours(line) == shown
