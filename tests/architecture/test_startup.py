"""A command starts in milliseconds: its way in is standard library, the wire, the words and the settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from fronts.shown_missions import mission, plan
from fronts.wire_peer import Peer

OURS = ("toryo.main", "toryo.fronts", "toryo.protocol.wire", "toryo.domain", "toryo.settings")
"""Modules (and what is below them) that a reading command may load; packages on the way come with them."""

SLOWEST_START = 3.0
"""Times the start of bare Python, in processor time. Typical is 2.6, of which typing is 0.4; dataclasses or
pathlib add almost 1."""

TOO_SLOW = {"dataclasses", "inspect", "pathlib", "socket", "threading", "subprocess", "shutil"}
TOO_SLOW |= {
    "locale",
    "datetime",
    "importlib.metadata",
    "ast",
    "tempfile",
    "toryo.domain.words",
}
"""Of the standard library and our own: what a reading command has no time for."""

STATUS = {
    "daemon": {"pid": 7, "version": "0.1.0", "uptime_s": 75.0},
    "coordinators": [{"id": "m/main", "name": "main", "pid": 8, "live": True}],
    "agents": [{"id": "coder", "client": "command", "slots": 2, "runs": [], "status": "active"}] * 9,
    "counts": {"done": 4, "running": 1, "needs_review": 1, "open": 0},
    "projects": [{"id": "p1", "name": "door", "status": "active", "base": "main", "path": "/src/door"}],
    "moving": [{"id": "t1", "status": "running", "agent": "coder", "title": "mend", "detail": ""}] * 9,
    "needs_you": [{"task": "t2", "why": "no_commit", "type": "toryo task retry t2"}] * 9,
}
READING = ("status", "status --json", "task list", "task show t1", "run list", "evidence t1", "project list")
READING += ("mission list", "mission show n1")
ANSWERS = {
    "get_status": STATUS,
    "list_tasks": {"tasks": [{"id": "t1", "status": "done", "title": "mend"}] * 50},
    "get_task": {"id": "t1", "status": "done", "title": "mend", "runs": [{"id": "r1"}]},
    "list_runs": {"runs": [{"id": "r1"}] * 50},
    "get_evidence": {"task": "t1", "status": "done", "verdict": "green", "checks": []},
    "list_projects": {"projects": STATUS["projects"]},
    "list_missions": {"missions": [mission()] * 50, "more": False, "next_after": 0},
    "show_mission": {"mission": mission("active", plan=plan())},
}

RECORD = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{RECORD}"], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def strangers(code: str) -> set[str]:
    """Modules that the code loads besides the standard library and what a command's way in may contain."""
    found = loaded(code) - loaded("pass")
    packages = {"toryo", "toryo.protocol"}
    foreign = {name for name in found if name.partition(".")[0] not in {*sys.stdlib_module_names, "toryo"}}
    ours = {name for name in found if name.startswith("toryo.") and not name.startswith(OURS)}
    return foreign | (ours - packages)


@pytest.fixture
def there(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A daemon that answers, so that whole commands can be measured."""
    home = tmp_path_factory.mktemp("h")
    monkeypatch.setenv("TORYO_HOME", str(home))
    peer = Peer(home, dict(ANSWERS))
    yield
    peer.close()


def command(words: str) -> str:
    return f"import sys; from toryo.main import main; code = main({words.split()!r}); assert code == 0"


@pytest.mark.parametrize("words", ["--version", "--help", *READING])
def test_a_command_loads_nothing_heavy(there, words):
    assert strangers(command(words)) == set()


@pytest.mark.parametrize("words", READING)
def test_a_reading_command_loads_nothing_of_the_library_that_is_slow(there, words):
    assert (loaded(command(words)) - loaded("pass")) & TOO_SLOW == set()


def test_something_heavy_would_be_noticed():
    assert "pydantic" in strangers("import toryo.protocol.base")
    assert "toryo.processes" in strangers("import toryo.processes")


def test_the_version_needs_no_parser_and_no_socket():
    assert loaded("from toryo.main import main; main(['--version'])").isdisjoint({"argparse", "socket"})


def cpu_s(code: str) -> float:
    """Processor time of a start, which what else the machine does hardly changes."""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return used.ru_utime + used.ru_stime


def test_a_whole_status_costs_at_most_three_times_bare_python(there):
    pairs = [(cpu_s("pass"), cpu_s(command("status"))) for _ in range(9)]
    bare, whole = (min(times) for times in zip(*pairs, strict=True))
    assert whole / bare <= SLOWEST_START
