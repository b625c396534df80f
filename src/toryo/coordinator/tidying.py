"""Hourly cleanup beside the loop: worktrees that have lain long enough in the trash, refs that have done
their work.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable

from toryo.coordinator.daemon_calls import Project
from toryo.domain.errors import ToryoError
from toryo.processes import TimeLimit
from toryo.workbench.git.landing import ref_cleanup
from toryo.workbench.git.trash import retire

log = logging.getLogger(__name__)

EVERY_S = 3600.0


class Trash:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._emptied = clock() - EVERY_S
        self._at_work: threading.Thread | None = None

    def empty(self, projects: Iterable[Project]) -> None:
        """In a thread of its own: deleting a large worktree takes seconds, and a claim must not wait."""
        now = self._clock()
        if now - self._emptied < EVERY_S or (self._at_work is not None and self._at_work.is_alive()):
            return
        self._emptied = now
        directories = [project.directory for project in projects]
        self._at_work = threading.Thread(target=_empty, args=(directories,), name="trash", daemon=True)
        self._at_work.start()


def _empty(directories: Iterable[str]) -> None:
    for directory in directories:
        try:
            gone = retire.empty_trash(directory)
            refs = ref_cleanup.thin(directory)
        except (OSError, ToryoError, TimeLimit) as failed:
            log.debug("Trash not emptied", extra={"directory": directory, "reason": str(failed)[:500]})
            continue
        except Exception:  # a thread's outermost edge: one repository must not keep the others' trash
            log.exception("Trash not emptied", extra={"directory": directory})
            continue
        if gone or refs:
            log.info("Trash emptied", extra={"directory": directory, "worktrees": gone, "refs": refs})
