"""Where an installation lives on disk, and the one reader of the environment. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LONGEST_SOCKET_PATH = 104
"""sun_path on macOS; Linux takes four more. A longer path is bound through a short directory."""


@dataclass(frozen=True)
class Home:
    """One installation: `TORYO_HOME`, else XDG state. Directories 0700, files 0600."""

    path: Path

    @property
    def database(self) -> Path:
        return self.path / "toryo.db"

    @property
    def socket(self) -> Path:
        return self.path / "mcp.sock"

    @property
    def socket_pointer(self) -> Path:
        """Names the real socket where the home's own path is too long to bind."""
        return self.path / "mcp.sock.path"

    @property
    def operator_key(self) -> Path:
        return self.path / "operator.key"

    @property
    def gates(self) -> Path:
        return self.path / "gates"

    @property
    def blobs(self) -> Path:
        return self.path / "blobs"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def backups(self) -> Path:
        return self.path / "backups"

    def coordinator(self, name: str) -> Path:
        return self.path / "coordinators" / name

    def make(self) -> Home:
        for folder in (self.path, self.gates, self.blobs, self.logs, self.backups):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self

    def socket_in_use(self) -> Path:
        """The socket to connect to: the short one if the pointer names it."""
        try:
            return Path(self.socket_pointer.read_text().strip())
        except OSError:
            return self.socket


def environment() -> Mapping[str, str]:
    """A copy of the process's environment: everybody else asks here."""
    return dict(os.environ)


def home() -> Home:
    env = os.environ
    if env.get("TORYO_HOME"):
        return Home(Path(env["TORYO_HOME"]).expanduser().absolute())
    state = env.get("XDG_STATE_HOME") or str(Path("~/.local/state").expanduser())
    return Home(Path(state) / "toryo")
