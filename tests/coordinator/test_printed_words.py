"""Last words of programs without a record of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from toryo.coordinator.config import Config
from toryo.coordinator.runs.client_records import Records, Whose
from toryo.coordinator.runs.printed_words import last_printed


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("", ""),
        ("working\n\nWhich colour?\n", "Which colour?"),
        ("one\n\nWhich of these?\n- red\n- blue\n\n\n", "Which of these?\n- red\n- blue"),
        ("\x1b[1mBold\x1b[0m question?\x1b]0;title\x07\r\n", "Bold question?"),
        ("toryo: set-up: npm ci\nWhich one?\n", "Which one?"),
        ("10%\r50%\rdone?\n", "done?"),
    ],
)
def test_the_last_paragraph_is_what_a_program_said_last(tmp_path: Path, printed: str, words: str) -> None:
    log = tmp_path / "log"
    log.write_bytes(printed.encode())
    assert last_printed(log) == words


def test_of_a_long_log_only_the_end_is_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("x" * 20_000_000 + "\n\nShall I go on?\n")
    assert last_printed(log) == "Shall I go on?"
    log.write_text("long " * 1000)
    assert len(last_printed(log)) == 2000


def test_the_question_of_a_program_is_among_what_is_told_of_its_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("Which colour should I use?\n")
    said = Records(Config(mcp_socket_path=tmp_path), tmp_path / "clients").said(
        Whose("command", str(log)), tmp_path
    )
    assert said is not None
    assert said.words == "Which colour should I use?"
