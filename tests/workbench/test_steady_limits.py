"""A run that lost its shim keeps its time limit by a clock that nobody sets."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from toryo import processes
from toryo.workbench.runs import launch, records
from toryo.workbench.runs.launch import LaunchSpec
from waiting import eventually


def test_the_shim_says_when_it_began_by_the_steady_clock(tmp_path: Path) -> None:
    before = time.monotonic()
    run = launch.reserve(tmp_path / "runs", "r1", 1).path
    spec = LaunchSpec(argv=("/bin/sh", "-c", "true"), cwd=tmp_path, env={}, log=tmp_path / "log", limit_s=60)
    launch.launch(run, spec)
    eventually(lambda: records.read_exit(run), what="it has ended")
    began = json.loads((run / records.STARTED).read_text())["began"]
    assert before <= began <= time.monotonic()
    assert not records.overdue(run, began + 59)
    assert records.overdue(run, began + 61)
    processes.reap()


@pytest.mark.parametrize("began", [{}, {"began": 0.0, "boot": "another"}])
def test_where_its_beginning_is_not_known_nobody_ends_it_for_its_time(
    tmp_path: Path, began: dict[str, object]
) -> None:
    (tmp_path / records.LAUNCH).write_text(json.dumps({"limit_s": 1}))
    (tmp_path / records.STARTED).write_text(json.dumps({"boot": processes.boot_id(), **began}))
    assert not records.overdue(tmp_path, time.monotonic() + 10_000)
