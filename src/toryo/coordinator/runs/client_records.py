"""Client records of our runs: read from the logs of agent CLIs, with their versions and silences.

How a record reads is left to each client; what it means, to the daemon.
"""

from __future__ import annotations

import logging
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toryo import processes, settings
from toryo.coordinator.config import Config
from toryo.coordinator.runs.printed_words import last_printed
from toryo.coordinator.runs.readable_logs import Lines, readable, tail_offset
from toryo.domain.errors import ToryoError
from toryo.processes import TimeLimit
from toryo.protocol.kinds.run import Said, Usage
from toryo.workbench.clients import registry
from toryo.workbench.clients.calls import AgentCli, Client
from toryo.workbench.terminals import spool

log = logging.getLogger(__name__)

_VERSION = re.compile(r"\d+\.\d+[0-9A-Za-z.+-]*")
_VERSION_LIMIT_S = 30.0
LONGEST_TAIL = 65_536
LONGEST_TOLD = 300
"""Characters of a line that is told of a run that lives."""
_TOLD_WITHIN_S = 5.0
"""So long the end of a run waits for a version that is still being asked for."""


@dataclass(frozen=True)
class Whose:
    """What must be known of a run to read its record."""

    client: str
    log: str
    model: str = ""
    """The one that was asked for: not every record names it."""
    used: Mapping[str, Any] | None = None
    """What the conversation had used before this run, where it goes on with one."""


