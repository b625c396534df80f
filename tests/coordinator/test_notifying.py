"""The notify command gets its line once, and neither its silence nor its noise holds up anything."""

from __future__ import annotations

import time
from pathlib import Path

from toryo.coordinator.acts.notify import notes_of, notify
from toryo.protocol.kinds.notify import NotifyInputs
from waiting import eventually


def ran(folder: Path, command: str, limit_s: float = 10, order: str = "o1"):
    return notify(NotifyInputs(command=command, text="", limit_s=limit_s), folder, order, lambda: '{"a": 1}')


def test_the_command_gets_one_line_and_its_end_is_reported(tmp_path: Path) -> None:
    told = ran(tmp_path, f"cat > {tmp_path}/line; echo fine; exit 3")
    assert (tmp_path / "line").read_text() == '{"a": 1}\n'
    assert (told.exit_code, told.output, told.problem) == (3, "fine\n", None)


def test_a_command_that_was_started_before_a_crash_is_not_started_again(tmp_path: Path) -> None:
    ran(tmp_path, "true")
    assert notes_of(tmp_path, "o1").exists()
    told = ran(tmp_path, f"touch {tmp_path}/twice")
    assert told.problem is not None
    assert told.problem.code == "interrupted"
    assert not (tmp_path / "twice").exists()


def test_a_command_that_stays_is_killed_with_all_it_started(tmp_path: Path) -> None:
    begun = time.monotonic()
    told = ran(tmp_path, f"(sleep 30; touch {tmp_path}/late) & echo $! > {tmp_path}/pid; wait", limit_s=0.3)
    assert (told.exit_code, told.timed_out) == (None, True)
    assert time.monotonic() - begun < 5
    pid = (tmp_path / "pid").read_text().strip()
    eventually(lambda: not Path(f"/proc/{pid}/cmdline").exists() or _is_zombie(pid), what="it is gone")


def _is_zombie(pid: str) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"


def test_a_command_that_prints_without_end_leaves_only_its_last_words(tmp_path: Path) -> None:
    told = ran(tmp_path, "yes", limit_s=0.3)
    assert told.timed_out
    assert len(told.output) <= 2000


def test_a_command_that_leaves_somebody_behind_has_ended_all_the_same(tmp_path: Path) -> None:
    begun = time.monotonic()
    told = ran(tmp_path, "sleep 5 & echo gone")
    assert (told.exit_code, told.output) == (0, "gone\n")
    assert time.monotonic() - begun < 3
