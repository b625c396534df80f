"""Event line of the terminal front: one long poll of the daemon's events; a lost daemon is told and regained.

It polls nothing: between two events it sleeps in the daemon.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from toryo.domain.errors import ToryoError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toryo.fronts.daemon_line import DaemonLine

WAIT_S = 25.0
ON_ITS_WAY_S = 20.0
AGAIN_S = 0.5
PAGE = 1000
CALM_S = 0.05
"""After news, so that a burst of events is one look."""


class EventLine:
    """`tell` gets the events of each page, none for "look at everything"; `lost` a message, or nothing."""

    def __init__(
        self,
        line: DaemonLine,
        tell: Callable[[list[dict[str, Any]] | None], None],
        lost: Callable[[str], None],
    ) -> None:
        self._line, self._tell, self._lost = line, tell, lost
        self._at = -1
        self._is_away = False

    async def follow(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self._once()
            except ToryoError as away:
                self._is_away = True
                self._lost(f"{away.message} {away.hint}".strip())
                await asyncio.sleep(AGAIN_S)

    async def _once(self) -> None:
        if self._at < 0 or self._is_away:
            found = await self._line.call("list_events", {"last": 1, "plumbing": False})
            self._at = int(found["newest"])
            self._is_away = False
            self._lost("")
            self._tell(None)
        asked = {"after": self._at, "limit": PAGE, "wait_s": WAIT_S, "plumbing": False}
        page = await self._line.call("list_events", asked, timeout_s=WAIT_S + ON_ITS_WAY_S)
        if page["resync"] or page["newest"] < self._at:
            self._at = int(page["newest"])
            self._tell(None)
            return
        self._at = max(self._at, int(page["next_after"]))
        if page["events"]:
            self._tell(list(page["events"]))
            await asyncio.sleep(CALM_S)
