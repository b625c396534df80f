"""The real daemon as a process that also counts its SQL statements.

`python counting_daemon.py COUNT`, with TORYO_HOME set: COUNT has the number after each commit.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from toryo import settings
from toryo.daemon import process
from toryo.daemon.tools.table import table
from toryo.store.database.engine import Committed, Store


class Counting:
    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        self._number = 0

    def connected(self, connection: Any, _record: object) -> None:
        connection.set_trace_callback(self._statement)

    def committed(self, _: Committed) -> None:
        os.pwrite(self._file, f"{self._number:012}".encode(), 0)

    def _statement(self, _: str) -> None:
        self._number += 1


class Watched(Store):
    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        self.listen(COUNTING.committed)


if __name__ == "__main__":
    COUNTING = Counting(sys.argv[1])
    event.listen(Engine, "connect", COUNTING.connected)
    process.Store = Watched  # type: ignore[misc]
    sys.exit(process.run_daemon(settings.home(), foreground=False, tools=table()))
