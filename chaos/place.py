"""One installation that is built to be killed: its own home and repository, its processes by fork.

It can be put away as a named state and brought back at the same path, so that a kill begins right before the
order it is about. Who is killed is victims.py's; what must hold afterwards, invariants.py's.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from toryo.protocol.wire import Connection, ToolFailed, WireError
from toryo.settings import Home

ROOT = Path(__file__).parents[1]
HEAD, HANDS, MIND = "daemon", "main", "planner"
PATIENCE_S = 60.0
T = TypeVar("T")


class Stuck(AssertionError):
    """Something did not happen in time."""


class Place:
    def __init__(self) -> None:
        # a short path: a socket's has at most 104 bytes
        self.root = Path(tempfile.mkdtemp(prefix="tk")).resolve()
        self.here, self.states = self.root / "h", self.root / "states"
        self.repo, self.home = self.here / "repo", Home(self.here / "th")
        self.crash = self.root / "crash"
        self.starts, self.wrote, self.go = (self.here / name for name in ("starts", "wrote", "go"))
        self.pids: dict[str, int] = {}
        self.boots = 0
        self.armed = ""
        self.states.mkdir()
        (self.root / "user").mkdir()
        self._wire: Connection | None = None
        self._model: subprocess.Popen[bytes] | None = None
        self._asked_before = 0
        self._nursery = subprocess.Popen(
            [sys.executable, "-m", "chaos.nursery"],
            cwd=ROOT,
            env={**self._kept(), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    # ── processes ──

    def start(self, *who: str) -> None:
        """Those of them that are not there; all by default."""
        for name in who or self.crew():
            if not is_alive(self.pids.get(name, 0)):
                self.pids[name] = self._fork(name)
                if name == HEAD:  # a coordinator that finds nobody comes again an interval later
                    self.until(lambda: self._is_heard() or self.who_stands(), "the daemon listens")

    def crew(self) -> tuple[str, ...]:
        """A planner belongs to it once it was started in this state."""
        return (HEAD, HANDS, MIND) if self.home.planner("main").exists() else (HEAD, HANDS)

    def _is_heard(self) -> bool:
        with socket.socket(socket.AF_UNIX) as line:
            return line.connect_ex(str(self.home.socket)) == 0

    def _fork(self, who: str) -> int:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        wish = {"who": who, "env": self.env(), "output": str(self.root / f"{who}.out")}
        self._nursery.stdin.write(json.dumps(wish) + "\n")
        self._nursery.stdin.flush()
        return int(self._nursery.stdout.readline())

    def env(self) -> dict[str, str]:
        own = {"HOME": str(self.root / "user"), "TORYO_HOME": self.home.text, "LC_ALL": "C.UTF-8"}
        own |= {"TORYO_CRASH_FILE": str(self.crash), "TORYO_BOOT_ID": f"boot-{self.boots}"}
        return self._kept() | own

    def _kept(self) -> dict[str, str]:
        return {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}

    def kill(self, pid: int) -> None:
        """At once and for good; one that is gone already is gone."""
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.until(lambda: not is_alive(pid), f"{pid} is gone")

    def kill_all(self) -> None:
        """As a power cut does: nobody outlives another by so much that he could write it down."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        for _ in range(100):
            left = self.processes()
            if not left:
                break
            for pid in left:
                self.kill(pid)
        self.hang_up()

    def processes(self) -> list[int]:
        """Everybody of this installation: forked by us, or with its root in words, environment or folder."""
        mark, found = os.fsencode(self.here), []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            pid = int(entry.name)
            if pid in self.pids.values() or mark in _words(entry):
                found.append(pid)
        return [pid for pid in found if is_alive(pid) and pid != os.getpid()]

    # ── the moment ──

    def arm(self, point: str) -> None:
        """From now on, whoever comes to this point stands still there."""
        self.armed = point
        self._write_crash(f"{point} stop\n")

    def disarm(self) -> None:
        self.armed = ""
        self._write_crash("\n")

    def _write_crash(self, text: str) -> None:
        half = self.crash.with_name("crash.new")
        half.write_text(text)
        half.replace(self.crash)

    def passed(self) -> list[str]:
        file = self.crash.with_name("crash.passed")
        return file.read_text().split() if file.exists() else []

    def who_stands(self) -> int | None:
        """The process that has come to the armed point."""
        known = self._stopped() if self.armed.startswith("shim.") else self.pids.values()
        return next((pid for pid in known if state_of(pid) == "T"), None)

    def _stopped(self) -> list[int]:
        """Everybody of this installation who stands still: a shim was armed when its run was launched."""
        numbers = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        stopped = [pid for pid in numbers if state_of(pid) == "T"]
        mark = os.fsencode(self.here)
        return [pid for pid in stopped if pid in self.pids.values() or mark in _words(Path(f"/proc/{pid}"))]

    def let_all_go(self) -> None:
        for pid in self._stopped():
            self.let_go(pid)

    def let_go(self, pid: int) -> None:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            return

    # ── the model ──

    def model(self, script: object) -> str:
        """The address of a scripted model that outlives whoever is killed."""
        port = self.root / "port"
        if self._model is None:
            (self.root / "script.yaml").write_text(json.dumps(script))
            argv = [sys.executable, "-P", "-m", "toryo.rehearsal", "script.yaml"]
            argv += ["--port-file", port.name, "--requests", "requests.jsonl"]
            self._model = subprocess.Popen(argv, cwd=self.root, env=self._kept(), stdout=subprocess.DEVNULL)
            self.until(lambda: port.exists() and port.read_text(), "the model listens")
        return f"http://127.0.0.1:{port.read_text().strip()}/v1"

    def asked(self) -> list[str]:
        """The purpose of each request that the model got since this state was brought back."""
        return [json.loads(line)["purpose"] for line in self._requests()[self._asked_before :]]

    def _requests(self) -> list[str]:
        kept = self.root / "requests.jsonl"
        return kept.read_text().splitlines() if kept.exists() else []

    # ── states ──

    def keep(self, name: str) -> None:
        """Put the installation away under that name; nothing of it runs any more."""
        self.kill_all()
        shutil.rmtree(self.states / name, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.here), str(self.states / name)], check=True)

    def bring(self, name: str) -> None:
        """The installation as it was put away; nobody runs."""
        self.kill_all()
        shutil.rmtree(self.here, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.states / name), str(self.here)], check=True)
        self.crash.with_name("crash.passed").unlink(missing_ok=True)
        self.pids.clear()
        self.boots = 0
        self._asked_before = len(self._requests())

    def has(self, name: str) -> bool:
        return (self.states / name).exists()

    # ── questions ──

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Asked again while the daemon is away, as a person would."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self.call_once(tool, **arguments)
            except (WireError, OSError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def call_once(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        if self._wire is None:
            self._wire = Connection(self.home.socket, self.home.operator_key.read_text().strip())
        return self._wire.call(tool, arguments)

    def hang_up(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Straight from the store, also while nobody answers."""
        if not self.home.database.exists():
            return []
        with sqlite3.connect(f"file:{self.home.database}?mode=ro", uri=True, timeout=10) as database:
            found = database.execute(sql, values).fetchall()
        database.close()
        return found

    def until(self, question: Callable[[], T | None], what: str, within_s: float = PATIENCE_S) -> T:
        end = time.monotonic() + within_s
        while not (found := question()):
            if time.monotonic() > end:
                raise Stuck(f"{what}\n{self.story()}")
            time.sleep(0.005)
        return found

    def story(self) -> str:
        """Everything a failing case should show."""
        told = [f"passed: {' '.join(self.passed()[-60:])}", f"pids: {self.pids}"]
        told += [str(row) for row in self.rows("select id, status, reason, detail from tasks")]
        told += [str(row) for row in self.rows("select id, purpose, outcome, outcome_reason, live from runs")]
        told += [str(row) for row in self.rows('select kind, state, "key" from orders')]
        for log in (*sorted(self.home.logs.glob("*")), *sorted(self.root.glob("*.out"))):
            told.append(f"--- {log.name}\n{log.read_text(errors='replace')[-2500:]}")
        return "\n".join(told)

    def close(self) -> None:
        self.disarm()
        self.kill_all()
        if self._model is not None:
            self._model.terminate()
            self._model.wait(10)
        assert self._nursery.stdin is not None
        self._nursery.stdin.close()
        self._nursery.wait(10)
        assert self._nursery.stdout is not None
        self._nursery.stdout.close()
        shutil.rmtree(self.root, ignore_errors=True)


def state_of(pid: int) -> str:
    """As the kernel says it; nothing: there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    return pid > 0 and state_of(pid) not in ("", "Z", "X")


def _words(entry: Path) -> bytes:
    """What names the installation that a process belongs to; of strangers nothing is known."""
    try:
        folder = os.fsencode((entry / "cwd").readlink())
        return b"\0".join(((entry / "cmdline").read_bytes(), (entry / "environ").read_bytes(), folder))
    except OSError:
        return b""


__all__ = ["HANDS", "HEAD", "MIND", "Place", "Stuck", "ToolFailed", "is_alive", "state_of"]
