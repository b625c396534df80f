"""A whole installation for one test: its own home, a real repository, the real processes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repositories import git, make_repository
from waiting import eventually


@dataclass
class House:
    root: Path
    repo: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.root / "th"

    def toryo(
        self, *argv: str, cwd: Path | None = None, limit_s: float = 90
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "toryo", *argv],
            cwd=cwd or self.repo,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )

    def ok(self, *argv: str, limit_s: float = 90) -> str:
        done = self.toryo(*argv, limit_s=limit_s)
        assert done.returncode == 0, (
            f"toryo {' '.join(argv)} exited {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    def read(self, *argv: str) -> Any:
        return json.loads(self.ok(*argv, "--json"))

    def agent(self, script: str, name: str = "worker", **options: str) -> Path:
        """An agent that is this shell script; `$STARTS` gets a line at each start."""
        path = self.root / f"{name}.sh"
        path.write_text(f'STARTS={self.starts}\necho "$TORYO_RUN" >> "$STARTS"\n{script}\n')
        extra = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)]
        self.ok(
            "agent", "add", name, "--client", "command", "--command", f"sh {path} {{prompt_file}}", *extra
        )
        return path

    @property
    def starts(self) -> Path:
        return self.root / "starts"

    def started(self) -> list[str]:
        return self.starts.read_text().split() if self.starts.exists() else []

    def add(self, title: str, *options: str) -> str:
        return str(self.read("task", "add", title, *options)["id"])

    def rest(self, *ids: str, limit_s: float = 60) -> int:
        """Wait until all rest; the exit code of `task wait`."""
        done = self.toryo("task", "wait", *ids, "--timeout", str(int(limit_s)), limit_s=limit_s + 30)
        assert "timed out" not in done.stderr, self.story(*ids)
        return done.returncode

    def task(self, task: str) -> dict[str, Any]:
        shown = self.read("task", "show", task)
        assert isinstance(shown, dict)
        return shown

    def state(self, task: str) -> str:
        shown = self.task(task)
        return f"{shown['status']} {shown['reason']}".strip()

    def evidence(self, task: str) -> dict[str, Any]:
        shown = self.read("evidence", task)
        assert isinstance(shown, dict)
        return shown

    def files_on(self, branch: str = "main") -> set[str]:
        return set(git(self.repo, "ls-tree", "-r", "--name-only", branch).splitlines())

    def text_on(self, path: str, branch: str = "main") -> str:
        return git(self.repo, "show", f"{branch}:{path}")

    def pids(self) -> tuple[int, int]:
        """Daemon and coordinator `main`."""
        status = self.read("status")
        coordinator = next(one for one in status["coordinators"] if one["name"] == "main")
        return int(status["daemon"]["pid"]), int(coordinator["pid"])

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: not _alive(pid), what=f"{pid} is gone")

    def reboot(self) -> None:
        """The machine goes off at once, with daemon, coordinator, shims and agents, and is on again."""
        for pid in self._left():  # nobody outlives another by so much that he could write it down
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        while left := [pid for pid in self._left() if _alive(pid)]:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    self.kill(pid)
        self.env["TORYO_BOOT_ID"] = f"boot-{time.monotonic_ns()}"

    def recomputed(self) -> list[Any]:
        shown = self.read("doctor", "--recompute")
        return list(shown["differences"] if "differences" in shown else shown["recompute"]["differences"])

    def story(self, *ids: str) -> str:
        """Everything a failing test should show."""
        told = [self.toryo("task", "show", one).stdout for one in ids]
        told.append(self.toryo("events").stdout[-6000:])
        for log in sorted((self.home / "logs").glob("*")):
            told.append(f"--- {log.name}\n{log.read_text()[-3000:]}")
        return "\n".join(told)

    def close(self) -> None:
        self.toryo("down")
        for pid in self._left():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _left(self) -> list[int]:
        """Processes of this installation that outlived `down`, by their home or run directory."""
        mark = str(self.root).encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                words = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if mark in words + environment:  # the environment alone names an agent's processes
                found.append(int(entry.name))
        return found


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def opened_by(pid: int) -> list[str]:
    """What it has open, by the names of the kernel; what it closes meanwhile is left out."""
    found = []
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(handle.readlink()))
    return found


def build(root: Path, files: dict[str, str] | None = None, *, branch: str = "side") -> House:
    """A repository with `main` to land on and another branch checked out, and a clean environment."""
    repo = make_repository(root / "repo", files or {"README.md": "hello\n"})
    if branch != "main":
        git(repo, "checkout", "-q", "-b", branch)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    user_home = root / "user"
    user_home.mkdir()
    house = House(root, repo, kept | {"HOME": str(user_home), "TORYO_HOME": str(root / "th"), "TERM": "dumb"})
    settings = root / "th" / "coordinators" / "main"
    settings.mkdir(parents=True)
    (settings / "coordinator.yaml").write_text("polling_interval: 2\nmax_concurrent: 4\n")
    return house


def now() -> float:
    return time.monotonic()
