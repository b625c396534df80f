"""A command starts in milliseconds: its way in is standard library, the wire, the words and the settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

OURS = ("toryo.main", "toryo.fronts", "toryo.protocol.wire", "toryo.domain", "toryo.settings")
"""Modules (and what is below them) that a reading command may load; packages on the way come with them."""

SLOWEST_START = 6.0
"""Times the start of bare Python. Typical is 3 to 4; with pydantic on the way it would be 8."""

WAY_IN = "import toryo.main, toryo.fronts.cli.entry, toryo.fronts.cli.desk, toryo.fronts.cli.status"
"""All that `toryo status` imports before it asks the daemon."""

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


@pytest.mark.parametrize(
    "code",
    [
        "from toryo.main import main; main(['--version'])",
        "from toryo.main import main; main(['--help'])",
        WAY_IN,
        "from toryo.fronts.cli import desk, entry, following, proofs, runs, tasks, waiting",
    ],
    ids=["version", "help", "status", "reading verbs"],
)
def test_a_command_loads_nothing_heavy(code):
    assert strangers(code) == set()


def test_something_heavy_would_be_noticed():
    assert "pydantic" in strangers("import toryo.protocol.models")
    assert "toryo.processes" in strangers("import toryo.processes")


def test_the_version_needs_no_parser_and_no_socket():
    assert loaded("from toryo.main import main; main(['--version'])").isdisjoint({"argparse", "socket"})


def cpu_s(code: str) -> float:
    """Processor time of a start, which what else the machine does hardly changes."""
    child = subprocess.Popen([sys.executable, "-c", code])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return used.ru_utime + used.ru_stime


def test_the_way_in_costs_a_few_times_bare_python_at_most():
    pairs = [(cpu_s("pass"), cpu_s(WAY_IN)) for _ in range(7)]
    bare, command = (min(times) for times in zip(*pairs, strict=True))
    assert command / bare < SLOWEST_START
