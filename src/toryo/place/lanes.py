"""Worker threads: a lane is a queue with a few hands. What is done in it is the caller's."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

Job = Callable[[], None]


class Lane:
    """Daemon threads on purpose: a process that leaves does not wait for a job of five minutes."""

    def __init__(self, name: str, hands: int) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._hands = hands
        for number in range(hands):
            threading.Thread(target=self._work, name=f"{name}-{number}", daemon=True).start()

    def put(self, job: Job) -> None:
        self._jobs.put(job)

    def put_later(self, job: Job, seconds: float) -> None:
        timer = threading.Timer(seconds, self._jobs.put, (job,))
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """Each hand leaves after what it is doing and what was put before."""
        for _ in range(self._hands):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:  # a hand's outermost edge: without it the lane would lose a hand for good
                log.exception("A job failed by a bug")
