"""CLI as the model: an installed agent CLI is asked once a call, without tools, in an empty directory.

For people with a subscription and no key. The prompt goes to its standard input, never into its arguments.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from toryo import clock, processes
from toryo.domain.advice import INSTALL
from toryo.planner.models import claude, codex
from toryo.planner.models.model import ModelRefused, Outage, Reply, Request, Usage, UsageLimit, Voice
from toryo.protocol.kinds.run import Said

LONGEST_S = 900.0
OURS = re.compile(r"TORYO_")
CUT = re.compile(r"output token maximum|max_output_tokens|maximum output length", re.IGNORECASE)
"""Words by which a CLI says that the answer came to its longest."""


@dataclass(frozen=True)
class Talk:
    """How one CLI is asked."""

    argv: Callable[[str, str], tuple[str, ...]]
    """From its program and the model's name; the prompt is on standard input."""
    env: Mapping[str, str]
    """Unless the person set them otherwise."""
    read: Callable[[Iterable[str], datetime], Said]
    words: Callable[[Iterable[str]], tuple[str, bool]]
    """The whole answer, and whether it was cut."""


TALKS: dict[str, Talk] = {
    "claude": Talk(claude.argv, claude.ENV, claude.read, claude.words),
    "codex": Talk(codex.argv, {}, codex.read, codex.words),
}


class CliModel:
    def __init__(
        self,
        client: str,
        model: str = "",
        *,
        env: Mapping[str, str],
        program: str = "",
        limit_s: float = LONGEST_S,
    ) -> None:
        if client not in TALKS:
            known = ", ".join(TALKS)
            raise ModelRefused(f"{client} cannot be asked as a model.", hint=f"Known: {known}.")
        self.via = client
        self._model, self._program, self._limit_s = model, program or client, limit_s
        self._env = {name: value for name, value in env.items() if not OURS.match(name)}
        self._lock = threading.Lock()
        self._running: set[processes.Running] = set()
        self._closed = False

    def ask(self, request: Request) -> Reply:
        talk = TALKS[self.via]
        program = shutil.which(self._program, path=self._env.get("PATH"))
        if program is None:
            install = INSTALL.get(self.via, "")
            raise ModelRefused(f"{self._program} is not on PATH.", hint=f"Install it: {install}")
        with tempfile.TemporaryDirectory(prefix="toryo-model-") as folder:
            done = self._run(talk.argv(program, self._model), talk.env, prompt(request), folder)
        lines = done.text.splitlines()
        text, cut = talk.words(lines)
        return self._reply(talk.read(lines, datetime.fromtimestamp(clock.wall(), UTC)), text, cut, done)

    def close(self) -> None:
        """A program that still thinks is ended, with everything it started."""
        with self._lock:
            self._closed = True
            for one in self._running:
                one.kill()

    def _run(
        self, argv: tuple[str, ...], more: Mapping[str, str], told: str, folder: str
    ) -> processes.Finished:
        with self._lock:
            if self._closed:
                raise Outage(f"{self.via}: the planner is leaving.")
            one = processes.Running(argv, folder, {**more, **self._env}, told.encode(), own_session=True)
            self._running.add(one)
        try:
            return one.finish(self._limit_s)
        except processes.TimeLimit as late:
            raise Outage(f"{self.via}: {late}") from None
        finally:
            with self._lock:
                self._running.discard(one)

    def _reply(self, said: Said, text: str, cut: bool, done: processes.Finished) -> Reply:
        used = said.usage
        cost = used.cost_usd if used else None
        usage = Usage(
            1,
            (used.input_tokens if used else None) or 0,
            (used.output_tokens if used else None) or 0,
            cost,
            "unknown" if cost is None else "observed",
        )
        if said.result != "success" and CUT.search(said.message):
            return Reply(text, usage, said.model or self._model, cut=True)
        if said.result == "success":
            return Reply(text, usage, said.model or self._model, cut)
        message = f"{self.via}: {said.message or done.complaint[-400:] or 'it ended without a word'}"
        if said.limited is not None and said.limited.why == "usage_limit":
            raise UsageLimit(message, until=said.limited.resets_at)
        if said.limited is not None or done.code < 0:  # a signal is nobody's refusal
            raise Outage(message)
        if said.error == "login":
            raise ModelRefused(message, hint=f"Log in: start `{self.via}` once, then `toryo planner check`.")
        raise ModelRefused(message)


def prompt(request: Request) -> str:
    """All in one text: a CLI is asked in one process, which knows nothing of the one before."""
    parts = [f"Toryo purpose: {request.purpose}", request.instructions]
    for turn in request.turns:
        parts.append(f"# What you answered\n\n{turn.text}" if turn.voice is Voice.MODEL else turn.text)
    return "\n\n".join(part for part in parts if part.strip()) + "\n"
