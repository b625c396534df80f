"""Process start: the daemon and the coordinator `main` under one lock; ten commands at once start one of
each.

What was started is noted with its start time, since a pid alone may be somebody else's tomorrow.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from toryo import disks, processes, settings
from toryo.domain.errors import Unavailable
from toryo.fronts.processes.reach import is_not_running, operator_key
from toryo.fronts.text.output import Progress
from toryo.protocol import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from toryo.settings import Home

ANSWER_WITHIN_S = 20.0
LOCK_WITHIN_S = 60.0
PAUSE_S = 0.02
GONE_WITHIN_S = 20.0
COORDINATOR = "main"
MODEL_KEY = "TORYO_PLANNER_API_KEY"
NOTHING: Mapping[str, str] = MappingProxyType({})
UNREGISTERED = "unregistered"
"""The part of the note that is a coordinator whom the daemon does not know yet."""
PROGRAM = (sys.executable, "-P", "-m", "toryo")
"""Ourselves, whatever is on PATH; -P: the working directory is no place to import from."""


@dataclass(frozen=True)
class Up:
    daemon: int
    """Its pid."""
    coordinator: int
    started: tuple[str, ...]
    """What this call started itself."""
    version: str
    """The daemon's."""


def bring_up(home: Home, *, announce: Callable[[], None] = lambda: None) -> Up:
    """Start what is missing and wait until it answers."""
    make_home(home)
    with Progress("starting toryo") as progress, starting_lock(home, progress):
        started: list[str] = []
        if not daemon_answers(home):
            announce()
            started.append("daemon")
            _start_daemon(home, progress)
        status = ask(home, "get_status")
        coordinator = live_coordinator(status)
        if coordinator is None:
            if not started:
                announce()
            started.append("coordinator")
            coordinator = start_coordinator(home, int(status["daemon"]["pid"]), progress)
        daemon = int(status["daemon"]["pid"])
        note(home, {"daemon": daemon, "coordinator": int(coordinator["pid"])})
        version = str(status["daemon"].get("version") or "")
        return Up(daemon, int(coordinator["pid"]), tuple(started), version)


def make_home(home: Home) -> None:
    """A new installation in an unexpected place is named: from elsewhere a relative path is another one."""
    given = settings.environment().get("TORYO_HOME", "")
    is_new = not home.path.exists()
    home.make()
    if is_new and given and not given.startswith(("/", "~")):
        print(f"TORYO_HOME={given} is a relative path: the new installation is {home.text}", file=sys.stderr)


def ask(home: Home, tool: str, *, timeout_s: float = 10) -> dict[str, Any]:
    return wire.call(home.socket_in_use(), tool, {}, operator_key(home), timeout_s)


def live_coordinator(status: dict[str, Any]) -> dict[str, Any] | None:
    """The coordinator `main` of this machine, if its process runs and it was heard of."""
    for one in coordinators_here(status):
        if one["name"] == COORDINATOR:
            return one
    return None


def coordinators_here(status: dict[str, Any]) -> list[dict[str, Any]]:
    """Registered coordinators of this machine whose processes run."""
    machine = processes.machine_id()
    here = []
    for one in status.get("coordinators", []):
        owner, _, name = str(one.get("id", "")).partition("/")
        pid = int(one.get("pid") or 0)
        if owner == machine and "coordinator" in processes.command_line(pid):
            here.append({**one, "name": name})
    return here