@dataclass
class Records:
    config: Config
    definitions: Path
    """Where the user's own clients are defined."""
    _sights: dict[str, tuple[float, tuple[int, int]]] = field(default_factory=dict)
    """Log → since when it has looked like that."""
    _versions: dict[tuple[str, float], str] = field(default_factory=dict)
    _asking: dict[str, threading.Event] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, name: str) -> Client:
        return registry.client(name, self.definitions)

    def reader(self, name: str) -> AgentCli | None:
        """None: a program without a record of its own."""
        try:
            found = self.client(name)
        except ToryoError:
            return None
        return found if registry.has_record(found) else None

    def said(self, whose: Whose, run_dir: Path) -> Said | None:
        """None: its client keeps no record, and it printed nothing."""
        reader = self.reader(whose.client)
        if reader is None:
            words = "" if spool.read_screen(run_dir) else last_printed(Path(whose.log))
            return Said(result="success", words=words) if words else None
        said = self._read(reader, whose, run_dir)
        usage = said.usage
        if usage is not None and whose.used and reader.usage_counts == "conversation":
            usage = usage_since(usage, Usage.model_validate(whose.used))
        version = said.client_version or self._version_told(reader)
        known = {"client_version": version, "usage": usage, "model": said.model or whose.model}
        return said.model_copy(update=known)

    def _read(self, reader: AgentCli, whose: Whose, run_dir: Path) -> Said:
        screen = spool.read_screen(run_dir)
        on_screen = screen is not None and screen.style == "interactive"
        # what was drawn on a screen is no record; the CLI's own hook writes one, or the marker stands in
        path = Path(screen.done_file) if screen is not None and on_screen else Path(whose.log)
        try:
            said = reader.read(_lines(path), datetime.fromtimestamp(path.stat().st_mtime, UTC))
        except OSError:
            said = Said()
        except Exception:  # the edge to foreign text: what we cannot read must not cost the run's end
            log.exception("The record of a run cannot be read", extra={"client": whose.client})
            said = Said()
        done = any(signal.source in ("hook", "marker") for signal in spool.signals(run_dir))
        if on_screen and said.result == "none" and done:
            return said.model_copy(update={"result": "success"})
        return said

    def last_line(self, whose: Whose, run_dir: Path) -> str:
        """What it printed last, as people read it; empty for a screen, on which nothing is the last."""
        screen = spool.read_screen(run_dir)
        if screen is not None and screen.style == "interactive":
            return ""
        path, reader = Path(whose.log), self.reader(whose.client)
        try:
            if reader is None:
                text = last_printed(path)
            else:
                how = Lines(reader.shown)
                text = readable(path, tail_offset(path, 1, how), LONGEST_TAIL, False, how).text
        except OSError:
            return ""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1][:LONGEST_TOLD] if lines else ""

    def waits(self, whose: Whose) -> bool:
        """Whether a CLI that has been silent says in its log that it waits for the service."""
        reader = self.reader(whose.client)
        path = Path(whose.log)
        try:
            if reader is None or self._silent_s(path) < self.config.silent_after:
                return False
            said = reader.read(_lines(path), None)
        except OSError:
            return False
        return said.limited is not None and said.result == "none"

    def _silent_s(self, path: Path) -> float:
        """How long we have seen the file unchanged; its own time would be by a clock that may be set."""
        found, now = path.stat(), time.monotonic()
        sight = (found.st_size, found.st_mtime_ns)
        since, before = self._sights.get(str(path), (now, sight))
        if sight != before:
            since = now
        self._sights[str(path)] = (since, sight)
        return now - since

    def expect(self, name: str) -> None:
        """A run of this client begins: its version is asked for beside it."""
        reader = self.reader(name)
        if reader is not None:
            threading.Thread(target=self.version, args=(reader,), name=f"version {name}", daemon=True).start()

    def version(self, reader: AgentCli) -> str:
        """As its program prints it; asked once for each state of the program."""
        program = self._program(reader)
        if program is None:
            return ""
        key = (str(program), program.stat().st_mtime)
        with self._lock:
            asking = self._asking.get(reader.name)
            if key in self._versions:
                return self._versions[key]
            mine = asking is None
            if asking is None:
                asking = self._asking[reader.name] = threading.Event()
        if not mine:
            asking.wait(_VERSION_LIMIT_S)
            return self._versions.get(key, "")
        try:
            self._versions[key] = _ask_version(str(program), reader.versions.argv[1:])
        finally:
            with self._lock:
                self._asking.pop(reader.name, None)
            asking.set()
        return self._versions[key]

    def shown(self, name: str, line: str) -> str | None:
        reader = self.reader(name)
        return line if reader is None else reader.shown(line)

    def listing(self) -> list[dict[str, Any]]:
        """Every known agent CLI, installed or not, and what is wrong with the user's own definitions."""
        rows = []
        found = registry.known_on_path(settings.environment(), self.definitions)
        for one in (registry.client(name, self.definitions) for name in _readable(self.definitions)):
            path = found.get(one.name, "")
            version = self.version(one) if path and registry.has_record(one) else ""
            tested = registry.has_record(one) and version in one.versions.tested
            rows.append({"name": one.name, "path": path, "version": version, "tested": tested, "problem": ""})
        for wrong in registry.mistakes(self.definitions):
            told = {"problem": wrong.message, "hint": wrong.hint}
            rows.append({"name": "defined", "path": "", "version": "", "tested": False, **told})
        return rows

    def _version_told(self, reader: AgentCli) -> str:
        with self._lock:
            asking = self._asking.get(reader.name)
        if asking is not None:
            asking.wait(_TOLD_WITHIN_S)
        program = self._program(reader)
        try:
            return "" if program is None else self._versions.get((str(program), program.stat().st_mtime), "")
        except OSError:
            return ""

    def _program(self, reader: AgentCli) -> Path | None:
        provider = self.config.ai_providers.get(reader.name)
        wanted = (provider.cli_command if provider else "") or reader.program
        found = shutil.which(wanted, path=settings.environment().get("PATH", "")) if wanted else None
        return Path(found).resolve() if found else None


def usage_since(now: Usage, before: Usage) -> Usage:
    """Of a client that counts a whole conversation: what came since."""
    counted = {}
    for name in ("input_tokens", "cached_tokens", "output_tokens", "cost_usd"):
        new, old = getattr(now, name), getattr(before, name)
        counted[name] = new if new is None or old is None else max(0, new - old)
    return now.model_copy(update=counted)


def _readable(definitions: Path) -> list[str]:
    wrong = {name for name in registry.names(definitions) if name not in registry.CLIENTS}
    usable = []
    for name in sorted(wrong):
        try:
            registry.client(name, definitions)
        except ToryoError:
            continue
        usable.append(name)
    return [*(one.name for one in registry.AGENT_CLIS), *usable]


def _lines(path: Path) -> Iterator[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        yield from file


def _ask_version(program: str, words: tuple[str, ...]) -> str:
    try:
        done = processes.run([program, *words], env=settings.environment(), limit_s=_VERSION_LIMIT_S)
    except (OSError, TimeLimit) as failed:
        log.warning("A client did not tell its version", extra={"program": program, "reason": str(failed)})
        return ""
    found = _VERSION.search(done.text)
    return found[0] if found else ""
