"""Hub of the page's event channel: one long poll of the daemon's events, fanned out to every socket.

Nothing is asked of the daemon while nobody listens. A socket that comes late is told what it missed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, cast

from toryo.domain.errors import ToryoError
from toryo.fronts.web import messages

if TYPE_CHECKING:
    from toryo.fronts.daemon_line import DaemonLine
    from toryo.fronts.web.messages import AttentionUpdate, DaemonUpdate, Message
    from toryo.protocol.views.status import EventPage

MOST_WAITING = 500
"""Messages that a socket has not taken yet; with more it is told to load everything again."""
PAGE = 500
MOST_REPLAYED = 5000
WAIT_S = 25.0
ON_ITS_WAY_S = 20.0
AGAIN_S = 0.5
ATTENTION_PAUSE_S = 0.5
"""Between two looks at what needs a person, however many events come."""


class Socket:
    """What one browser has to be sent."""

    def __init__(self) -> None:
        self.is_live = False
        """It is told what happens; before, it is still told what it missed."""
        self.is_late = False
        """It came while nobody could say what it missed."""
        self._waiting: deque[Message] = deque()
        self._there = asyncio.Event()

    def put(self, message: Message) -> None:
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
            message = {"id": message["id"], "type": "resync"}
        self._waiting.append(message)
        self._there.set()

    @property
    def is_behind(self) -> bool:
        return bool(self._waiting)

    async def next(self) -> Message:
        while not self._waiting:
            self._there.clear()
            await self._there.wait()
        return self._waiting.popleft()


class Hub:
    def __init__(self, line: DaemonLine) -> None:
        self._line = line
        self._sockets: set[Socket] = set()
        self._follower: asyncio.Task[None] | None = None
        self._look: asyncio.Task[None] | None = None
        self._at: int | None = None
        """Number of the last event that all live sockets know of; None: not asked yet."""
        self._away: DaemonUpdate | None = None
        self._is_known = asyncio.Event()
        """Where we are, or that nobody can be asked."""
        self._attention: AttentionUpdate | None = None
        self._needs: tuple[Any, ...] = ()

    async def join(self, socket: Socket, after: int | None) -> None:
        """It misses nothing after that number; without one it begins by loading everything."""
        self._sockets.add(socket)
        if self._follower is None:
            self._follower = asyncio.create_task(self._follow(), name="follow events")
        await self._is_known.wait()
        if self._away is not None:
            socket.put(self._away)
            socket.is_late = True
        elif after is None or not await self._replay(socket, after):
            socket.put({"id": self._at or 0, "type": "resync"})
        socket.is_live = True
        if self._attention is not None:
            socket.put(self._attention)

    def leave(self, socket: Socket) -> None:
        self._sockets.discard(socket)
        if not self._sockets:
            self._stop()

    async def close(self) -> None:
        tasks = [task for task in (self._follower, self._look) if task is not None]
        self._stop()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _stop(self) -> None:
        for task in (self._follower, self._look):
            if task is not None:
                task.cancel()
        self._follower = self._look = None
        self._at = self._away = self._attention = None
        self._is_known.clear()

    async def _replay(self, socket: Socket, after: int) -> bool:
        """Page by page until it knows what all know; False: that is too much, or not kept any more."""
        if self._at is None or not 0 <= self._at - after <= MOST_REPLAYED:
            return False
        while after < self._at:
            try:
                page = await self._page(after, wait_s=0)
            except ToryoError:
                return False
            if page["resync"]:
                return False
            for message in _told(page, up_to=self._at):
                socket.put(message)
            after = max(page["next_after"], after + 1)
        return True

    async def _page(self, after: int, *, wait_s: float) -> EventPage:
        asked = {"after": after, "limit": PAGE, "wait_s": wait_s, "plumbing": False}
        found = await self._line.call("list_events", asked, timeout_s=wait_s + ON_ITS_WAY_S)
        return cast("EventPage", found)

    async def _follow(self) -> None:
        """Until nobody listens. A daemon that is away is told once, and asked again until it is back."""
        while True:
            try:
                await self._follow_once()
            except ToryoError as away:
                if self._away is None:
                    self._away = messages.away(self._at or 0, away.message, away.hint)
                    self._tell(self._away)
                    self._is_known.set()
                await asyncio.sleep(AGAIN_S)

    async def _follow_once(self) -> None:
        if self._at is None:
            self._at = int((await self._line.call("list_events", {"last": 1, "plumbing": False}))["newest"])
            self._is_known.set()
            self._see_attention()
        page = await self._page(self._at, wait_s=0 if self._away else WAIT_S)
        if self._away is not None:
            self._away = None
            self._tell(messages.back(self._at))
            self._bring_late_ones_up_to_date(self._at)
            self._see_attention()
        if page["resync"] or page["newest"] < self._at:  # pruned meanwhile, or another store
            self._at = page["newest"]
            self._tell({"id": self._at, "type": "resync"})
            return
        self._at = max(self._at, page["next_after"])
        for message in _told(page, up_to=self._at):
            self._tell(message)
        if page["events"]:
            self._see_attention()

    def _bring_late_ones_up_to_date(self, at: int) -> None:
        for socket in self._sockets:
            if socket.is_late:
                socket.is_late = False
                socket.put({"id": at, "type": "resync"})

    def _tell(self, message: Message) -> None:
        for socket in self._sockets:
            if socket.is_live:
                socket.put(message)

    def _see_attention(self) -> None:
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._look_at_attention(), name="look at attention")

    async def _look_at_attention(self) -> None:
        """Once for all that happened up to now, and again if more happened meanwhile."""
        at: int | None = -1
        while at != self._at:
            at = self._at
            await asyncio.sleep(ATTENTION_PAUSE_S)
            try:
                status = await self._line.call("get_status", {})
            except ToryoError:
                return  # the follower tells that it is away, and looks again when it is back
            needs = [
                (one["subject"], one["status"], one["reason"], one["why"]) for one in status["needs_you"]
            ]
            now = (*needs, *sorted(status["needs_you_counts"].items()))
            if self._attention is None or now != self._needs:
                counts = status["needs_you_counts"]
                self._attention = messages.attention(self._at or 0, status["needs_you"], counts)
                self._tell(self._attention)
            self._needs = now


def _told(page: EventPage, *, up_to: int) -> list[Message]:
    """Not what is newer than all the others know: they will be told of it together."""
    found = (messages.of_event(event) for event in page["events"] if event["seq"] <= up_to)
    return [message for message in found if message is not None]
