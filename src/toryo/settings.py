"""Where an installation lives on disk, and the one reader of the environment. Standard library only.

Every command reads this first, so it does without dataclasses, and pathlib waits until a path is asked for.
"""

# ruff: noqa: PTH109, PTH111, PTH117, PTH118
from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LONGEST_SOCKET_PATH = 104
"""sun_path on macOS; Linux takes four more. A longer path is bound through a short directory."""


class Home:
    """One installation: `TORYO_HOME`, else XDG state. Directories 0700, files 0600. It never changes."""

    __slots__ = ("text",)

    text: str
    """The path as text, for a command on its way in: importing pathlib would cost it 4 ms."""

    def __init__(self, path: Path | str) -> None:
        object.__setattr__(self, "text", os.fspath(path))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of a home cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Home) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Home({self.text!r})"

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.text)

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
    def config(self) -> Path:
        """The installation's own settings."""
        return self.path / "config.yaml"

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

    def planner(self, name: str) -> Path:
        return self.path / "planner" / name

    @property
    def planner_api_key(self) -> Path:
        """The model's key, where a person gave it to Toryo."""
        return self.path / "planner" / "api.key"

    def make(self) -> Home:
        for folder in (self.path, self.gates, self.blobs, self.logs, self.backups):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self

    def socket_in_use(self) -> Path:
        """The socket to connect to: the short one if the pointer names it."""
        from pathlib import Path

        return Path(self.address())

    def address(self) -> str:
        """`socket_in_use` as text."""
        try:
            with open(f"{self.text}/mcp.sock.path", encoding="utf-8", errors="surrogateescape") as pointer:
                named = pointer.read().strip()
        except OSError:
            named = ""
        # half of it, or somebody else's text: the next daemon writes it anew
        return named if named.startswith("/") and "\0" not in named else f"{self.text}/mcp.sock"


def environment() -> Mapping[str, str]:
    """A copy of the process's environment: everybody else asks here."""
    return dict(os.environ)


def simulated_boot() -> str:
    """A boot id that stands for the machine's own, for tests that restart it; empty: none."""
    return os.environ.get("TORYO_BOOT_ID", "")


def home() -> Home:
    env = os.environ
    if env.get("TORYO_HOME"):
        return Home(_absolute(os.path.expanduser(env["TORYO_HOME"])))
    state = env.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Home(os.path.join(state, "toryo"))


def _absolute(text: str) -> str:
    """Without resolving links or `..`, which would make it another path than the one that was named."""
    return text if os.path.isabs(text) else os.path.join(os.getcwd(), text)
