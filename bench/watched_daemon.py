"""The real daemon as a process, with one listener more: it notes when each event was committed.

`python watched_daemon.py JOURNAL`, with TORYO_HOME set. An event's own time is its transaction's beginning,
which would flatter every figure that ends with "committed".
"""

from __future__ import annotations

import json
import os
import sys
import time

from toryo import settings
from toryo.daemon.mcp.tools import table
from toryo.daemon.process import run_daemon
from toryo.store.engine import Committed
from toryo.usecases import drain
from toryo.usecases.context import HeadContext


class Noting:
    def __init__(self, journal: str) -> None:
        self._journal = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._listens = False

    def drain(self, context: HeadContext) -> bool | None:
        """The head drains once before it serves anybody: the moment to begin listening."""
        if not self._listens:
            self._listens = True
            context.store.listen(self._committed)
        return drain.drain(context)

    def _committed(self, committed: Committed) -> None:
        now = time.time()
        lines = [
            json.dumps(
                {"at": now, "kind": one.kind, "task": one.task, "run": one.run, "body": dict(one.body)}
            )
            for one in committed.events
        ]
        if lines:
            os.write(self._journal, ("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    noting = Noting(sys.argv[1])
    sys.exit(
        run_daemon(
            settings.home(),
            foreground=False,
            tools=table(),
            drain=noting.drain,
            extend_deadlines=drain.extend_deadlines,
        )
    )
