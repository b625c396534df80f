"""Processes: the one door to `subprocess`, and the identity of a process beyond its pid."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from toryo import settings

if TYPE_CHECKING:
    import socket

HAS_PROC = Path("/proc/self/stat").exists()
"""Linux tells about processes in files; elsewhere `ps` is asked."""


@dataclass(frozen=True)
class Finished:
    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "surrogateescape")

    @property
    def complaint(self) -> str:
        return (self.err or self.out).decode("utf-8", "replace").strip()


class TimeLimit(Exception):
    """The program did not end within its time limit and was killed."""


def run(
    argv: Sequence[str],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    limit_s: float = 60,
) -> Finished:
    """Run to the end and keep both outputs. A program that outstays `limit_s` is killed."""
    return Running(argv, cwd, env, stdin).finish(limit_s)


class Running:
    """A program that was begun; whoever begins it finishes it."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str | Path | None,
        env: Mapping[str, str] | None,
        given: bytes | None = None,
        *,
        own_session: bool = False,
    ) -> None:
        """`own_session`: killing it kills everything of its session, too."""
        self._name = argv[0]
        self._given = given
        self._own_session = own_session
        self._child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env) if env is not None else None,
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            close_fds=False,  # nothing of ours is inherited anyhow, and looking for it takes as long as git
            start_new_session=own_session,
        )

    def finish(self, limit_s: float) -> Finished:
        """Wait for its end and keep both outputs. Killed if it outstays `limit_s` or we cannot wait."""
        end = time.monotonic() + limit_s
        try:
            out, err = self._talk(end)
            self._wait(end)
        except TimeoutError as late:
            raise TimeLimit(f"{self._name} did not end within {limit_s:g} s") from late
        finally:
            self._let_go()
        return Finished(self._child.returncode, out, err)

    def _let_go(self) -> None:
        """Kill it if it still runs: nobody will hear it."""
        if self._child.returncode is None:
            self.kill()
            self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            if pipe is not None:
                pipe.close()

    def kill(self) -> None:
        """From any thread; whoever finishes it sees its end."""
        if self._child.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if self._own_session:
                os.killpg(self._child.pid, signal.SIGKILL)
            else:
                self._child.kill()

    def _talk(self, end: float) -> tuple[bytes, bytes]:
        """Give it its input and hear both outputs to their ends."""
        child, left = self._child, memoryview(self._given or b"")
        assert child.stdout is not None and child.stderr is not None  # noqa: PT018
        heard: dict[int, list[bytes]] = {child.stdout.fileno(): [], child.stderr.fileno(): []}
        poll, still = select.poll(), set(heard)
        for handle in still:
            poll.register(handle, select.POLLIN)
        if child.stdin is not None:
            poll.register(child.stdin.fileno(), select.POLLOUT)
        while still:
            for handle, _ in _polled(poll, end):
                if handle in heard:
                    part = os.read(handle, 65536)
                    heard[handle].append(part)
                    if not part:
                        poll.unregister(handle)
                        still.discard(handle)
                    continue
                try:
                    left = left[os.write(handle, left[: select.PIPE_BUF]) :]
                except BrokenPipeError:  # it has heard enough
                    left = left[:0]
                if not left:
                    poll.unregister(handle)
                    assert child.stdin is not None
                    child.stdin.close()
        out, err = (b"".join(parts) for parts in heard.values())
        return out, err

    def _wait(self, end: float) -> None:
        """The kernel wakes us: Popen's own wait with a limit looks once a millisecond, later less often."""
        if self._child.poll() is not None:
            return
        if not hasattr(os, "pidfd_open"):
            try:
                self._child.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise TimeoutError from None
            return
        handle = os.pidfd_open(self._child.pid)
        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            _polled(poll, end)
        finally:
            os.close(handle)
        self._child.wait()


def _polled(poll: select.poll, end: float) -> list[tuple[int, int]]:
    """What is ready; TimeoutError: nothing until `end`."""
    found = poll.poll(max(0.0, end - time.monotonic()) * 1000)
    if not found:
        raise TimeoutError
    return found