@contextlib.contextmanager
def starting_lock(home: Home, progress: Progress) -> Iterator[None]:
    """Held while parts are started or stopped."""
    import fcntl

    handle = os.open(home.path / "up.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end = time.monotonic() + LOCK_WITHIN_S
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as held:
                if time.monotonic() > end:
                    raise Unavailable(
                        "Another command has been starting or stopping Toryo for a minute.",
                        hint=f"`fuser {home.path / 'up.lock'}` names it; end it, then try again.",
                    ) from held
                progress.tick()
                time.sleep(PAUSE_S)
        yield
    finally:
        os.close(handle)


def note(home: Home, pids: dict[str, int]) -> None:
    """Remember who was started, each with its start time."""
    text = json.dumps({name: [pid, processes.start_time(pid)] for name, pid in pids.items()})
    new = home.path / "up.json.new"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    new.replace(home.path / "up.json")


def daemon_answers(home: Home) -> bool:
    """False if nobody listens; one that is there but silent is an error, no reason for a second."""
    try:
        ask(home, "health_check", timeout_s=ANSWER_WITHIN_S)
    except wire.WireError as error:
        if is_not_running(error):
            return False
        raise
    return True


def _start_daemon(home: Home, progress: Progress) -> None:
    begun = begin(home, "daemon")
    wait_until(begun, "daemon", progress, lambda: operator_key(home) != "" and daemon_answers(home))


def start_coordinator(home: Home, daemon: int, progress: Progress) -> dict[str, Any]:
    begun = begin(home, "coordinator", "--name", COORDINATOR)
    with contextlib.suppress(OSError):  # without room it is not noted; we end it ourselves, then
        note(home, {"daemon": daemon, UNREGISTERED: begun.pid})
    found: list[dict[str, Any]] = []

    def registered() -> bool:
        found[:] = [one for one in coordinators_here(ask(home, "get_status")) if one["pid"] == begun.pid]
        return bool(found)

    try:
        wait_until(begun, "coordinator", progress, registered)
    except BaseException:  # also Ctrl-C: the daemon does not know it, so nobody could name it later
        end(begun)
        raise
    return found[0]


def end(begun: Begun) -> None:
    """What we started, and nobody else knows of."""
    until = time.monotonic() + GONE_WITHIN_S
    if begun.start is not None and processes.ask_to_end(begun.pid, begun.start):
        while processes.is_alive(begun.pid, begun.start) and time.monotonic() < until:
            time.sleep(PAUSE_S)


@dataclass(frozen=True)
class Begun:
    pid: int
    start: str | None
    output: Path
    offset: int

    def said(self) -> str:
        """The end of what it printed since it was started."""
        with open(self.output, "rb") as file:
            file.seek(self.offset)
            return file.read().decode("utf-8", "replace").strip()[-600:]


def begin(home: Home, *words: str, given: Mapping[str, str] = NOTHING) -> Begun:
    """A part as a process of its own; the model's key is given to who asks the model, and to nobody else."""
    output = home.logs / f"{words[0]}.out"
    os.close(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    offset = output.stat().st_size
    shell = settings.environment()
    env = {name: value for name, value in shell.items() if not name.startswith("GIT_") and name != MODEL_KEY}
    env |= {**given, "TORYO_HOME": str(home.path)}
    pid = processes.spawn_detached([*PROGRAM, *words], env=env, cwd=home.path, output=output)
    return Begun(pid, processes.start_time(pid), output, offset)


def _ended(begun: Begun, part: str) -> Unavailable:
    """With its own reason and way out, where it could say them."""
    hint = f"`toryo {part} --foreground` shows more; its output is in {begun.output}"
    said = begun.said()
    if not said and not _has_room(begun.output.parent):
        said, hint = (
            "its disk is full.",
            f"Make room where {begun.output.parent.parent} is; `df -h` shows it.",
        )
    lines = said.splitlines()
    hints = [line.removeprefix("Hint: ") for line in lines if line.startswith("Hint: ")]
    errors = [line.removeprefix("Error: ") for line in lines if line.startswith("Error: ")]
    told = errors[-1] if errors else said or "it said nothing"
    return Unavailable(f"The {part} ended at once: {told}", hint=hints[-1] if hints else hint)


def _has_room(folder: Path) -> bool:
    found = os.statvfs(folder)
    return found.f_bavail > 0 and (found.f_favail > 0 or not found.f_files)


def wait_until(begun: Begun, part: str, progress: Progress, there: Callable[[], bool]) -> None:
    """Until it answers. A connection that breaks on the way is only one more reason to ask again."""
    end = time.monotonic() + ANSWER_WITHIN_S
    while True:
        ended = begun.start is None or not processes.is_alive(begun.pid, begun.start)
        broken: wire.WireError | None = None
        try:
            if there():
                return
        except wire.WireError as error:
            broken = error
        if ended and disks.is_full(begun.output):  # it could not even say so
            full = disks.full(begun.output.parent)
            raise Unavailable(f"The {part} ended at once. {full.message}", hint=full.hint) from broken
        if ended:
            raise _ended(begun, part) from None
        if time.monotonic() > end:
            silent = f"The {part} (pid {begun.pid}) did not answer within {ANSWER_WITHIN_S:g} s."
            if disks.is_full(begun.output):
                full = disks.full(begun.output.parent)
                raise Unavailable(f"{silent} {full.message}", hint=full.hint) from broken
            raise Unavailable(
                silent,
                hint=f"Its output is in {begun.output}",
            ) from broken
        progress.tick()
        time.sleep(PAUSE_S)
