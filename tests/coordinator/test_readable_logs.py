"""A client's structured stream, read piece by piece as a person wants it."""

from __future__ import annotations

import json
from pathlib import Path

from toryo.coordinator.runs import readable_logs
from toryo.coordinator.runs.readable_logs import Lines, program_lines, readable, screen_piece, tail_offset


def shown(line: str) -> str | None:
    """Text is shown, other records are not, and what is no record is shown as it is."""
    try:
        return json.loads(line).get("text")
    except ValueError:
        return line


def written_at(line: str) -> str:
    return str(json.loads(line).get("at", "")) if line.startswith("{") else ""


HOW = Lines(shown, written_at)


def a_log(tmp_path: Path, *lines: str, end: str = "\n") -> Path:
    log = tmp_path / "log"
    log.write_bytes(("\n".join(lines) + end).encode())
    return log


def record(text: str) -> str:
    return json.dumps({"text": text}, ensure_ascii=False)


def whole(log: Path, room: int, *, ended: bool = True) -> list[str]:
    """Every piece until the last."""
    pieces, offset, over = [], 0, False
    while not over:
        piece = readable(log, offset, room, ended, HOW)
        offset, over = piece.next_offset, piece.ended
        pieces.append(piece.text)
    return pieces


def test_each_line_is_shown_once_whatever_the_size_of_the_pieces(tmp_path):
    log = a_log(tmp_path, record("ü one"), '{"kind": "usage"}', "plain", "", record("three"))
    for room in (1, 7, 20, 10_000):
        assert "".join(whole(log, room)) == "ü one\nplain\nthree\n"


def test_a_line_longer_than_a_piece_is_read_to_its_end(tmp_path):
    log = a_log(tmp_path, record("x" * 5000), record("then"))
    assert whole(log, 100) == ["x" * 5000 + "\n", "then\n"]


def test_a_record_that_holds_a_whole_file_is_cut(tmp_path):
    log = a_log(tmp_path, record("x" * 300_000))
    (text,) = whole(log, 100)
    assert (len(text), text.endswith("…\n")) == (8002, True)


def test_a_line_that_is_still_being_written_is_left_for_the_next_time(tmp_path):
    log = a_log(tmp_path, record("done"), '{"text": "half', end="")
    piece = readable(log, 0, 1000, False, HOW)
    assert (piece.text, piece.ended) == ("done\n", False)
    assert readable(log, piece.next_offset, 1000, False, HOW).text == ""
    with log.open("a") as file:
        file.write(' and whole"}\n')
    assert readable(log, piece.next_offset, 1000, True, HOW).text == "half and whole\n"


def test_the_last_line_of_a_run_that_ended_needs_no_newline(tmp_path):
    log = a_log(tmp_path, record("last"), end="")
    piece = readable(log, 0, 1000, True, HOW)
    assert (piece.text, piece.next_offset, piece.ended) == ("last\n", log.stat().st_size, True)


def test_an_empty_log_of_an_ended_run_is_over_at_once(tmp_path):
    log = a_log(tmp_path, end="")
    assert readable(log, 0, 1000, True, HOW).ended


def test_a_program_that_prints_colours_and_bars_is_read_without_them(tmp_path):
    log = a_log(tmp_path, "\x1b[32mok\x1b[0m", "", "10 %\r100 %\r", "日本\r", "half", end="")
    piece = readable(log, 0, 1000, False, program_lines())
    assert piece.text == "ok\n\n100 %\n日本\nhalf"
    assert piece.next_offset == log.stat().st_size
    log.write_bytes(b"a\n50 %\r")
    assert readable(log, 0, 1000, False, program_lines()).text == "a\n", "it may still be drawn over"


def test_each_record_that_has_a_time_is_told_with_its_line(tmp_path):
    timed = [json.dumps({"text": text, "at": at}) for text, at in (("one\nmore", "T1"), ("two", "T2"))]
    log = a_log(tmp_path, "plain", *timed)
    assert readable(log, 0, 1000, True, HOW).times == [[1, "T1"], [3, "T2"]]


def test_what_was_said_stands_where_the_log_was_then(tmp_path):
    log = a_log(tmp_path, "one", "two", "three")
    how = Lines(shown, said=((4, "m1"), (5, "m2"), (14, "m3")))
    assert readable(log, 0, 1000, True, how).said == [[1, "m1"], [2, "m2"], [3, "m3"]]
    first, then = readable(log, 0, 1, False, how), readable(log, 4, 1000, False, how)
    assert (first.said, then.said) == ([], [[0, "m1"], [1, "m2"]]), "each once, whatever the pieces"


def test_the_last_lines_of_a_large_log_are_found_from_its_end(tmp_path, monkeypatch):
    lines = [record(f"line {n}") if n % 3 else '{"kind": "usage"}' for n in range(3000)]
    log = a_log(tmp_path, *lines, record("a\nb"))
    monkeypatch.setattr(readable_logs, "BLOCK", 1000)
    for count in (1, 2, 3, 500):
        text = readable(log, tail_offset(log, count, HOW), 10**6, True, HOW).text
        assert text.splitlines()[-count:] == "".join(whole(log, 10**6)).splitlines()[-count:]
        assert text.count("\n") <= count + 1
    assert tail_offset(log, 10**6, HOW) == 0


def test_the_end_of_80_megabytes_is_found_without_reading_them(tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as file:
        file.truncate(80 * 1024 * 1024)  # nothing that could be shown, and slow if it were read
        file.seek(0, 2)
        file.write(b"\nthe end\n")
    assert tail_offset(log, 1, program_lines()) == 80 * 1024 * 1024 + 1


def test_a_screen_is_shown_as_it_looked_and_later_only_what_is_new_on_it(tmp_path):
    log = a_log(tmp_path, "\x1b[2J\x1b[H\x1b[1mHello\x1b[0m\r", "- Working 1s", end="")
    first = screen_piece(log, 0, False)
    assert (first.text, first.ended) == ("Hello\n- Working 1s\n", False)
    with log.open("ab") as file:
        file.write(b"\r\x1b[K\\ Working 2s")
    then = screen_piece(log, first.next_offset, False)
    assert then.text == "", "a spinner that turns is no news"
    with log.open("ab") as file:
        file.write(b"\r\x1b[KDone.\r\n")
    assert screen_piece(log, then.next_offset, True).text == "Done.\n"
    assert screen_piece(log, 0, True).text == "Hello\nDone.\n"
