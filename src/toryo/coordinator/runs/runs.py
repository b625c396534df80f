"""Run supervision: our agents are started once, watched by their records, their ends reported at once.
After a restart, too.

How a client is called is left to `launching`; what an exit means, to the daemon.
"""

from __future__ import annotations

import json
import logging
import math
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from toryo import disks, processes
from toryo.coordinator.runs.client_records import Records, Whose
from toryo.coordinator.runs.launch import CREDENTIAL
from toryo.coordinator.runs.run_events import RunEvents
from toryo.domain.words import OrderKind
from toryo.files import write_whole
from toryo.place.journal import Journal, Outcome
from toryo.place.logs import AGENTS
from toryo.place.reporter import Reporter
from toryo.protocol.kinds.run import Exited, RunInputs
from toryo.protocol.order import Order
from toryo.steps import step
from toryo.workbench.runs import launch, records
from toryo.workbench.runs.launch import LaunchSpec
from toryo.workbench.runs.records import ExitRecord, Kind, RunState, StartRecord
from toryo.workbench.runs.spares import Spares
from toryo.workbench.runs.stop import stop
from toryo.workbench.runs.watch import Watcher

log = logging.getLogger(__name__)
agents = logging.getLogger(AGENTS)

NOTE, PARKED = "order.json", "parked"
_STARTS = 3
"""Shims that may die before they let the agent go, until the run counts as one that could not start."""
_START_WITHIN_S = 30.0
_RETRY_S = 1.0


@dataclass(frozen=True)
class Note:
    """Kept in the run's directory: whose run it is, for a process that finds it after a restart."""

    order: str
    generation: int
    log: str
    client: str = ""
    model: str = ""
    used: dict[str, Any] | None = None
    """What the conversation that this run goes on with had used before."""

    @property
    def whose(self) -> Whose:
        return Whose(self.client, self.log, self.model, self.used)


