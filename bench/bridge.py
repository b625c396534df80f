"""The bridge of one agent: its start, its memory, what it adds to a call, and how much its tools weigh."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from installation import Installation, calm, make_repository, until
from table import Figure, Samples

from toryo.protocol.wire import BIND
from toryo.workbench.contexts.environment import bridge_argv

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
CALL = {"name": "get_my_task", "arguments": {"session_token": "none"}}
"""The daemon looks for the session in its store and finds none: the shortest call with a lookup."""
BARE = [sys.executable, "-I", "-S", "-c", "import _socket, json, select"]
WAITING = [sys.executable, "-I", "-S", "-c", "import sys; print(flush=True); sys.stdin.read()"]


class Lines:
    """Requests and answers as lines, over whatever joins us to the daemon."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes]) -> None:
        self._reader, self._writer = reader, writer
        self._number = 0

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        self._number += 1
        self.tell({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._reader.readline()

    def tell(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")
        self._writer.flush()

    def initialize(self) -> None:
        assert b'"result"' in self.ask("initialize", HELLO)
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})


class Bridged:
    def __init__(self, credential: Path) -> None:
        self.process = subprocess.Popen(
            bridge_argv(credential), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.lines = Lines(self.process.stdout, self.process.stdin)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


class Direct:
    def __init__(self, credential: Path) -> None:
        said = json.loads(credential.read_text())
        self._channel = socket.socket(socket.AF_UNIX)
        self._channel.connect(said["socket"])
        self._file = self._channel.makefile("rwb")
        self.lines = Lines(self._file, self._file)
        self.lines.tell({"jsonrpc": "2.0", "method": BIND, "params": {"credential": said["token"]}})

    def close(self) -> None:
        self._file.close()
        self._channel.close()


def measure(starts: int, calls: int, say: Callable[[str], None]) -> list[Figure]:
    place = Installation()
    try:
        credential = connected_run(place)
        figures = [start_figure(credential, starts)]
        say("bridge: starts")
        figures += call_figures(credential, calls)
        say("bridge: calls")
    finally:
        place.close()
    return figures


def connected_run(place: Installation) -> Path:
    """The credential of a run that lasts as long as we measure."""
    make_repository(place.repo, files=4, folders=1)
    place.start_daemon()
    place.start_coordinator()
    place.add_project()
    wish = {"client": "command", "command": "sleep 600", "access": "connected"}
    place.call("add_agent", name="cli", path=str(place.repo), **wish)
    task = place.add_task("be there", agent="cli")
    place.wait_for("run_started", task=task)
    runs = place.home.coordinator("main") / "runs"
    return until(lambda: next(runs.glob("*/credential.json"), None), "the run's credential")


def start_figure(credential: Path, starts: int) -> Figure:
    taken, bare = [], []
    for number in range(starts + 2):
        calm()
        begun = time.perf_counter()
        bridged = Bridged(credential)
        bridged.lines.initialize()
        took = time.perf_counter() - begun
        bridged.close()
        begun = time.perf_counter()
        subprocess.run(BARE, check=True)
        floor = time.perf_counter() - begun
        if number >= 2:
            taken.append(took)
            bare.append(floor)
    samples = Samples.of_seconds(taken)
    return Figure(
        name="bridge: start → initialised",
        goal="≤ 60 ms",
        met=samples.median <= 60,
        samples=samples,
        floor_name="python -I -S + socket + json",
        floor=Samples.of_seconds(bare),
    )


def call_figures(credential: Path, calls: int) -> list[Figure]:
    bridged, direct = Bridged(credential), Direct(credential)
    try:
        bridged.lines.initialize()
        direct.lines.initialize()
        through, straight = [], []
        for number in range(calls + 20):
            if number % 20 == 0:
                calm()
            pair = timed(direct.lines), timed(bridged.lines)
            if number >= 20:
                straight.append(pair[0])
                through.append(pair[1])
        listing = bridged.lines.ask("tools/list", {})
        memory = resident_mb(bridged.process.pid)
    finally:
        bridged.close()
        direct.close()
    floor = Samples.of_seconds(straight)
    added = Samples(tuple(1000 * one - floor.median for one in through))
    return [
        Figure("bridge: added per call", "≤ 1 ms", added.median <= 1, added, "the call itself", floor),
        memory_figure(memory),
        Figure(
            name="bridge: tools/list for an agent",
            goal="≤ 8 kB",
            met=len(listing) <= 8000,
            samples=Samples((len(listing) / 1000,)),
            unit="kB",
        ),
    ]


def memory_figure(memory: float) -> Figure:
    bare = subprocess.Popen(WAITING, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert bare.stdout is not None
    bare.stdout.readline()
    floor = resident_mb(bare.pid)
    bare.communicate()
    return Figure(
        name="bridge: memory",
        goal="≤ 15 MB",
        met=memory <= 15,
        samples=Samples((memory,)),
        floor_name="python -I -S",
        floor=Samples((floor,)),
        unit="MB",
    )


def timed(talk: Lines) -> float:
    begun = time.perf_counter()
    talk.ask("tools/call", CALL)
    return time.perf_counter() - begun


def resident_mb(pid: int) -> float:
    """Shared pages included."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise RuntimeError(f"no VmRSS of {pid}")
