"""A throw-away installation for figures: a home, a repository, the real daemon, coordinator and socket."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from toryo import processes
from toryo.protocol.wire import Connection, WireError
from toryo.settings import Home

HERE = Path(__file__).parent
T = TypeVar("T")


@dataclass(frozen=True)
class Event:
    at: float
    """When its transaction was committed."""
    kind: str
    task: str
    run: str
    body: dict[str, Any]


class Installation:
    def __init__(self, *, coordinator: str = "", daemon: str = "watched_daemon.py") -> None:
        """`coordinator` is the text of coordinator.yaml; `daemon` writes its events or its count."""
        self._program = daemon
        # a short path: a socket's has at most 104 bytes
        self.root = Path(tempfile.mkdtemp(prefix="tb"))
        self.home = Home(self.root / "h").make()
        self.repo = self.root / "repo"
        self._journal = self.root / "events.jsonl"
        self._read = 0
        self._events: list[Event] = []
        self._wire: Connection | None = None
        self._daemon: subprocess.Popen[bytes] | None = None
        (self.root / "user").mkdir()
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        home = {"HOME": str(self.root / "user"), "TORYO_HOME": str(self.home.path)}
        self.env = kept | home | {"LC_ALL": "C.UTF-8"}
        self.home.coordinator("main").mkdir(parents=True)
        (self.home.coordinator("main") / "coordinator.yaml").write_text(coordinator)

    # ── processes ──

    def start_daemon(self) -> None:
        self._journal.touch()
        with open(self.root / "daemon.out", "wb") as out:
            self._daemon = subprocess.Popen(
                [sys.executable, str(HERE / self._program), str(self._journal)],
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        until(self._answers, "the daemon answers")

    @property
    def daemon_pid(self) -> int:
        assert self._daemon is not None
        return self._daemon.pid

    def counted(self) -> int:
        """Statements up to now, of `counting_daemon.py`; behind whatever it still does."""
        self.call("list_targets")
        return int(self._journal.read_text() or 0)

    def start_coordinator(self) -> None:
        self.toryo("up")

    def toryo(self, *argv: str) -> str:
        return command([sys.executable, "-m", "toryo", *argv], cwd=self.repo, env=self.env)

    def close(self) -> None:
        ours = self._left()
        for pid in self.processes():
            if pid in ours:
                self._end(pid)
        if self._wire is not None:
            self._wire.close()
        for pid in self._left():
            with suppress(ProcessLookupError):  # it left with one that we have just killed
                os.kill(pid, signal.SIGKILL)
        if self._daemon is not None:
            self._daemon.wait(20)
        put_away(self.root)

    def processes(self) -> list[int]:
        """The coordinator and the daemon, in the order in which they should leave."""
        try:
            status = self.call("get_status")
        except WireError:
            return []
        return [*(int(one["pid"]) for one in status["coordinators"] if one["live"]), status["daemon"]["pid"]]

    def _end(self, pid: int) -> None:
        start = processes.start_time(pid)
        if start and processes.ask_to_end(pid, start):
            until(lambda: not processes.is_alive(pid, start), f"{pid} leaves", 20)

    def _left(self) -> list[int]:
        """Every process of this installation: its root is in their command line or environment."""
        mark, found = str(self.root).encode(), []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    words, environment = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
                except OSError:
                    continue
                if mark in words + environment:
                    found.append(int(entry.name))
        return found

    # ── calls and events ──

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        if self._wire is None:
            key = self.home.operator_key.read_text().strip()
            self._wire = Connection(self.home.socket_in_use(), key)
        return self._wire.call(tool, arguments)

    def events(self) -> list[Event]:
        """All that were committed so far."""
        with open(self._journal, "rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        self._events += [Event(**json.loads(line)) for line in whole.splitlines()]
        return self._events

    def wait_for(
        self, kind: str, *, task: str = "", since: int = 0, limit_s: float = 60, **body: Any
    ) -> Event:
        """The first such event from number `since` on."""

        def found() -> Event | None:
            for event in self.events()[since:]:
                fits = all(event.body.get(key) == value for key, value in body.items())
                if event.kind == kind and fits and task in ("", event.task):
                    return event
            return None

        return until(found, f"{kind} of {task or 'any task'} {body}", limit_s)

    def add_project(self) -> None:
        self.call("register_project", path=str(self.repo), base="main")

    def add_agent(self, name: str, command_line: str, slots: int = 1) -> None:
        wish = {"client": "command", "command": command_line, "slots": slots}
        self.call("add_agent", name=name, path=str(self.repo), **wish)

    def add_task(self, title: str, **more: Any) -> str:
        return str(self.call("add_task", path=str(self.repo), title=title, **more)["id"])

    def _answers(self) -> bool:
        assert self._daemon is not None
        if self._daemon.poll() is not None:
            raise RuntimeError((self.root / "daemon.out").read_text())
        try:
            return bool(self.call("health_check")["success"])
        except (WireError, OSError):
            return False


def put_away(folder: Path) -> None:
    """Deleted when this process ends: some file systems make new files slowly for minutes after many were
    deleted, and the next figures would pay for it."""
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def until(there: Callable[[], T | None], what: str, limit_s: float = 60) -> T:
    end = time.monotonic() + limit_s
    while not (found := there()):
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.01)
    return found


def calm(limit_s: float = 1.0) -> None:
    """Wait for a moment in which nobody else computes, but not for long: then the sample is taken anyway."""
    end, quiet = time.monotonic() + limit_s, 0
    while quiet < 3 and time.monotonic() < end:
        time.sleep(0.005)
        running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
        quiet = quiet + 1 if running <= 1 else 0  # one is this process


def command(argv: list[str], *, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)} exited {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def make_repository(where: Path, files: int, folders: int) -> None:
    """`main` to land on, `side` checked out; so many files in so many folders, of the sizes source has."""
    where.mkdir(parents=True)
    for number in range(files):
        folder = where / f"part{number % folders // 12}" / f"unit{number % folders}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = 10 + (number * 37) % 190
        text = "".join(f"value_{number}_{line} = compute({line * number})\n" for line in range(lines))
        (folder / f"module{number}.py").write_text(text)
    for argv in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "Some One"],
        ["config", "user.email", "some.one@localhost"],
        ["config", "gc.auto", "0"],
        ["add", "-A"],
        ["commit", "-q", "-m", "first"],
        ["gc", "-q"],
        ["checkout", "-q", "-b", "side"],
    ):
        command(["git", *argv], cwd=where)
