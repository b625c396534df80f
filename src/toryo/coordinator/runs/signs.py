"""Signs of life of our runs: what an agent asks a person, its silence, and its last line. Told when they
change, the line at most once a minute.

Facts and no judgement: what is made of them is left to the daemon. What was told last stands in the run's
directory, so that a new coordinator goes on counting.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from toryo.coordinator.runs.client_records import Whose
from toryo.coordinator.runs.runs import Note, Runs
from toryo.files import write_whole
from toryo.place.reporter import Reporter
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.dialogs import asked_now

log = logging.getLogger(__name__)

FILE = "signs.json"
LINE_EVERY_S = 60.0
"""A run that is shorter tells no line at all."""


@dataclass(frozen=True)
class Told:
    n: int = 0
    asks: str = ""
    silent: bool = False
    size: int = -1
    """Of the log, when it was told."""
    line: str = ""


class Signs:
    def __init__(
        self,
        runs: Runs,
        reporter: Reporter,
        silent_after_s: float,
        line_of: Callable[[Whose, Path], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runs = runs
        self._reporter = reporter
        self._silent_after_s = silent_after_s
        self._line_of = line_of
        self._lines: dict[str, tuple[float, int]] = {}
        """Run → when its line was looked at, and how long its log was then."""
        self._clock = clock
        self._lock = threading.Lock()
        self._told: dict[str, Told] = {}
        self._grew: dict[str, tuple[int, float]] = {}
        self._asked: dict[str, tuple[tuple[int, int], str]] = {}

    def look_all(self) -> None:
        live = self._runs.live()
        for run in live:
            self.look(run)
        with self._lock:
            for known in (self._told, self._grew, self._asked, self._lines):
                for run in known.keys() - live:
                    del known[run]

    def look(self, run: str) -> None:
        note = self._runs.note(run)
        if note is None or not note.log or run not in self._runs.live():
            return
        run_dir = self._runs.directory(run)
        with self._lock:
            told = self._told.get(run) or _read(run_dir)
            self._told[run] = told
            asks = self._asks(run, run_dir)
            size, silent_s = self._silence(run, Path(note.log), told)
            silent = silent_s >= self._silent_after_s
            line = self._line(run, note, run_dir, size, told)
            if (asks, silent, line) == (told.asks, told.silent, told.line):
                return
            new = Told(told.n + 1, asks, silent, size, line)
            body = {"n": new.n, "asks": asks, "silent_s": silent_s if silent else None, "line": line}
            try:
                self._reporter.report("signs", body, order=note.order, generation=note.generation)
                write_whole(run_dir / FILE, json.dumps(asdict(new)).encode())
            except OSError as unwritten:  # told again at the next look
                log.warning("A sign waits", extra={"run": run, "reason": str(unwritten)[:500]})
                return
            self._told[run] = new

    def _asks(self, run: str, run_dir: Path) -> str:
        path = spool.asks_file(run_dir)
        if path is None:
            return ""
        try:
            found = path.stat()
        except OSError:
            return ""
        seen = (found.st_size, found.st_mtime_ns)
        known = self._asked.get(run)
        if known is None or known[0] != seen:
            known = self._asked[run] = (seen, asked_now(path))
        return known[1]

    def _line(self, run: str, note: Note, run_dir: Path, size: int, told: Told) -> str:
        """Read anew once a minute where the log grew; else what was told before."""
        now = self._clock()
        looked_at, was = self._lines.setdefault(run, (now, -1))
        if now - looked_at < LINE_EVERY_S or size == was:
            return told.line
        self._lines[run] = (now, size)
        return self._line_of(note.whose, run_dir) or told.line

    def _silence(self, run: str, path: Path, told: Told) -> tuple[int, float]:
        """The log's size, and how long it has been so; by our own clock, since the file's may be set."""
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        now = self._clock()
        known = self._grew.get(run)
        if known is None:
            # one that was told as silent by somebody before us still is
            still = told.silent and told.size == size
            known = self._grew[run] = (size, now - self._silent_after_s if still else now)
        elif known[0] != size:
            known = self._grew[run] = (size, now)
        return size, now - known[1]


def _read(run_dir: Path) -> Told:
    try:
        return Told(**json.loads((run_dir / FILE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return Told()
