"""The daemon as a process of its own, as `toryo daemon` starts it, and somebody else who uses it too."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answer_views import insist_view
from toryo.protocol.wire import Connection, WireError, call
from toryo.settings import Home
from waiting import eventually

Body = dict[str, Any]

UNDISTURBED_S = 5.0
"""Generous: a machine that runs other tests besides."""


class RealDaemon:
    def __init__(self, home: Home, *, files: int = 0) -> None:
        """`files`: how many it may open at most."""
        self.home = home
        home.path.mkdir(parents=True, exist_ok=True)
        limit = f"ulimit -n {files}; " if files else ""
        with open(home.path.parent / "output", "ab") as sink:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", f'{limit}exec "$@"', "sh", sys.executable, "-P", "-m", "toryo", "daemon"],
                env={**os.environ, "TORYO_HOME": str(home.path)},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
            )
        eventually(self._answers, within_s=60, what="the daemon answers")
        self.operator = home.operator_key.read_text().strip()

    def by(self, credential: str, tool: str, /, **arguments: Any) -> Body:
        answer = call(self.home.socket_in_use(), tool, arguments, credential)
        if credential == self.operator:
            insist_view(tool, answer)
        return answer

    def person(self, tool: str, /, **arguments: Any) -> Body:
        return self.by(self.operator, tool, **arguments)

    def agent(self, tool: str, /, **arguments: Any) -> Body:
        return self.by("", tool, **arguments)

    def settle(self) -> None:
        """A drain is queued with the change that asks for it, so it is over before the next call's turn."""
        self.person("list_projects")

    def memory_mb(self) -> float:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS:")) / 1024

    def forget_peak(self) -> None:
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak_mb(self) -> float:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmHWM:")) / 1024

    def open_files(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.home.logs.glob("*"))

    def bugs(self) -> list[str]:
        """What its log has of its own failures."""
        lines = (self.home.logs / "daemon.jsonl").read_text().splitlines()
        return [line for line in lines if json.loads(line).get("level") in ("error", "critical")]

    def end(self) -> None:
        self.process.terminate()
        assert self.process.wait(20) == 0

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(20)

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.home.path.parent / "output").read_text()
        try:
            return bool(call(self.home.socket_in_use(), "health_check", {}, "", 5)["success"])
        except WireError:
            return False


class Bystander:
    """Somebody who goes on working: on one connection, and on a new one each time.

    Of the daemon it knows `home` and `operator`, the key."""

    def __init__(self, daemon: Any) -> None:
        self._daemon = daemon
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.waited: list[float] = []
        self.failed: list[str] = []

    def _work(self) -> None:
        path, key = self._daemon.home.socket_in_use(), self._daemon.operator
        with Connection(path, key, timeout_s=60) as own:
            while not self._over.is_set():
                for ask in (own.call, lambda tool, given: call(path, tool, given, key, 60)):
                    began = time.monotonic()
                    try:
                        ask("get_status", {})
                    except Exception as error:  # noqa: BLE001 - told by the test
                        self.failed.append(repr(error))
                    self.waited.append(time.monotonic() - began)
                self._over.wait(0.02)

    def __enter__(self) -> Bystander:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(120)


@contextlib.contextmanager
def undisturbed(daemon: RealDaemon, within_s: float = UNDISTURBED_S) -> Iterator[None]:
    """What is done here takes nothing from anybody else."""
    with Bystander(daemon) as other:
        yield
    assert not other.failed, other.failed[:3]
    assert len(other.waited) > 1
    assert max(other.waited) < within_s
    assert daemon.process.poll() is None
