"""Line reader of a connection: how long a line may be, and how long it may take to arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from toryo.protocol.wire import LONGEST_LINE

CHUNK = 65536
LINE_S = 60.0
"""From the first byte of a line to its last one."""


class LineTooLong(Exception):
    """No newline within the longest line."""


class LineTooSlow(Exception):
    """A line was begun and not finished in time, or its room was needed."""


class LineUnfinished(Exception):
    """The other side ended in the middle of a line."""


class Lines:
    """What came in and was not taken yet; `hold` is told of every change of it, in bytes."""

    def __init__(self, reader: asyncio.StreamReader, hold: Callable[[int], None]) -> None:
        self.begun_at = 0.0
        """When the line that is unfinished now began, by the loop's clock."""
        self._reader = reader
        self._hold = hold
        self._kept = bytearray()
        self._searched = 0
        self._deadline: asyncio.Timeout | None = None

    @property
    def held(self) -> int:
        return len(self._kept)

    async def next(self) -> bytes:
        """The next line with its newline; `IncompleteReadError` at the end, `LineUnfinished` within one."""
        while (end := self._kept.find(b"\n", self._searched)) < 0:
            self._searched = len(self._kept)
            if self._searched >= LONGEST_LINE:
                self._forget()
                raise LineTooLong
            await self._read_more()
        if end >= LONGEST_LINE:
            self._forget()
            raise LineTooLong
        line = bytes(self._kept[: end + 1])
        del self._kept[: end + 1]
        self._searched = 0
        self.begun_at = asyncio.get_running_loop().time() if self._kept else 0.0
        self._hold(-len(line))
        return line

    def give_up(self) -> None:
        """The unfinished line is too slow from now on."""
        deadline, self._deadline = self._deadline, None  # it can be moved once only
        if deadline is not None:
            deadline.reschedule(0)

    async def _read_more(self) -> None:
        if not self._kept:
            part = await self._reader.read(CHUNK)
            self.begun_at = asyncio.get_running_loop().time()
        else:
            try:
                async with asyncio.timeout_at(self.begun_at + LINE_S) as self._deadline:
                    part = await self._reader.read(CHUNK)
            except TimeoutError:
                self._forget()
                raise LineTooSlow from None
            finally:
                self._deadline = None
        if not part:
            begun = bool(self._kept.strip())
            self._forget()
            raise LineUnfinished if begun else asyncio.IncompleteReadError(b"", None)
        self._kept += part
        self._hold(len(part))

    def _forget(self) -> None:
        held = len(self._kept)
        self._kept.clear()
        self._searched = 0
        self._hold(-held)
