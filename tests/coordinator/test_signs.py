"""Signs of our runs: told once when they change, by whichever coordinator looks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo.coordinator.config import Config
from toryo.coordinator.runs.client_records import Records, Whose
from toryo.coordinator.runs.runs import Note
from toryo.coordinator.runs.signs import Signs
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.dialogs import note_answered
from toryo.workbench.terminals.spool import Screen

ASKS = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make"}}


@dataclass
class Desk:
    """One live run on disk, and everything that was told of it."""

    folder: Path
    now: float = 1000.0
    line: str = ""
    told: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.folder / "r1").mkdir()
        self.log = self.folder / "log"
        self.log.write_text("begun")
        self.asks = self.folder / "asks.jsonl"
        spool.write_screen(self.folder / "r1", Screen("interactive", str(self.log), asks_file=str(self.asks)))

    def live(self) -> frozenset[str]:
        return frozenset({"r1"})

    def directory(self, run: str) -> Path:
        return self.folder / run

    def note(self, run: str) -> Note:
        return Note("o1", 1, str(self.log))

    def report(self, kind: str, body: dict[str, Any], **whose: Any) -> None:
        assert (kind, whose) == ("signs", {"order": "o1", "generation": 1})
        self.told.append(body)

    def signs(self) -> Signs:
        return Signs(self, self, 60, lambda *_: self.line, lambda: self.now)  # type: ignore[arg-type]

    def passes(self, signs: Signs, seconds: float) -> None:
        self.now += seconds
        signs.look_all()


def test_silence_is_told_once_and_its_end_too_also_after_a_restart(tmp_path):
    desk = Desk(tmp_path)
    signs = desk.signs()
    for seconds in (0, 59, 2, 500):
        desk.passes(signs, seconds)
    assert desk.told == [{"n": 1, "asks": "", "silent_s": 61, "line": ""}]
    again = desk.signs()
    desk.passes(again, 5)
    assert len(desk.told) == 1
    desk.log.write_text("begun, and more")
    desk.passes(again, 5)
    assert desk.told[1:] == [{"n": 2, "asks": "", "silent_s": None, "line": ""}]


def test_a_dialog_is_told_when_it_opens_and_when_it_was_answered(tmp_path):
    desk = Desk(tmp_path)
    signs = desk.signs()
    signs.look("r1")
    assert desk.told == []
    desk.asks.write_text(json.dumps(ASKS) + "\n")
    for _ in range(3):
        signs.look("r1")
    assert desk.told == [{"n": 1, "asks": "may it use Bash: make", "silent_s": None, "line": ""}]
    note_answered(desk.asks)
    signs.look("r1")
    assert desk.told[1:] == [{"n": 2, "asks": "", "silent_s": None, "line": ""}]


def test_the_last_line_is_told_at_most_once_a_minute_and_only_where_something_was_printed(tmp_path):
    desk = Desk(tmp_path, line="building")
    signs = desk.signs()
    desk.passes(signs, 0)
    desk.passes(signs, 59)
    assert desk.told == [], "a short run tells none"
    desk.passes(signs, 1)
    assert [one["line"] for one in desk.told if one["line"]] == ["building"]
    told = len(desk.told)
    desk.line = "testing"
    desk.passes(signs, 200)
    assert [one["line"] for one in desk.told[told:]] in ([], ["building"]), "its log did not grow"
    for step in range(10):
        desk.log.write_text(f"more {'.' * step}")
        desk.passes(signs, 10)
    assert [one["line"] for one in desk.told].count("testing") <= 2
    assert desk.told[-1]["line"] == "testing"


def test_the_line_is_what_the_client_shows_of_its_record_or_what_a_program_printed(tmp_path):
    records = Records(Config(mcp_socket_path=str(tmp_path / "socket")), tmp_path)
    log = tmp_path / "log"
    log.write_text("one\n\x1b[1mtwo\x1b[0m\n\n")
    assert records.last_line(Whose("command", str(log)), tmp_path) == "two"
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "I mend it"}]}}
    log.write_text(json.dumps(said) + "\n")
    assert records.last_line(Whose("claude", str(log)), tmp_path) == "I mend it"
    assert records.last_line(Whose("claude", str(tmp_path / "none")), tmp_path) == ""
