"""Signs of our runs: told once when they change, by whichever coordinator looks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo.coordinator.runs import Note
from toryo.coordinator.signs import Signs
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.dialogs import note_answered
from toryo.workbench.terminals.spool import Screen

ASKS = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make"}}


@dataclass
class Desk:
    """One live run on disk, and everything that was told of it."""

    folder: Path
    now: float = 1000.0
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
        return Signs(self, self, 60, lambda: self.now)  # type: ignore[arg-type]

    def passes(self, signs: Signs, seconds: float) -> None:
        self.now += seconds
        signs.look_all()


def test_silence_is_told_once_and_its_end_too_also_after_a_restart(tmp_path):
    desk = Desk(tmp_path)
    signs = desk.signs()
    for seconds in (0, 59, 2, 500):
        desk.passes(signs, seconds)
    assert desk.told == [{"n": 1, "asks": "", "silent_s": 61}]
    again = desk.signs()
    desk.passes(again, 5)
    assert len(desk.told) == 1
    desk.log.write_text("begun, and more")
    desk.passes(again, 5)
    assert desk.told[1:] == [{"n": 2, "asks": "", "silent_s": None}]


def test_a_dialog_is_told_when_it_opens_and_when_it_was_answered(tmp_path):
    desk = Desk(tmp_path)
    signs = desk.signs()
    signs.look("r1")
    assert desk.told == []
    desk.asks.write_text(json.dumps(ASKS) + "\n")
    for _ in range(3):
        signs.look("r1")
    assert desk.told == [{"n": 1, "asks": "may it use Bash: make", "silent_s": None}]
    note_answered(desk.asks)
    signs.look("r1")
    assert desk.told[1:] == [{"n": 2, "asks": "", "silent_s": None}]
