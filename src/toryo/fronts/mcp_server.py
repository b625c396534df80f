"""Stdio MCP server of an outside AI: the bridge with the orchestrator's key, and a time limit on each call.

Starts a daemon that was killed; one that a person took down stays down, and the call says so. What the tools
do, and which there are, is left to the daemon.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from typing import TYPE_CHECKING

from toryo.domain.errors import Refused, ToryoError
from toryo.fronts.bridge import Asked, Bridge, to_line
from toryo.fronts.processes.reach import operator_key
from toryo.fronts.processes.started import daemon_was_killed
from toryo.protocol.orchestrator import ANSWER_WITHIN_S, LONGEST_WAIT_S, key_from

if TYPE_CHECKING:
    from toryo.settings import Home

ON_ITS_WAY_S = 4.0
"""Of a call's time: for what is not waiting."""
TAKEN_BY_ALL_S = 30.0
"""A wait that every tool with one takes."""
READS = ("get_", "list_", "read_", "wait_", "why", "doctor", "worker_prompt", "health_check")
"""Tools (or beginnings of their names) that change nothing."""
MARK = b"TORYO_RUN="


class OrchestratorBridge(Bridge):
    """Every call is answered within a time, whatever the daemon does."""

    repeatable = READS

    def __init__(self, home: Home, key: str, *, answer_within_s: float = ANSWER_WITHIN_S) -> None:
        super().__init__(home.address(), key)
        self._home = home
        self._answer_within_s = answer_within_s
        self._starter: threading.Thread | None = None

    def _connect(self) -> None:
        super()._connect()
        if self._channel is None and self._queue and daemon_was_killed(self._home):
            self._start_daemon()

    def _start_daemon(self) -> None:
        """Beside the loop, which goes on hearing the CLI meanwhile."""
        if self._starter is None or not self._starter.is_alive():
            self._starter = threading.Thread(target=_bring_up, args=(self._home,), daemon=True)
            self._starter.start()

    def _push(self) -> None:
        now = time.monotonic()
        for asked in self._queue:
            shorten_wait(asked, self._answer_within_s - ON_ITS_WAY_S - (now - asked.at))
        super()._push()

    def _tend(self) -> None:
        self._answer_late_ones()
        super()._tend()

    def _answer_late_ones(self) -> None:
        now = time.monotonic()
        late = [one for one in self._calls() if now - one.at >= self._answer_within_s]
        for asked in late:
            error = (
                f"Toryo has not answered within {self._answer_within_s:g} s; it may have been done or not."
            )
            self._out += asked.failure(error, "Look whether it was done; if not, call again.")
            if asked.number is None or asked.number not in self._open:
                continue
            del self._open[asked.number]
            if self._channel is not None:
                told = {"method": "notifications/cancelled", "params": {"requestId": asked.number}}
                self._unsent += to_line({"jsonrpc": "2.0", **told})
        self._queue = [one for one in self._queue if one not in late]

    def _calls(self) -> list[Asked]:
        """Unanswered ones, wherever they are."""
        return [one for one in (*self._open.values(), *self._queue) if one.number is not None]

    def _patience_ms(self) -> float | None:
        own = super()._patience_ms()
        calls = self._calls()
        if not calls:
            return own
        due = min(one.at for one in calls) + self._answer_within_s
        left = max(0.0, (due - time.monotonic()) * 1000) + 1
        return left if own is None else min(own, left)

    def _hear(self, line: bytes, answer: object) -> None:
        """An answer that comes after the failure that we gave instead is nobody's."""
        said = answer if isinstance(answer, dict) else {}
        number = said.get("id")
        is_answer = isinstance(number, str | int) and "method" not in said
        if not is_answer or self._is_greeting or number in self._open:
            super()._hear(line, answer)


def shorten_wait(asked: Asked, left_s: float) -> None:
    """Of a tool that waits for a change: no longer than is left of the call's time."""
    name, given = str(asked.params.get("name")), asked.params.get("arguments") or {}
    if asked.method != "tools/call" or not isinstance(given, dict):
        return
    waits = name.startswith("wait_")
    field = "timeout_s" if waits else "wait_s"
    wanted = given.get(field, LONGEST_WAIT_S if waits else 0)
    if isinstance(wanted, int | float) and wanted > left_s:
        rest = max(0.0, min(left_s, TAKEN_BY_ALL_S))
        asked.message["params"] = {**asked.params, "arguments": {**given, field: rest}}
        asked.line = to_line(asked.message)


def _bring_up(home: Home) -> None:
    from toryo.fronts.processes.start import bring_up

    try:
        bring_up(home)
    except (ToryoError, OSError):
        return  # whoever asked is told that the daemon is away, and how a person starts it


def refuse_inside_a_run() -> None:
    """Some agent CLIs give an MCP server a clean environment: then it is the one around it that tells."""
    run = run_around(os.getppid())
    if run:
        raise Refused(
            f"This is inside the run {run}: only a person's own AI may direct the work, outside of it.",
            hint="Finish your task; what you want done belongs into your report.",
        )


def run_around(pid: int) -> str:
    """The run that a process, or one that started it, belongs to; empty: none, or nothing tells."""
    while pid > 1:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                found = [one for one in file.read().split(b"\0") if one.startswith(MARK)]
            if found:
                return found[0].removeprefix(MARK).decode("utf-8", "replace")
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return ""
    return ""


def serve_stdio(home: Home) -> int:
    """Until the AI closes our stdin; the exit code."""
    gc.enable()  # it stays as long as the AI's session
    was_blocking = os.get_blocking(1)
    os.set_blocking(1, False)  # an AI that does not read must not keep us from hearing it
    try:
        OrchestratorBridge(home, key_from(operator_key(home))).run()
    finally:
        os.set_blocking(1, was_blocking)
    return 0
