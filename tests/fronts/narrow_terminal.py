"""A command on a real pseudo-terminal of so many columns and rows: what it wrote, line by line."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path


def lines_on_a_terminal(home: Path, columns: int, *words: str, rows: int = 40) -> list[str]:
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "toryo", *words],
        env={**os.environ, "TORYO_HOME": str(home), "TERM": "xterm", "NO_COLOR": "1"},
        stdin=other,
        stdout=other,
        stderr=other,
        start_new_session=True,
    )
    os.close(other)
    written = b""
    try:
        while part := _read(own):
            written += part
        process.wait(30)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(own)
    return written.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # the command has ended, and nobody else holds the terminal
        return b""
