"""The real daemon as a process, with one listener more: it notes when each event was committed.

`python watched_daemon.py JOURNAL`, with TORYO_HOME set. An event's own time is its transaction's beginning,
which would flatter every figure that ends with "committed"; and what the daemon does with the news comes
after the commit, so this listener is the first.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from toryo import settings
from toryo.daemon import process
from toryo.daemon.tools.table import table
from toryo.store.database.engine import Committed, Store


class Noting:
    def __init__(self, journal: str) -> None:
        self._journal = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def committed(self, committed: Committed) -> None:
        now = time.time()
        lines = [
            json.dumps(
                {"at": now, "kind": one.kind, "task": one.task, "run": one.run, "body": dict(one.body)}
            )
            for one in committed.events
        ]
        if lines:
            os.write(self._journal, ("\n".join(lines) + "\n").encode())


class Watched(Store):
    """Listened to before anybody else can."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        self.listen(Noting(sys.argv[1]).committed)


if __name__ == "__main__":
    process.Store = Watched  # type: ignore[misc]
    sys.exit(
        process.run_daemon(
            settings.home(),
            foreground=False,
            tools=table(),
        )
    )
