"""The one door to tmux: a server of our own, known by its socket; every command of it is bounded in time.

The server reads no configuration of the user's, outlives us, and ends with its last window. It is started
with a small environment: what an agent gets is in its launch file, never inherited from here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toryo import processes, settings
from toryo.domain.errors import Refused, ToryoError, UserError
from toryo.processes import TimeLimit

LIMIT_S = 10.0
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
_GONE = ("can't find", "no server running", "error connecting", "no current", "server exited", "lost server")


class TmuxMissing(UserError):
    """tmux is required for an agent with a terminal, and it is not installed here."""

    def __init__(self) -> None:
        super().__init__(hint="Install tmux, or run the agent without: `toryo agent add … --terminal plain`.")


class TmuxFailed(ToryoError):
    """tmux did not do what it was asked."""

    way_out = "`toryo doctor` says whether tmux works here."


class NoWindow(UserError):
    """The run has no window."""

    way_out = "`toryo log -f RUN` follows what it prints."


@dataclass(frozen=True)
class Tmux:
    socket: Path

    def do(self, *words: str, stdin: bytes | None = None) -> bytes:
        """One command of tmux, or several with `;` between; what it printed. NoWindow: it is not there."""
        done = self._run(words, stdin)
        if done.code == 0:
            return done.out
        complaint = done.complaint
        if any(gone in complaint for gone in _GONE):
            raise NoWindow(complaint)
        raise TmuxFailed(f"tmux {words[0]}: {complaint or done.code}")

    def make_place(self) -> None:
        """The socket's folder, ours alone: where everybody may write, somebody else could have made it."""
        folder = self.socket.parent
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid != os.getuid() or found.st_mode & 0o077 or folder.is_symlink():
            raise Refused(f"{folder} is not ours alone.", hint=f"Look at it: ls -ld {folder}")

    def argv(self, *words: str) -> tuple[str, ...]:
        """-u: the screen is UTF-8, whatever the locale of this process says."""
        return (program(), "-u", "-f", os.devnull, "-S", str(self.socket), *words)

    def _run(self, words: Sequence[str], stdin: bytes | None) -> processes.Finished:
        outer = settings.environment()
        env = {name: outer[name] for name in _KEPT if name in outer}
        try:
            return processes.run(self.argv(*words), env=env, stdin=stdin, limit_s=LIMIT_S)
        except TimeLimit as late:
            raise TmuxFailed(f"tmux {words[0]} did not answer within {LIMIT_S:g} s") from late


def program() -> str:
    found = shutil.which("tmux", path=settings.environment().get("PATH"))
    if found is None:
        raise TmuxMissing
    return found


def own_server(folder: Path) -> Tmux:
    """The server of the coordinator whose folder this is; found again by every later process."""
    socket = folder / "tmux.sock"
    if len(os.fsencode(socket)) < settings.LONGEST_SOCKET_PATH:
        return Tmux(socket)
    # named by its place, not by chance: whoever comes after a restart looks at the same one
    name = f"toryo-{os.getuid()}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    for place in (settings.environment().get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"):
        short = Path(place or "/tmp") / name
        if place and len(os.fsencode(short / "tmux.sock")) < settings.LONGEST_SOCKET_PATH:
            return Tmux(short / "tmux.sock")
    raise Refused(
        "There is no short directory for tmux's socket.", hint="Set XDG_RUNTIME_DIR or a shorter TORYO_HOME."
    )
