"""Starting a run: its exclusive directory and its shim. The records it leaves are read in records.py.

The directory is the fence of the launcher, the shim's flock and `started.json` are the fence of the exec: any
number of launches of one directory start the program once.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toryo import processes, settings
from toryo.domain.errors import ToryoError
from toryo.files import write_whole
from toryo.steps import armed, step
from toryo.workbench.runs import compiled, records
from toryo.workbench.runs.spares import Spare, Spares

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")


class BadRunName(ToryoError):
    """A run's name must be one plain folder name."""


@dataclass(frozen=True)
class LaunchSpec:
    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    log: Path
    stdin: Path | None = None
    limit_s: float | None = None
    generation: int = 0
    grace_s: float = 5
    crash: str = ""
    """A step of the shim (`shim.forked` …) at which it kills itself, for tests."""
    starter: Callable[[Path, Sequence[str]], int] | None = None
    """(run directory, shim's argv) → pid: starts the shim in a terminal, which is then the agent's stdio."""


@dataclass(frozen=True)
class RunDir:
    path: Path
    generation: int
    may_start: bool
    """Nothing was started here, or a shim died before it let the program go. False: attach."""


def reserve(runs_root: Path, run_id: str, generation: int) -> RunDir:
    """Create the run's directory, or find it; whoever finds it started only attaches."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", run_id):
        raise BadRunName(f"{run_id!r} cannot name a run's directory")
    runs_root.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = runs_root / run_id
    step("launch.before_mkdir")
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return RunDir(path, generation, records.state(path).kind is records.Kind.RESERVED)
    step("launch.after_mkdir")
    return RunDir(path, generation, True)


def launch(run_dir: Path, spec: LaunchSpec, spares: Spares | None = None) -> socket.socket | None:
    """Start the shim in its own session and return once its process exists; never a second exec.

    The socket, where there is one, tells the exit record ahead of its file."""
    if (run_dir / records.STARTED).exists():
        return None
    spare = get_ready(run_dir, spec, spares)
    if spare is not None and go(run_dir, spare):
        return spare.ours
    write_whole(run_dir / records.LAUNCH, json.dumps(_as_json(spec)).encode())
    write_whole(run_dir / records.SHIM, compiled.shim())
    # not left to whoever opens it: it would be made by the umask
    os.close(os.open(run_dir / records.SHIM_LOG, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    step("launch.written")
    argv = [sys.executable, "-I", "-S", str(run_dir / records.SHIM), str(run_dir)]
    pid = _spawn(run_dir, argv) if spec.starter is None else spec.starter(run_dir, argv)
    step("launch.after_exec")
    _note_birth(run_dir, pid, processes.start_time(pid) or "")
    return None


def get_ready(run_dir: Path, spec: LaunchSpec, spares: Spares | None) -> Spare | None:
    """A spare that needs nothing more than the word to start the program; None: there is none.

    Nobody is kept from starting the run by it, and it ends with its socket."""
    spec.log.parent.mkdir(parents=True, exist_ok=True)
    spare = spares.take() if spares is not None and spec.starter is None else None
    if spare is None:
        return None
    try:
        write_whole(run_dir / records.LAUNCH, json.dumps(_as_json(spec)).encode())
        step("launch.written")
    except OSError:
        spare.ours.close()
        raise
    if not spare.get_ready(run_dir):
        spare.ours.close()
        return None
    return spare


def go(run_dir: Path, spare: Spare) -> bool:
    """False: it is gone, and has started nothing."""
    if not spare.go():
        spare.ours.close()
        return False
    step("launch.after_exec")
    # not before: one that is only ready must not be taken for one that starts
    _note_birth(run_dir, spare.pid, spare.start)
    return True


def _note_birth(run_dir: Path, pid: int, start: str) -> None:
    born = {"pid": pid, "start": start, "boot": processes.boot_id()}
    with suppress(OSError):  # it lives all the same, and its lock says so
        write_whole(run_dir / records.LAUNCHED, json.dumps(born).encode())


def shim_environment() -> dict[str, str]:
    outer = settings.environment()
    return {name: outer[name] for name in _KEPT if name in outer}


def _spawn(run_dir: Path, argv: Sequence[str]) -> int:
    log = run_dir / records.SHIM_LOG
    return processes.spawn_watched(argv, env=shim_environment(), cwd=run_dir, output=log)


def settle(run_dir: Path) -> None:
    """After the run's end was told: its environment held the user's keys, and nobody asks for it again.

    Left of it is what survivors are known by."""
    launched = _launched(run_dir)
    if launched is None or launched.get("settled"):
        return
    env = {name: value for name, value in launched.get("env", {}).items() if name == records.MARKER}
    write_whole(run_dir / records.LAUNCH, json.dumps({**launched, "env": env, "settled": True}).encode())
    (run_dir / records.SHIM).unlink(missing_ok=True)


def is_settled(run_dir: Path) -> bool:
    launched = _launched(run_dir)
    return launched is not None and bool(launched.get("settled"))


def _launched(run_dir: Path) -> dict[str, Any] | None:
    try:
        raw = json.loads((run_dir / records.LAUNCH).read_bytes())
    except (OSError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None


def _as_json(spec: LaunchSpec) -> dict[str, object]:
    wanted = armed()
    return {
        "version": 1,
        "argv": list(spec.argv),
        "cwd": str(spec.cwd),
        "env": dict(spec.env),
        "log": str(spec.log),
        "stdin": None if spec.stdin is None else str(spec.stdin),
        "tty": spec.starter is not None,
        "limit_s": spec.limit_s,
        "grace_s": spec.grace_s,
        "generation": spec.generation,
        "boot": settings.simulated_boot(),
        "crash": spec.crash or (wanted if wanted.startswith("shim.") else ""),
    }
