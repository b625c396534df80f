"""Note and token of the web front in the home: where it listens, whether it lives, and what opens its page.

Read by the commands and written by the process itself; how it is started and ended is left to both.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toryo import __version__, processes
from toryo.files import write_whole

if TYPE_CHECKING:
    from toryo.settings import Home

NOTE = "web.json"
TOKEN = "web.token"
TOKEN_BYTES = 32


@dataclass(frozen=True)
class Front:
    """What the note in the home says: where it listens, or listened last."""

    port: int
    pid: int
    started: str
    version: str

    @property
    def is_alive(self) -> bool:
        return processes.is_alive(self.pid, self.started or None)


def noted(home: Home) -> Front | None:
    """None: it never ran here, or the note is damaged."""
    try:
        said = json.loads((home.path / NOTE).read_text(encoding="utf-8"))
        return Front(int(said["port"]), int(said["pid"]), str(said["started"]), str(said["version"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_note(home: Home, port: int) -> None:
    """This very process listens on that port."""
    pid = processes.own_pid()
    said = {"port": port, "pid": pid, "started": processes.start_time(pid) or "", "version": __version__}
    write_whole(home.path / NOTE, json.dumps(said).encode())


def token(home: Home, *, rotate: bool = False) -> str:
    """What opens the page; made on first use, readable by its owner only."""
    path = home.path / TOKEN
    if not rotate:
        with contextlib.suppress(OSError):
            known = path.read_text(encoding="ascii", errors="replace").strip()
            if len(known) >= TOKEN_BYTES and known.isascii() and known.isprintable():
                return known
    made = secrets.token_urlsafe(TOKEN_BYTES)
    write_whole(path, f"{made}\n".encode())
    return made


def address(home: Home, port: int) -> str:
    return f"http://127.0.0.1:{port}/?token={token(home)}"


def private_file(home: Home, name: str, text: str) -> str:
    """Its path. A browser's argument list is seen by everybody: it gets this file's name, never a token."""
    path = home.path / name
    write_whole(path, text.encode())
    return os.fspath(path)
