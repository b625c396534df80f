"""What a run's directory says about its screen: how it is driven, what was typed, which signals came.

Everything a new process needs to go on where another one was killed. Who types is left to `typist`; when, to
`driver`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from toryo.clock import wall
from toryo.domain.errors import ToryoError

SCREEN, PROMPT, WORDS, SIGNALS, LOCK = "screen.json", "typed.json", "words", "signals.jsonl", "screen.lock"
ASKED = "asked.json"

State = Literal["", "typing", "shown", "taken"]
Source = Literal["hook", "marker", "terminal_lost"]


class ScreenBusy(ToryoError):
    """Somebody else is typing on this screen."""

    way_out = "Say it again when the other one has finished."


@dataclass(frozen=True)
class Screen:
    """How the window of a run is driven. `style` exec: it only shows the log."""

    style: Literal["exec", "interactive"]
    log: str
    ready: tuple[str, ...] = ()
    leave: str = ""
    done_file: str = ""
    prompt_file: str = ""
    prompt_given: bool = False
    """The program has its prompt already: it is only needed to know its echo."""
    tools_file: str = ""
    """Is there once the program knows our tools; empty: it gets none."""
    asks_file: str = ""
    """Written by the program's hooks when it asks a person; empty: it has none for that."""


@dataclass(frozen=True)
class Typed:
    """How far some words got: nowhere, perhaps onto the screen, surely there, or taken by the program."""

    state: State = ""
    at: float = 0.0
    before: int = 0
    """How often they stood on the screen before we typed."""
    below: int = 0
    """Rows under them while they stood in the input."""


@dataclass(frozen=True)
class CompletionSignal:
    """A hint that the agent is done; only its exit record says so (C-13)."""

    source: str
    at: float


def write_screen(run_dir: Path, screen: Screen) -> None:
    _write(run_dir / SCREEN, asdict(screen))


def read_screen(run_dir: Path) -> Screen | None:
    """None: this run has no window."""
    raw = _read(run_dir / SCREEN)
    try:
        return Screen(**{**raw, "ready": tuple(raw["ready"])}) if raw else None
    except (KeyError, TypeError):
        return None


def asks_file(run_dir: Path) -> Path | None:
    screen = read_screen(run_dir)
    return Path(screen.asks_file) if screen is not None and screen.asks_file else None


def typed(path: Path) -> Typed:
    raw = _read(path)
    try:
        return Typed(**raw) if raw else Typed()
    except TypeError:
        return Typed()


def note_typed(path: Path, state: State, before: int = 0, below: int = 0) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    _write(path, asdict(Typed(state, wall(), before, below)))


def note_taken(path: Path) -> None:
    """The time stays that of the paste: the agent may be done before we saw that it took the words, and what
    it says of that is an answer to them."""
    pasted = typed(path).at
    _write(path, asdict(Typed("taken", pasted or wall())))


def prompt_note(run_dir: Path) -> Path:
    return run_dir / PROMPT


def question_note(run_dir: Path) -> Path:
    """Of the one question that is typed after a long silence."""
    return run_dir / ASKED


def words_note(run_dir: Path, message: str) -> Path:
    """Of one message; the id comes from outside, so it is not trusted to be a file's name."""
    return run_dir / WORDS / f"{re.sub(r'[^A-Za-z0-9_-]', '_', message)[:100]}.json"


def words_since(run_dir: Path) -> float:
    """When words were last typed; 0: never."""
    return max((typed(path).at for path in (run_dir / WORDS).glob("*.json")), default=0.0)


def note_signal(run_dir: Path, source: Source) -> None:
    line = json.dumps({"source": source, "at": wall()}) + "\n"
    handle = os.open(run_dir / SIGNALS, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


def signals(run_dir: Path) -> tuple[CompletionSignal, ...]:
    try:
        lines = (run_dir / SIGNALS).read_text().splitlines()
    except OSError:
        return ()
    found = []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):  # torn by a power cut
            raw = json.loads(line)
            found.append(CompletionSignal(str(raw["source"]), float(raw["at"])))
    return tuple(found)


@contextlib.contextmanager
def typing_on(run_dir: Path, wait_s: float) -> Iterator[None]:
    """One typist at a time, across threads and processes: two pastes at once would be one muddle."""
    handle = os.open(run_dir / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        end, pause = time.monotonic() + wait_s, 0.005
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise ScreenBusy from None
                time.sleep(pause)
                pause = min(2 * pause, 0.1)
        yield
    finally:
        os.close(handle)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        raw = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None


def _write(path: Path, value: dict[str, Any]) -> None:
    """Whole or not at all, for us alone."""
    fd, new = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(fd, "w") as file:
        json.dump(value, file)
    Path(new).replace(path)
