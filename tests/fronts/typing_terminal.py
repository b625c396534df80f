"""A command on a pseudo-terminal that a test types on: what it wrote, without the terminal's own signs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

from waiting import eventually

SIGNS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class TypingTerminal:
    def __init__(
        self, home: Path, *words: str, rows: int = 60, columns: int = 100, pager: str = "cat"
    ) -> None:
        self._own, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toryo", *words],
            env={**os.environ, "TORYO_HOME": str(home), "TERM": "xterm", "NO_COLOR": "1", "PAGER": pager},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(other)
        self._written = b""

    @property
    def text(self) -> str:
        while select.select([self._own], [], [], 0)[0]:
            try:
                part = os.read(self._own, 65536)
            except OSError:  # everybody else closed the terminal
                break
            if not part:
                break
            self._written += part
        return SIGNS.sub("", self._written.decode(errors="replace"))

    def see(self, text: str) -> None:
        def is_there() -> bool:
            is_over = self.process.poll() is not None
            if text in self.text:
                return True
            assert not is_over, f"it ended without {text!r}: {self.text}"
            return False

        eventually(is_there, within_s=60, what=f"{text!r} on the terminal")

    def type(self, line: str) -> None:
        os.write(self._own, line.encode())

    def end(self) -> int:
        """Its exit code, with all that it wrote read."""

        def is_over() -> bool:
            return bool(self.text) and self.process.poll() is not None

        eventually(is_over, within_s=60, what="the end of the command")
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._own)


def _take_terminal() -> None:
    """Ctrl-C that is typed reaches whoever has the terminal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