class Conversation:
    """A program that answers each line with a line. One asker at a time; it ends when we do."""

    def __init__(self, argv: Sequence[str], cwd: str | Path, env: Mapping[str, str]) -> None:
        self._name = argv[0]
        self._child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self._rest = b""

    def ask(self, line: bytes, limit_s: float) -> bytes:
        """The answer without its newline. OSError or TimeLimit: it is of no use any more."""
        assert self._child.stdin is not None and self._child.stdout is not None  # noqa: PT018
        if self._child.stdin.closed:  # somebody closed it while this asker waited for its turn
            raise BrokenPipeError(f"{self._name} was ended")
        self._child.stdin.write(line + b"\n")
        poll, out = select.poll(), self._child.stdout.fileno()  # not select(): it knows only the first 1024
        poll.register(out, select.POLLIN)
        end = time.monotonic() + limit_s
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise TimeLimit(f"{self._name} did not answer within {limit_s:g} s")
            part = os.read(out, 65536)
            if not part:
                raise BrokenPipeError(f"{self._name} ended")
            self._rest += part
        answer, _, self._rest = self._rest.partition(b"\n")
        return answer

    def close(self) -> None:
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._child.wait(2)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def run_known(
    argv: Sequence[str],
    *,
    know: Callable[[int, str], None],
    cwd: str | Path,
    env: Mapping[str, str],
    limit_s: float,
) -> Finished:
    """Run to the end, but only after `know` was told the pid and start time; if it raises, nothing runs.

    The program waits behind a barrier that closes with this process. After it, the program's output goes to
    files, not pipes, and its session is its own: this process may die and the program still ends in order."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            ["/bin/sh", "-c", 'read -r go && exec "$@" </dev/null', "sh", *argv],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            know(child.pid, start_time(child.pid) or "")
            child.communicate(b"go\n", timeout=limit_s)
        except subprocess.TimeoutExpired as late:
            raise TimeLimit(f"{argv[0]} did not end within {limit_s:g} s") from late
        finally:
            _end(child)
        out.seek(0)
        err.seek(0)
        return Finished(child.returncode, out.read(), err.read())


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.kill()
        child.wait()
    if child.stdin is not None:
        child.stdin.close()


@dataclass(frozen=True)
class Ended:
    """How a bounded program ended; None: it outstayed its limit."""

    code: int | None
    seconds: float
    output: bytes
    """The end of what it printed."""


def run_bounded(
    argv: Sequence[str],
    *,
    stdin: bytes,
    limit_s: float,
    cwd: str | Path,
    env: Mapping[str, str],
    keep: int = 2000,
) -> Ended:
    """Run to its end or its limit, whatever it prints and whoever it leaves behind holding its output.

    At its limit it is killed with everything of its session. Its input must fit a pipe."""
    begun = time.monotonic()
    child = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        bufsize=0,
    )
    assert child.stdin is not None and child.stdout is not None  # noqa: PT018
    os.set_blocking(child.stdout.fileno(), False)
    tail = b""
    try:
        with contextlib.suppress(BrokenPipeError):  # it does not want to know
            child.stdin.write(stdin)
        child.stdin.close()
        poll = select.poll()
        poll.register(child.stdout.fileno(), select.POLLIN)
        while child.poll() is None and (left := begun + limit_s - time.monotonic()) > 0:
            poll.poll(min(left, _LOOK_AGAIN_S) * 1000)
            part, closed = _printed(child.stdout.fileno())
            tail = (tail + part)[-keep:]
            if closed:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(max(0.0, begun + limit_s - time.monotonic()))
                break
        code = child.poll()
        tail = (tail + _printed(child.stdout.fileno())[0])[-keep:]
        return Ended(code, time.monotonic() - begun, tail)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        child.stdin.close()
        child.stdout.close()


_LOOK_AGAIN_S = 0.05


def _printed(handle: int) -> tuple[bytes, bool]:
    """What is there to be read, at most 64 KiB, and whether nothing more will come."""
    try:
        part = os.read(handle, 65536)
    except BlockingIOError:
        return b"", False
    return part, not part


def spawn_detached(argv: Sequence[str], *, env: Mapping[str, str], cwd: str | Path, output: Path) -> int:
    """Start a background process in its own session with stdio detached; its pid."""
    with open(output, "ab") as sink:
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
            close_fds=True,
        )
    return child.pid


def converse(argv: Sequence[str], *, env: Mapping[str, str], text: bytes | None = None) -> int:
    """Run a program on this process's own terminal until it ends: an editor, or a pager that reads `text`."""
    done = subprocess.run(list(argv), env=dict(env), input=text, check=False)
    return done.returncode


@lru_cache(maxsize=1)
def boot_id() -> str:
    """Another value after each boot: a pid from another boot names nobody."""
    if simulated := settings.simulated_boot():
        return simulated
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        done = run(["sysctl", "-n", "kern.boottime"], limit_s=5)
        return done.text.strip()


def start_time(pid: int) -> str | None:
    """When the process began, in the kernel's own terms; None if there is no such process.

    A pid is only a name together with this."""
    if HAS_PROC:
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            return None
        fields = stat[stat.rindex(b")") + 2 :].split()
        return None if fields[0] in (b"Z", b"X") else fields[19].decode()
    done = run(["ps", "-o", "lstart=", "-p", str(pid)], limit_s=5)
    return done.text.strip() or None


def is_alive(pid: int, started: str | None) -> bool:
    """Whether this very process, not a later one with its number, still runs."""
    if pid <= 0:
        return False
    now = start_time(pid)
    return now is not None and (started is None or now == started)


def command_line(pid: int) -> str:
    """What the process was called with, for telling ours from another; empty if it is gone."""
    if pid <= 0 or start_time(pid) is None:
        return ""
    if HAS_PROC:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            return b" ".join(words).decode("utf-8", "replace").strip()
        except OSError:
            return ""
    return run(["ps", "-o", "args=", "-p", str(pid)], limit_s=5).text.strip()


def ask_to_end(pid: int, started: str) -> bool:
    """SIGTERM to this very process; False if it is gone."""
    if not is_alive(pid, started):
        return False
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return False
    return True


def machine_id() -> str:
    """A stable name for this machine."""
    for place in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            text = Path(place).read_text().strip()
        except OSError:
            continue
        if text:
            return text
    return f"{uuid.getnode():012x}"


def own_pid() -> int:
    return os.getpid()


_children: dict[int, subprocess.Popen[bytes]] = {}


def spawn_watched(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str | Path, output: Path, new_session: bool = True
) -> int:
    """As `spawn_detached`, for a process that outlives us but is ours to reap while we live; its pid."""
    reap()
    with open(output, "ab") as sink:
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=new_session,
        )
    _children[child.pid] = child
    return child.pid


def spawn_listening(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str | Path, output: Path
) -> tuple[int, socket.socket]:
    """As `spawn_watched`, with our end of the socket that is its standard input."""
    import socket  # 3 ms that no command of a person should pay

    reap()
    ours, theirs = socket.socketpair()
    try:
        with theirs, open(output, "ab") as sink:
            child = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=theirs.fileno(),
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
    except OSError:
        ours.close()
        raise
    _children[child.pid] = child
    return child.pid, ours


def reap() -> None:
    """Take leave of the watched children that have ended: no zombies."""
    for pid, child in list(_children.items()):
        if child.poll() is not None:
            _children.pop(pid, None)
