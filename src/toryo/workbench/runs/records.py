"""What a run's directory says: the shim's records, typed, and the state of the run they add up to.

Written by shim.py and launch.py; who of a run still lives without its shim is asked of survivors.py.
"""

from __future__ import annotations

import fcntl
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from toryo import processes
from toryo.protocol.kinds.run import Lost, Started
from toryo.workbench.runs import survivors
from toryo.workbench.runs.survivors import Identity

LAUNCH, LAUNCHED, STARTED, EXIT = "launch.json", "launched.json", "started.json", "exit.json"
LOCK, STOP, SHIM, SHIM_LOG = "lock", "stop", "shim.pyc", "shim.log"
MARKER = "TORYO_RUN"
LONGEST = 4096
"""Bytes of a record."""
_JSON = json.JSONDecoder()


class Kind(StrEnum):
    ABSENT = "absent"
    RESERVED = "reserved"
    """Nothing was executed: may be started, also again after a shim that died early."""
    STARTING = "starting"
    RUNNING = "running"
    ORPHANED = "orphaned"
    """The shim is gone, something of the run lives: watched, never reported as success."""
    EXITED = "exited"
    LOST = "lost"


@dataclass(frozen=True)
class StartRecord:
    shim: Identity
    agent: Identity
    boot: str
    generation: int
    started_at: str

    def fact(self, log: str = "") -> Started:
        return Started(
            shim_pid=self.shim.pid, pid=self.agent.pid, started_at=self.started_at, boot=self.boot, log=log
        )


@dataclass(frozen=True)
class ExitRecord:
    exit_code: int | None
    signal: str
    timed_out: bool
    stopped: bool
    terminal_lost: bool
    could_not_start: str
    started_at: str
    ended_at: str
    duration_s: float
    children_killed: tuple[str, ...]
    boot: str
    generation: int
    disk_full: bool = False
    """It failed, and then there was no room where it worked; an older shim did not look."""

    def fact(self) -> dict[str, Any]:
        """The body of `exited`. Plain, since nothing may stand between an end and its report."""
        told = dict(vars(self))
        del told["boot"], told["generation"]
        return {**told, "children_killed": list(self.children_killed), "said": None}


@dataclass(frozen=True)
class RunState:
    kind: Kind
    started: StartRecord | None = None
    exited: ExitRecord | None = None
    reason: str = ""
    boot_changed: bool = False
    alive: Identity | None = None
    """The process whose end changes this state."""

    @property
    def ended(self) -> bool:
        return self.kind in (Kind.EXITED, Kind.LOST)

    @property
    def is_abandoned(self) -> bool:
        """Neither shim nor agent lives, but something that they started does."""
        return self.kind is Kind.ORPHANED and self.started is not None and self.alive != self.started.agent

    def lost_fact(self) -> Lost:
        return Lost(reason=self.reason, boot_changed=self.boot_changed)


def read_started(run_dir: Path) -> StartRecord | None:
    raw = _read(run_dir / STARTED)
    if not raw:
        return None
    return StartRecord(
        shim=Identity(raw["shim_pid"], raw["shim_start"]),
        agent=Identity(raw["pid"], raw["pid_start"]),
        boot=raw["boot"],
        generation=raw["generation"],
        started_at=raw["started_at"],
    )


def overdue(run_dir: Path, now: float) -> bool:
    """Whether the run's time limit has passed, by the steady clock of this boot."""
    limit = (_read(run_dir / LAUNCH) or {}).get("limit_s")
    started = _read(run_dir / STARTED) or {}
    began = started.get("began")
    if limit is None or began is None or started.get("boot") != processes.boot_id():
        return False
    return now - float(began) > float(limit)


def read_exit(run_dir: Path) -> ExitRecord | None:
    raw = _read(run_dir / EXIT)
    return _exit_record(raw) if raw else None


def parse_exit(text: bytes) -> ExitRecord | None:
    """As the shim tells it; None if that is no whole record."""
    try:
        told = text.decode()
        raw, end = _JSON.raw_decode(told)  # the shortest way: the report of the end waits for it
    except ValueError:
        return None
    return _exit_record(raw) if isinstance(raw, dict) and told[end:] == "\n" else None


def _exit_record(raw: dict[str, Any]) -> ExitRecord:
    fields = {name: raw[name] for name in ExitRecord.__dataclass_fields__ if name in raw}
    return ExitRecord(**fields | {"children_killed": tuple(raw["children_killed"])})


def state(run_dir: Path) -> RunState:
    """Where the run stands, from its records and the processes they name."""
    if not run_dir.is_dir():
        return RunState(Kind.ABSENT)
    found = _state(run_dir)
    if found.kind in (Kind.RESERVED, Kind.LOST, Kind.ORPHANED) and (run_dir / EXIT).exists():
        # the shim wrote its record and left between two of our looks
        return _state(run_dir)
    if found.kind is Kind.RESERVED and (run_dir / STARTED).exists():
        return _state(run_dir)
    return found


def marker(run_dir: Path) -> str:
    """TORYO_RUN as the program got it, or nothing: what survivors without a parent are known by."""
    raw = _read(run_dir / LAUNCH)
    return str(raw.get("env", {}).get(MARKER, "")) if raw else ""


def _state(run_dir: Path) -> RunState:
    started = read_started(run_dir)
    exited = read_exit(run_dir)
    if exited is not None:
        return RunState(Kind.EXITED, started, exited)
    if started is None:
        if not (run_dir / STARTED).exists():
            return _before_exec(run_dir)
        started = read_started(run_dir)  # it appeared between two looks
    if started is None:
        # torn by a power cut: whether it was executed cannot be known, so it is not started again
        return RunState(Kind.LOST, reason="the start record cannot be read")
    if started.boot != processes.boot_id():
        return RunState(Kind.LOST, started, reason="the machine was restarted", boot_changed=True)
    if started.shim.is_alive():
        return RunState(Kind.RUNNING, started, alive=started.shim)
    if started.agent.is_alive():
        return RunState(Kind.ORPHANED, started, reason="the shim is gone", alive=started.agent)
    left = survivors.of(started.agent, marker(run_dir))
    if left:
        return RunState(Kind.ORPHANED, started, reason="shim and agent are gone", alive=left[0])
    return RunState(Kind.LOST, started, reason="the shim was killed; the exit was not seen")


def _before_exec(run_dir: Path) -> RunState:
    if not (run_dir / LAUNCH).exists():
        return RunState(Kind.RESERVED)
    born = _read(run_dir / LAUNCHED)
    if born and born["boot"] == processes.boot_id():
        shim = Identity(born["pid"], born["start"])
        if shim.is_alive():
            return RunState(Kind.STARTING, alive=shim)
    if _is_locked(run_dir / LOCK):
        return RunState(Kind.STARTING)
    return RunState(Kind.RESERVED, reason=_last_line(run_dir / SHIM_LOG))


def _is_locked(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            # held for a moment only; a shim that meets us there tries again
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _read(path: Path) -> dict[str, Any] | None:
    try:
        raw = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None


def _last_line(path: Path) -> str:
    try:
        lines = path.read_text(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1] if lines else ""
