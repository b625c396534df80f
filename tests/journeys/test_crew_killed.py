"""kill -9 among real CLIs at work: the CLI itself, its whole tree with tools and all, and those above."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from crew_house import LONG_S, Crew, crew, part, writes

from repositories import git
from toryo.workbench.runs import survivors
from toryo.workbench.runs.survivors import Identity
from waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.timeout(2 * LONG_S)]

both = pytest.mark.parametrize("client", ["claude", "codex"])

HOLD = """echo "$TORYO_RUN" >> "$HOME/starts"
setsid sh -c 'echo $$ > "$HOME/new"; mv "$HOME/new" "$HOME/child"; exec sleep 600' &
n=0; while [ ! -e "$HOME/go" ] && [ $n -lt 1000 ]; do n=$((n+1)); sleep 0.1; done"""
"""A tool whose child leaves its session, and which holds until it is let go."""
REPLIES: tuple[Mapping[str, Any], ...] = (
    {"write": {"path": "src/begun.txt", "text": "half\n"}},
    {"run": HOLD},
    *writes("src/end.txt"),
)


def tool_child(house: Crew) -> Identity:
    """What the CLI's tool started, once it is there."""
    file = Path(house.env["HOME"]) / "child"
    eventually(file.exists, within_s=LONG_S, what="the tool's child")
    pid = int(file.read_text())
    stat = Path(f"/proc/{pid}/stat").read_text()
    return Identity(pid, stat.rpartition(")")[2].split()[19])


def started(house: Crew, run: str) -> dict[str, Any]:
    return dict(json.loads((house.run_dir(run) / "started.json").read_text()))


def kill_tree(house: Crew, run: str) -> None:
    """Shim, CLI and everything that came from it: nobody is left to tell anything."""
    told = started(house, run)
    os.kill(told["shim_pid"], signal.SIGKILL)
    while left := survivors.of(Identity(told["pid"], told["pid_start"]), run):
        for one in left:
            survivors.send(one, signal.SIGKILL)


def starts(house: Crew) -> list[str]:
    return (Path(house.env["HOME"]) / "starts").read_text().split()


@both
def test_a_cli_that_is_killed_has_failed_by_that_signal_its_tools_are_gone_and_its_file_is_kept(
    client: str,
) -> None:
    with crew(client, part("Hold on", *REPLIES)) as house:
        task = house.add("Hold on")
        child = tool_child(house)
        run = house.run(task)["id"]
        os.kill(started(house, run)["pid"], signal.SIGKILL)
        eventually((house.run_dir(run) / "exit.json").exists, within_s=120, what="the exit record")
        assert not child.is_alive()
        assert house.rest(task, limit_s=LONG_S) != 0
        assert house.state(task) == "failed signal:SIGKILL"
        (shown,) = house.task(task)["runs"]
        assert (shown["outcome"], shown["signal"]) == ("failed", "SIGKILL")
        assert starts(house) == [run]
        assert git(house.repo, "show", f"refs/toryo/snapshots/{run}/1:src/begun.txt") == "half"
        assert house.files_on() == {"README.md", "Makefile", "check.sh"}
        assert house.pids_of_runs() == []


@both
def test_the_head_and_hands_of_a_cli_die_then_its_whole_tree_and_one_new_run_lands(client: str) -> None:
    with crew(client, part("Hold on", *REPLIES)) as house:
        task = house.add("Hold on")
        child = tool_child(house)
        first = house.run(task)["id"]
        for pid in house.pids():
            house.kill(pid)
        house.ok("up")
        assert child.is_alive()
        assert house.run(task)["id"] == first
        (Path(house.env["HOME"]) / "child").unlink()
        kill_tree(house, first)
        assert not child.is_alive()
        again = tool_child(house)
        (Path(house.env["HOME"]) / "go").touch()
        house.lands(task)
        one, two = house.task(task)["runs"]
        assert [one["outcome"], two["outcome"]] == ["lost", "succeeded"]
        assert starts(house) == [one["id"], two["id"]]
        assert not again.is_alive()
        assert git(house.repo, "show", f"refs/toryo/snapshots/{first}/1:src/begun.txt") == "half"
        assert (house.text_on("src/begun.txt"), house.text_on("src/end.txt")) == ("half", "fine")
        assert house.recomputed() == []
