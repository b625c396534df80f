"""A client's structured stream, read piece by piece as a person wants it."""

from __future__ import annotations

import json
from pathlib import Path

from toryo.coordinator.readable_logs import readable


def shown(line: str) -> str | None:
    """Text is shown, other records are not, and what is no record is shown as it is."""
    try:
        return json.loads(line).get("text")
    except ValueError:
        return line


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
        text, offset, over = readable(log, offset, room, ended, shown)
        pieces.append(text)
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
    text, offset, over = readable(log, 0, 1000, False, shown)
    assert (text, over) == ("done\n", False)
    assert readable(log, offset, 1000, False, shown) == ("", offset, False)
    with log.open("a") as file:
        file.write(' and whole"}\n')
    assert readable(log, offset, 1000, True, shown)[0] == "half and whole\n"


def test_the_last_line_of_a_run_that_ended_needs_no_newline(tmp_path):
    log = a_log(tmp_path, record("last"), end="")
    assert readable(log, 0, 1000, True, shown) == ("last\n", log.stat().st_size, True)


def test_an_empty_log_of_an_ended_run_is_over_at_once(tmp_path):
    log = a_log(tmp_path, end="")
    assert readable(log, 0, 1000, True, shown) == ("", 0, True)
