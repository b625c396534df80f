"""A start record that appears between two looks is a start, not a loss."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from toryo import processes
from toryo.workbench.runs import records
from toryo.workbench.runs.records import Kind


def record_of_this_process() -> str:
    me, start = os.getpid(), processes.start_time(os.getpid())
    record = {"shim_pid": me, "shim_start": start, "pid": me, "pid_start": start}
    return json.dumps(record | {"boot": processes.boot_id(), "generation": 1, "started_at": ""})


def test_a_record_that_appears_between_two_looks_is_no_lost_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = records.read_started
    looks: list[Path] = []

    def late(run_dir: Path) -> records.StartRecord | None:
        looks.append(run_dir)
        if len(looks) == 1:  # the shim writes it right after this first look
            (run_dir / "started.json").write_text(record_of_this_process())
            return None
        return read(run_dir)

    monkeypatch.setattr(records, "read_started", late)
    assert records.state(tmp_path).kind is Kind.RUNNING


def test_a_record_that_is_torn_is_a_loss(tmp_path: Path) -> None:
    (tmp_path / "started.json").write_text('{"shim_pid": 1')
    assert records.state(tmp_path).kind is Kind.LOST


def test_records_that_come_while_somebody_looks_are_never_a_loss(tmp_path: Path) -> None:
    """The same race, with a real writer."""
    whole, seen = record_of_this_process(), set()
    for number in range(300):
        run_dir = tmp_path / f"r{number}"
        run_dir.mkdir()
        (run_dir / "launch.json").write_text("{}")
        half = run_dir / "started.json.new"
        half.write_text(whole)
        writer = threading.Thread(target=half.rename, args=(run_dir / "started.json",))
        writer.start()
        seen.add(records.state(run_dir).kind)
        writer.join()
    assert seen <= {Kind.RESERVED, Kind.RUNNING}
