"""Key file of a place: read, or asked for with the operator's key where that is readable."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from toryo import processes
from toryo.domain.errors import UserError
from toryo.files import write_whole
from toryo.place.lifecycle import Lifecycle
from toryo.place.place import Place
from toryo.protocol import wire
from toryo.settings import Home

log = logging.getLogger(__name__)


RENEW_EVERY_S = 60.0


class NoKey(UserError):
    """This process has no key for the daemon."""


def obtain(
    home: Home, place: Place, socket_path: Path, lifecycle: Lifecycle, interval_s: float
) -> str | None:
    """The key; waits for a daemon that is not up yet. None: told to leave meanwhile."""
    path = place.key
    while not lifecycle.ending:
        key = _read(path)
        if key:
            return key
        operator = _read(home.operator_key)
        try:
            if operator:
                return issue(place, socket_path, operator)
            if _answers(socket_path):
                raise NoKey(
                    f"There is no key in {path}, and {home.operator_key} cannot be read.",
                    hint=f"Put a key for this {place.kind} into {path} (0600).",
                )
        except wire.InTheWay:
            raise
        except wire.WireError as away:
            log.warning("MCP server not available, retrying...", extra={"reason": away.message})
        lifecycle.pause(min(1.0, interval_s))
    return None


def look(socket_path: Path) -> str:
    """Who is waited for, and the way out; empty if a daemon answers. InTheWay: there none ever will."""
    try:
        _answers(socket_path)
    except wire.InTheWay:
        raise
    except wire.Unanswered as silent:
        said = f"Something listens at {socket_path}, but does not answer: {silent.message}"
        return f"{said} Waiting for it. {silent.hint}"
    except wire.WireError as away:
        said = f"No daemon answers at {socket_path} yet: {away.message}"
        return f"{said} Waiting for it; {wire.START} starts one."
    return ""


class Key:
    """The key in use by every connection, and another one where the daemon refuses it."""

    def __init__(
        self,
        home: Home,
        place: Place,
        socket_path: Path,
        text: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._place = place
        self._socket_path = socket_path
        self._text = text
        self._clock = clock
        self._renewed = clock() - RENEW_EVERY_S

    def __call__(self) -> str:
        return self._text

    def renew(self) -> bool:
        """Whether there is another key now: one that a process of our name was given, or a new one."""
        now = self._clock()
        if now - self._renewed < RENEW_EVERY_S:
            return False
        self._renewed = now
        stored = _read(self._place.key)
        if not stored or stored == self._text:
            operator = _read(self._home.operator_key)
            if not operator:
                return False
            stored = issue(self._place, self._socket_path, operator)
        self._text = stored
        return True


def issue(place: Place, socket_path: Path, operator: str) -> str:
    about = {"machine": processes.machine_id(), "name": place.name}
    key = str(wire.call(socket_path, f"issue_{place.kind}_key", about, operator)["key"])
    write_whole(place.key, f"{key}\n".encode(), durably=True)
    return key


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):  # nonsense is no key: another one is asked for
        return ""


def _answers(socket_path: Path) -> bool:
    """Whether anybody is there; WireError if not. A refusal is an answer, too."""
    try:
        wire.call(socket_path, "health_check", {}, "", timeout_s=5)
    except wire.ToolFailed:
        return True
    return True
