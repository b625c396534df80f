"""Connection limits: how many connections there may be, and how much they may leave in the daemon's
memory.

One connection's own limits are `lines` and `transport`. Where a limit is reached, the one that costs most and
says least gives way; everybody else is not disturbed.
"""

from __future__ import annotations

import itertools
import resource
from collections.abc import Iterator
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from toryo.daemon.mcp.transport import Link

MOST_CONNECTIONS = 4096
OWN_FILES = 64
"""Of the process's limit, kept for the store, blobs and the log."""
MOST_HELD = 64 * 1024 * 1024
"""Bytes of unfinished lines."""
MOST_UNSENT = 64 * 1024 * 1024
"""Bytes of answers that nobody reads."""

log = structlog.get_logger("toryo.daemon.crowd")


class ConnectionLimits:
    def __init__(self) -> None:
        self.most = most_connections()
        self._held = 0
        self._mute: dict[Link, None] = {}
        """Who never said anything, in the order in which they came."""
        self._speaking: dict[Link, None] = {}
        """Whoever was heard of last is at the end."""

    def make_room(self) -> bool:
        """Whether one could be sent away: one that never spoke, else the one that was silent for longest."""
        silent = next((one for one in self._members() if one.is_idle), None)
        if silent is None:
            return False
        self._forget(silent)
        silent.cut()
        return True

    def join(self, link: Link) -> None:
        self._mute[link] = None

    def leave(self, link: Link) -> None:
        self._forget(link)
        self._held -= link.held

    def heard(self, link: Link) -> None:
        if self._forget(link):
            self._speaking[link] = None

    def _forget(self, link: Link) -> bool:
        """Whether it was one of us."""
        known = link in self._mute or link in self._speaking
        self._mute.pop(link, None)
        self._speaking.pop(link, None)
        return known

    def _members(self) -> Iterator[Link]:
        return itertools.chain(self._mute, self._speaking)

    def hold(self, change: int) -> None:
        """So many bytes more or less; of too many, the line that was begun first gives way."""
        self._held += change
        if change > 0 and self._held > MOST_HELD:
            oldest = min((one for one in self._members() if one.held), key=_begun_at, default=None)
            if oldest is not None:
                log.info("unfinished_line_dropped", held=oldest.held)
                oldest.give_up_line()

    def mind_unsent(self) -> None:
        if sum(one.unsent for one in self._members()) > MOST_UNSENT:
            slowest = max(self._members(), key=_unsent)
            log.info("slow_reader_dropped", unsent=slowest.unsent)
            slowest.cut()


def most_connections() -> int:
    """Each is a file, and the daemon needs some for itself."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(8, min(MOST_CONNECTIONS, files - OWN_FILES))


def _begun_at(link: Link) -> float:
    return link.line_begun_at


def _unsent(link: Link) -> int:
    return link.unsent
