"""A real tmux with one window of a given size: what is typed into it, and what stands on its screen."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from house import House

from waiting import eventually


class RealTerminal:
    """`toryo ui` in a tmux server of its own; `close` ends it."""

    def __init__(self, house: House, *words: str, columns: int = 100, rows: int = 32) -> None:
        self._socket = house.root / "front.sock"
        program = shlex.join([sys.executable, "-m", "toryo", *words])
        inner = ("env", "TERM=screen-256color", "sh", "-c", program)
        size = ("-x", str(columns), "-y", str(rows))
        # the server inherits the environment: a key of it is in no command line
        self._tmux("new-session", "-d", *size, "-s", "front", "-c", str(house.repo), *inner, env=house.env)

    def _tmux(self, *words: str, env: dict[str, str] | None = None) -> str:
        command = ["tmux", "-f", "/dev/null", "-S", str(self._socket), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20, env=env)
        return done.stdout

    def text(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "front")

    def until(self, *words: str, within_s: float = 60) -> str:
        """Until all of them are there; the screen."""

        def look() -> str | None:
            text = self.text()
            return text if all(word in text for word in words) else None

        try:
            found = eventually(look, within_s=within_s, what=f"{words} on the screen")
        except BaseException:
            print(self.text())
            raise
        assert isinstance(found, str)
        return found

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", "-t", "front", *keys)

    def write(self, text: str) -> None:
        self._tmux("send-keys", "-t", "front", "-l", text)
        self.press("Enter")

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-t", "front", "-x", str(columns), "-y", str(rows))

    def has_ended(self) -> bool:
        command = ["tmux", "-S", str(self._socket), "has-session", "-t", "front"]
        return subprocess.run(command, capture_output=True, check=False, timeout=20).returncode != 0

    def close(self) -> None:
        if not self.has_ended():
            self._tmux("kill-server")
        Path(self._socket).unlink(missing_ok=True)
