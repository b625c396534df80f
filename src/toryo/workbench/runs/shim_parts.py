"""What the shim stands on: its records, and the processes of this machine as the kernel shows them.

Compiled into one file with shim.py (compiled.py): standard library only, nothing of toryo.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from json.encoder import py_encode_basestring_ascii as quoted
    from typing import Any

    make_scanner: Any = None
else:
    try:
        # json itself costs half of the start-up; and where a run ends nothing is to be looked for
        from _json import encode_basestring_ascii as quoted
        from _json import make_scanner
    except ImportError:
        from json.encoder import py_encode_basestring_ascii as quoted

        make_scanner = None

RECORD_BYTES = 4096
SCARCE = 256 * 1024
"""Bytes that are too few to go on with: as in toryo.disks."""
PR_SET_CHILD_SUBREAPER = 36
LINUX = sys.platform.startswith("linux")

Row = tuple[int, int, str, bool]
"""Of one process: parent, process group, start time in the kernel's terms, whether it is a zombie."""


# ── records ───────────────────────────────────────────────────────────────────────────────────────────


class Plain:
    """How the scanner reads what it finds."""

    strict, memo = False, {}  # type: ignore[var-annotated]
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def decode(text: str) -> dict:  # type: ignore[type-arg]
    if make_scanner is None:
        import json

        return json.loads(text)  # type: ignore[no-any-return]
    return make_scanner(Plain)(text, 0)[0]  # type: ignore[no-any-return]


def encode(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "{" + ", ".join([f"{quoted(key)}: {encode(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(encode, value)) + "]"
    return repr(value)  # a number


def moment() -> str:
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def read(path: str, folder: int | None = None) -> bytes:
    fd = os.open(path, os.O_RDONLY, dir_fd=folder)
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


def half(name: str) -> str:
    """What a record is called until it is whole: another shim of the same run writes into another one."""
    return f"{name}.{os.getpid()}"


def open_half(name: str, folder: int) -> int:
    return os.open(half(name), os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600, dir_fd=folder)


def preallocate(name: str, folder: int) -> int:
    """A disk that fills up meanwhile must not cost the exit record."""
    fd = open_half(name, folder)
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, RECORD_BYTES)
    else:
        os.write(fd, b" " * RECORD_BYTES)
    return fd


def write_half(fd: int, data: bytes) -> None:
    """On the disk when this returns, under a name that nobody reads."""
    os.pwrite(fd, data, 0)
    os.ftruncate(fd, len(data))
    os.fsync(fd)


def make_whole(name: str, folder: int) -> None:
    os.rename(half(name), name, src_dir_fd=folder, dst_dir_fd=folder)


def is_full(place: str | int) -> bool:
    """Whether its disk has no room; as toryo.disks says it."""
    try:
        found = os.statvfs(place)
    except OSError:
        return False
    return (found.f_files > 0 and found.f_favail == 0) or found.f_bavail * found.f_frsize < SCARCE


# ── processes ─────────────────────────────────────────────────────────────────────────────────────────


def output(*argv: str) -> tuple[int, str]:
    """What a small tool prints, and the pid it had (macOS only; subprocess would cost 20 ms)."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(into, 1)
            os.execv(f"/bin/{argv[0]}" if os.path.exists(f"/bin/{argv[0]}") else f"/usr/sbin/{argv[0]}", argv)
        finally:
            os._exit(127)
    os.close(into)
    parts = []
    while part := os.read(out, 1 << 16):
        parts.append(part)
    os.close(out)
    os.waitpid(pid, 0)
    return pid, b"".join(parts).decode("utf-8", "replace")


def boot_id() -> str:
    try:
        return read("/proc/sys/kernel/random/boot_id").decode().strip()
    except OSError:
        return output("sysctl", "-n", "kern.boottime")[1].strip()


def _stat(pid: int | str) -> Row:
    data = read(f"/proc/{pid}/stat")
    fields = data[data.rindex(b")") + 2 :].split()
    return int(fields[1]), int(fields[2]), fields[19].decode(), fields[0] in (b"Z", b"X")


def start_time(pid: int) -> str:
    return _stat(pid)[2] if LINUX else output("ps", "-o", "lstart=", "-p", str(pid))[1].strip()


def table_by_proc() -> dict[int, Row]:
    rows = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                rows[int(name)] = _stat(name)
            except (OSError, ValueError):
                continue
    return rows


def table_by_ps() -> dict[int, Row]:
    rows = {}
    ps, text = output("ps", "-axo", "pid=,ppid=,pgid=,stat=,lstart=")
    for line in text.splitlines():
        pid, parent, group, state, start = line.split(None, 4)
        rows[int(pid)] = int(parent), int(group), start.strip(), state.startswith("Z")
    rows.pop(ps, None)
    return rows


def command_line(pid: int) -> str:
    try:
        if LINUX:
            text = read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode("utf-8", "replace")
            text = text or read(f"/proc/{pid}/comm").decode("utf-8", "replace")
        else:
            text = output("ps", "-o", "command=", "-p", str(pid))[1]
    except OSError:
        return ""
    return text.strip()[:120]


def become_subreaper() -> bool:
    if not LINUX:
        return False
    try:
        import _ctypes

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        return bool(_ctypes.call_function(prctl, (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0)
    except (ImportError, AttributeError):
        import ctypes

        return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
