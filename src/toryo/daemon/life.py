"""Daemon lock, one per home, the socket it listens on, and what a dead daemon left behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.errors import Refused
from toryo.processes import own_pid
from toryo.protocol.wire import ToolFailed, WireError, call
from toryo.settings import LONGEST_SOCKET_PATH, Home, environment

PROBE_S = 3.0
RUNTIME_PREFIX = "toryo-"


class AlreadyRunning(Refused):
    """A daemon is already running for this home."""

    way_out = "`toryo status` asks it, `toryo down` ends it."

    def __init__(self, pid: int | str) -> None:
        super().__init__(f"a daemon is already running for this home (pid {pid})")


@dataclass(frozen=True)
class Lock:
    """Held as long as this process lives; the file says who holds it."""

    path: Path
    handle: int
    left_at: float | None
    """When the holder before us was last alive, by the file's time."""

    def touch(self, now: float) -> None:
        """Alive at that moment, by the clock that deadlines go by."""
        os.utime(self.handle, (now, now))

    def release(self) -> None:
        os.close(self.handle)


def make_private(home: Home) -> None:
    try:
        home.make()
        if stat.S_IMODE(home.path.stat().st_mode) & 0o077:
            home.path.chmod(0o700)
    except OSError as odd:
        raise Refused(
            f"The home {home.path} cannot be used: {odd.strerror}.",
            hint="Set TORYO_HOME to a directory of yours.",
        ) from odd


def take_lock(home: Home) -> Lock:
    path = home.path / "daemon.lock"
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(handle, 32, 0).decode("ascii", "replace").strip()
        os.close(handle)
        raise AlreadyRunning(holder or "unknown") from None
    left_at = os.fstat(handle).st_mtime if os.fstat(handle).st_size else None
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{own_pid()}\n".encode(), 0)
    return Lock(path, handle, left_at)


def listen(home: Home) -> tuple[socket.socket, Path]:
    """The bound socket and its path. Holding the lock is not enough: the old socket is asked first."""
    clear_stale(home.socket_in_use())
    if home.socket_pointer.exists():
        clear_stale(home.socket)
    path = home.socket
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        home.socket_pointer.unlink(missing_ok=True)
        return _bind(path), path
    path = _short_directory() / "mcp.sock"
    bound = _bind(path)
    draft = home.socket_pointer.with_name(home.socket_pointer.name + ".new")
    draft.write_text(f"{path}\n")
    draft.chmod(0o600)
    draft.replace(home.socket_pointer)
    return bound, path


def clear_stale(path: Path) -> None:
    """Remove a socket nobody answers on; refuse if somebody does, or if it is no socket at all."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    except OSError as odd:
        if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
            return
        raise Refused(f"{path} cannot be looked at: {odd.strerror}.", hint=f"Move {path} away.") from odd
    if not stat.S_ISSOCK(found.st_mode):
        raise Refused(f"{path} is in the way: it is not a socket.", hint=f"Move {path} away.")
    try:
        answer = call(path, "health_check", {}, "", timeout_s=PROBE_S)
    except ToolFailed:
        raise AlreadyRunning("unknown") from None
    except WireError as silent:
        if not isinstance(silent.__cause__, ConnectionRefusedError | FileNotFoundError):
            raise Refused(
                f"Something listens on {path} and does not answer as a daemon.",
                hint=f"End the program that holds it (`fuser {path}` names it), or move {path} away.",
            ) from silent
        path.unlink(missing_ok=True)
        _remove_short_directory(path.parent)
        return
    raise AlreadyRunning(int(answer.get("pid") or 0) or "unknown")


def leave(home: Home, path: Path) -> None:
    """Take away what `listen` made."""
    path.unlink(missing_ok=True)
    if path != home.socket:
        home.socket_pointer.unlink(missing_ok=True)
        _remove_short_directory(path.parent)


def _bind(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        bound.bind(os.fspath(path))
    except OSError:
        bound.close()
        raise
    finally:
        os.umask(before)
    bound.setblocking(False)
    return bound


def _short_directory() -> Path:
    """A directory of our own (0700) whose path leaves room for a socket's name."""
    for place in (environment().get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"):
        if place and len(os.fsencode(place)) <= LONGEST_SOCKET_PATH - 32:
            with contextlib.suppress(OSError):
                return Path(tempfile.mkdtemp(prefix=RUNTIME_PREFIX, dir=place))
    raise Refused(
        "There is no short directory to put the socket in.",
        hint="Set XDG_RUNTIME_DIR or a shorter TORYO_HOME.",
    )


def _remove_short_directory(folder: Path) -> None:
    if folder.name.startswith(RUNTIME_PREFIX):
        with contextlib.suppress(OSError):
            folder.rmdir()
