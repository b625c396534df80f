"""Events of a daemon that is scripted: as many as wanted, answered by long polls as the real one does."""

from __future__ import annotations

import threading
from typing import Any

NOTHING: dict[str, Any] = {"needs_you": [], "needs_you_counts": {}}


class Store:
    """Events of a daemon, which answers long polls as the real one does."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.newest = 7
        self.is_closed = False

    def add(self, count: int) -> None:
        with self.changed:
            self.newest += count
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()

    def page(self, asked: dict[str, Any]) -> dict[str, Any]:
        after = self.newest if asked.get("last") else int(asked["after"])
        with self.changed:
            self.changed.wait_for(lambda: self.newest > after or self.is_closed, asked.get("wait_s", 0))
            last = min(self.newest, after + int(asked.get("limit", 1)))
            events = [event(seq) for seq in range(after + 1, last + 1)]
            return {"events": events, "next_after": max(last, after), "newest": self.newest, "resync": False}


def event(seq: int) -> dict[str, Any]:
    body = {"status": "running", "reason": "", "detail": f"step {seq}"}
    return {"seq": seq, "at": None, "kind": "task_status", "subject": "task:t1", "task": "t1", "body": body}