class Runs:
    def __init__(
        self,
        folder: Path,
        reporter: Reporter,
        journal: Journal,
        records: Records,
        events: RunEvents,
        spares: Spares | None = None,
    ) -> None:
        self.folder = folder
        self._records = records
        self._events = events
        self._spares = spares
        self._notes: dict[str, Note] = {}
        self._reporter = reporter
        self._journal = journal
        self._lock = threading.Lock()
        self._live: set[str] = set()
        self._announced: set[str] = set()
        self._starts: dict[str, int] = {}
        self._in_time_until: dict[str, float] = {}
        self._closed = False
        self._watcher = Watcher(self._ended, self._end_rest)

    def close(self) -> None:
        """Stop watching; the agents go on."""
        self._closed = True
        self._watcher.close()
        if self._spares is not None:
            self._spares.close()

    def live(self) -> frozenset[str]:
        """Runs of which something may still be writing."""
        with self._lock:
            return frozenset(self._live)

    def directory(self, run: str) -> Path:
        return self.folder / run

    def note(self, run: str) -> Note | None:
        known = self._notes.get(run)
        if known is not None:
            return known
        try:
            return Note(**json.loads((self.directory(run) / NOTE).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def attach(self) -> None:
        """Watch every run that was started before us and whose end was not told."""
        for note_path in sorted(self.folder.glob(f"*/{NOTE}")):
            run = note_path.parent.name
            if launch.is_settled(note_path.parent):
                continue
            note = self.note(run)
            if note is None:
                continue
            if self._is_told(note.order):
                self._put_away(run)
                continue
            if self.may_have_begun(run):
                self._watch(run)

    def start(self, order: Order, inputs: RunInputs, spec: Callable[[Path, str], LaunchSpec]) -> None:
        """Launch once, or attach to what was launched before. `spec` gets directory and old log."""
        run = inputs.run
        place = launch.reserve(self.folder, run, order.generation)
        known = self.note(run)
        if not place.may_start:
            if known is None:
                self._write_note(place.path, Note(order.id, order.generation, ""))
            self._watch(run)
            return
        wanted = spec(place.path, known.log if known else "")
        self._write_note(place.path, _note(order, inputs, wanted))
        listener: socket.socket | None = None
        try:
            listener = launch.launch(place.path, wanted, self._spares)
        except OSError as failed:
            disks.insist_on_space(failed, place.path)  # nobody was started: it is tried again
            # whether the shim came to life is unknown; with the request in its way it never lets the agent go
            stop(place.path)
            if not self.may_have_begun(run):
                raise
        agents.info("Agent begins", extra={"run": run, "agent": inputs.agent, "client": inputs.client})
        self._started(inputs, wanted, listener)

    def _started(self, inputs: RunInputs, spec: LaunchSpec, listener: socket.socket | None) -> None:
        run = inputs.run
        self._in_time_until[run] = math.inf if spec.limit_s is None else time.monotonic() + spec.limit_s
        self._watch(run, None if listener is None else listener.detach())
        self._events.started(run)
        self._records.expect(inputs.client)

    def end_overdue(self) -> None:
        """A run that lost its shim has lost its clock too: past its limit we end what is left of it."""
        now = time.monotonic()
        processes.reap()
        for run in self.live():
            run_dir = self.directory(run)
            if now < self._in_time_until.get(run, 0.0):
                continue  # its files need no look: beside fifty agents that would be half of our idle time
            if records.state(run_dir).kind is Kind.ORPHANED and records.overdue(run_dir, now):
                log.warning("An orphaned run reached its time limit", extra={"run": run})
                self._stop_beside(run)

    def _end_rest(self, run: str) -> None:
        """Its agent is gone, and the shim that would end what the agent left behind is, too (ADR 19)."""
        log.warning("What is left of a run without shim and agent is ended", extra={"run": run})
        self._stop_beside(run)

    def _stop_beside(self, run: str) -> None:
        """In a thread of its own: it waits for their ends."""
        threading.Thread(target=stop, args=(self.directory(run),), name=f"end {run}", daemon=True).start()

    def park_waiting(self) -> None:
        """A CLI that waits for its service in silence is stopped: its account is what waits, not its slot."""
        for run in self.live():
            note = self.note(run)
            if note is None or not note.client or not self._records.waits(note.whose):
                continue
            log.warning("The client waits for its service: the run is parked", extra={"run": run})
            write_whole(self.directory(run) / PARKED, b"")
            stop(self.directory(run))

    def _write_note(self, run_dir: Path, note: Note) -> None:
        # not synced: the order itself says the same after a power cut
        write_whole(run_dir / NOTE, json.dumps(asdict(note)).encode())
        self._notes[run_dir.name] = note

    def may_have_begun(self, run: str) -> bool:
        return records.state(self.directory(run)).kind not in (Kind.ABSENT, Kind.RESERVED)

    def tell_started(self, order: Order, run: str) -> None:
        """Once the record is there; a run that ended meanwhile has told more than that."""
        record = self.wait_started(run, _START_WITHIN_S)
        if record is None:
            return
        beginning = self._beginning(run, record)
        try:
            self._reporter.report_records(beginning, order=order.id, generation=order.generation)
        except OSError:
            self._not_told(run, beginning)
            raise

    def wait_started(self, run: str, within_s: float) -> StartRecord | None:
        end = time.monotonic() + within_s
        pause = 0.003
        while (record := records.read_started(self.directory(run))) is None:
            if time.monotonic() > end or run not in self.live():
                return None
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
        return record

    def _watch(self, run: str, listener: int | None = None) -> None:
        with self._lock:
            self._live.add(run)
        self._watcher.add(run, self.directory(run), listener)

    def _ended(self, run: str, state: RunState) -> None:
        """In the watcher's thread: nothing stands between the exit and its report."""
        note = self.note(run)
        if state.exited is not None and note is not None and self._records.reader(note.client) is not None:
            # its whole log is read first, which must not hold up the ends of other runs
            work = threading.Thread(target=self._end, args=(run, state, note), name=f"end {run}", daemon=True)
            work.start()
        else:
            self._end(run, state, note)

    def _end(self, run: str, state: RunState, note: Note | None) -> None:
        told = self._told(run, state, note)
        if note is None or told is None:
            self._leave(run)
            if note is None:
                log.error("A run ended whose order is unknown", extra={"run": run, "state": state.kind})
            else:
                self._events.unstarted(note.order)
            return
        kind, plain = told
        beginning = self._beginning(run, state.started)
        step("exit.before")
        try:
            self._reporter.report_records(
                [*beginning, (kind, plain)], order=note.order, generation=note.generation
            )
        except OSError as unwritten:
            log.warning(
                "The end of a run waits: it cannot be written down",
                extra={"run": run, "reason": str(unwritten)[:500]},
            )
            self._not_told(run, beginning)
            self._look_later(run)
            return
        step("exit.reported")
        self._leave(run)
        log.info("Run ended", extra={"run": run, "end": kind})
        agents.info("Agent ended", extra={"run": run, "end": kind, "exit_code": plain.get("exit_code")})
        order = Order(id=note.order, kind=OrderKind.RUN, key=run, run=run, generation=note.generation)
        self._events.ended(run, order, Outcome(kind, plain))
        self._put_away(run)

    def _put_away(self, run: str) -> None:
        """What only a living run needs: its environment and its credential. Records and logs stay."""
        run_dir = self.directory(run)
        try:
            launch.settle(run_dir)
            (run_dir / CREDENTIAL).unlink(missing_ok=True)
        except OSError as failed:  # the next start tries again
            log.warning("Run not put away", extra={"run": run, "reason": str(failed)[:500]})

    def _beginning(self, run: str, record: StartRecord | None) -> list[tuple[str, dict[str, Any]]]:
        """The fact `started`, once: from the launcher or from the end of a short run, whichever is first."""
        with self._lock:
            if run in self._announced:
                return []
        record = record or records.read_started(self.directory(run))
        with self._lock:
            if record is None or run in self._announced:
                return []
            self._announced.add(run)
        note = self.note(run)
        return [("started", record.fact(note.log if note else "").model_dump(mode="json"))]

    def _not_told(self, run: str, beginning: list[tuple[str, dict[str, Any]]]) -> None:
        if beginning:
            with self._lock:
                self._announced.discard(run)

    def _look_later(self, run: str) -> None:
        timer = threading.Timer(_RETRY_S, lambda: None if self._closed else self._watch(run))
        timer.daemon = True
        timer.start()

    def _leave(self, run: str) -> None:
        with self._lock:
            self._live.discard(run)
            self._in_time_until.pop(run, None)
            self._notes.pop(run, None)

    def _told(self, run: str, state: RunState, note: Note | None) -> tuple[str, dict[str, Any]] | None:
        """The fact and its body; None while another start may help."""
        if state.exited is not None:
            return "exited", self._exit_fact(run, state.exited, note)
        if state.kind is Kind.LOST:
            return "lost", state.lost_fact().model_dump(mode="json")
        if not disks.says_full(state.reason) and not disks.is_full(self.directory(run)):
            self._starts[run] = self._starts.get(run, 0) + 1
        if self._starts.get(run, 0) < _STARTS:
            return None
        reason = state.reason or "the shim died before it let the agent go"
        return "exited", Exited(exit_code=None, could_not_start=reason).model_dump(mode="json")

    def _exit_fact(self, run: str, exited: ExitRecord, note: Note | None) -> dict[str, Any]:
        fact = exited.fact()
        if (exited.exit_code != 0 or exited.signal) and self._has_no_room(run, note):
            fact["disk_full"] = True
        said = self._records.said(note.whose, self.directory(run)) if note is not None else None
        if said is None or exited.could_not_start:
            return fact
        parked = (self.directory(run) / PARKED).exists()  # by us: no person stopped it
        return {**fact, "said": said.model_dump(mode="json"), "stopped": exited.stopped and not parked}

    def _has_no_room(self, run: str, note: Note | None) -> bool:
        """Whether the disk of its worktree, or of its directory, is full now."""
        logged = Path(note.log) if note is not None and note.log else self.directory(run)
        return disks.is_full(logged) or disks.is_full(self.directory(run))

    def _is_told(self, order: str) -> bool:
        try:
            entry = self._journal.find(order)
        except OSError:
            return False  # told twice is harmless
        return entry is not None and entry.outcome is not None


def _note(order: Order, inputs: RunInputs, spec: LaunchSpec) -> Note:
    used = inputs.used.model_dump() if inputs.used else None
    return Note(order.id, order.generation, str(spec.log), inputs.client, inputs.model, used)
