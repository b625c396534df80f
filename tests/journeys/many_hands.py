"""Several coordinators of one installation as real processes, each stopped or killed exactly at a step."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from house import House

from waiting import eventually

SETTINGS = "polling_interval: 0.5\nmax_concurrent: 4\n"


@dataclass
class Hand:
    name: str
    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_stopped(self) -> bool:
        return state_of(self.pid) == "T"

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        eventually(lambda: self.is_stopped, what=f"{self.name} is stopped")

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def ended(self, within_s: float = 30) -> int:
        return self.process.wait(within_s)


@dataclass
class Hands:
    """A house whose coordinators are ours to stop; its daemon is the house's own."""

    house: House
    all: list[Hand] = field(default_factory=list)
    aside: list[Hand] = field(default_factory=list)
    """Those that stand at a step, in the order in which they came there."""

    @property
    def crash_file(self) -> Path:
        return self.house.root / "step"

    def arm(self, what: str) -> None:
        half = self.crash_file.with_suffix(".new")
        half.write_text(what)
        half.replace(self.crash_file)

    def settings(self, name: str, text: str = SETTINGS) -> None:
        folder = self.house.home / "coordinators" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "coordinator.yaml").write_text(text)

    def begin(self) -> None:
        """The daemon and the project are there, and no coordinator but ours."""
        self.house.env["TORYO_CRASH_FILE"] = str(self.crash_file)
        self.settings("main")
        self.house.ok("init", "--yes", "--base", "main")
        self.house.kill(self.house.pids()[1])

    def start(self, name: str = "main") -> Hand:
        self.settings(name)
        argv = [sys.executable, "-m", "toryo", "coordinator", "--name", name]
        with (self.house.root / f"{name}.out").open("ab") as output:
            process = subprocess.Popen(
                argv, env=self.house.env, cwd=self.house.repo, stdout=output, stderr=output
            )
        self.all.append(Hand(name, process))
        return self.all[-1]

    def start_and_wait(self, name: str = "main") -> Hand:
        """Known to the daemon: else a command might start one of its own."""
        hand = self.start(name)
        eventually(lambda: hand.pid in self.pids().values(), within_s=30, what=f"{name} is registered")
        return hand

    def pids(self) -> dict[str, int]:
        return {one["name"]: int(one["pid"]) for one in self.house.read("status")["coordinators"]}

    def stopped(self) -> Hand:
        """The next one that stands at the armed step, put aside."""
        found = eventually(
            lambda: next((one for one in self.all if one.is_stopped and one not in self.aside), None),
            within_s=30,
            what=f"somebody comes to {self.crash_file.read_text()}",
        )
        self.aside.append(found)
        return found

    def go_on(self, hand: Hand) -> None:
        self.aside.remove(hand)
        hand.go_on()

    def died(self) -> Hand:
        """The next one that died at the armed step."""
        found = eventually(
            lambda: next(
                (one for one in self.all if one.process.poll() is not None and one not in self.aside), None
            ),
            within_s=30,
            what=f"somebody comes to {self.crash_file.read_text()}",
        )
        self.aside.append(found)
        return found

    def living(self) -> list[Hand]:
        return [one for one in self.all if one.process.poll() is None]

    def end(self) -> None:
        self.arm("")
        for one in self.all:
            if one.process.poll() is None:
                one.process.kill()
            one.process.wait(10)

    def events(self, kind: str) -> list[dict[str, Any]]:
        lines = self.house.ok("events", "--limit", "1000", "--json").splitlines()
        return [one for one in map(json.loads, lines) if one["kind"] == kind]


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""
