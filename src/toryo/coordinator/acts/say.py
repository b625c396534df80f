"""Messages for a running agent: typed on its screen, or put where it takes them. Once per message, and
told only when they were seen or taken.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from pathlib import Path

from toryo.clock import wall
from toryo.coordinator.runs.windows import Windows
from toryo.domain.errors import ToryoError
from toryo.protocol.base import Problem
from toryo.protocol.kinds.say import SayInputs, SayWaiting, Spoken
from toryo.workbench.runs import hearing, records
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.dialogs import asked_now, note_answered
from toryo.workbench.terminals.door import NoWindow
from toryo.workbench.terminals.typist import Typist
from toryo.workbench.terminals.windows import Window

PROMPT_FIRST_S = 20.0
"""Words wait so long for the prompt to be given before them."""
_TYPING_S = 20.0
_AT_ONCE_S, _LOOK_S = 0.02, 0.001
"""An agent that watches its spool is waited for in place; every other one is looked at again later."""

_NUMBER = re.compile(r"[1-9]")
_DIALOG_S, _DIALOG_LOOK_S, _REST_S = 5.0, 0.02, 0.5


class Undecided(ToryoError):
    """The dialog on its screen did not take the answer."""

    way_out = "`toryo attach` shows its screen: answer it there."


def say(inputs: SayInputs, run_dir: Path, windows: Windows, words: Callable[[], str]) -> Spoken | SayWaiting:
    """Safe to repeat: a message that was seen or put down is neither typed nor put down again."""
    screen = spool.read_screen(run_dir)
    if screen is not None and screen.style == "interactive":
        return _type(inputs, run_dir, screen, windows, words)
    if hearing.can_hear(run_dir):
        return _put(inputs, run_dir, words)
    return _not(
        "no_screen",
        f"The agent of {inputs.run} cannot be spoken to: it has its prompt and works alone.",
        f"`toryo run stop {inputs.run}`, `toryo task update`, `toryo task retry`. With"
        " `style: interactive` it could be spoken to while it works.",
    )


def look_again_s(run_dir: Path) -> float:
    """Soon after words were put down, later once a second: a tool call may take its time."""
    with contextlib.suppress(OSError):
        return min(max(wall() - (run_dir / hearing.SAID).stat().st_mtime, 0.05), 1.0)
    return 1.0


def _put(inputs: SayInputs, run_dir: Path, words: Callable[[], str]) -> Spoken | SayWaiting:
    name = hearing.name_of(inputs.number, inputs.message)
    found = hearing.state(run_dir, name)
    if found == "new" and not (run_dir / records.EXIT).exists():
        preface = hearing.PREFACE if inputs.speaker == "person" else ""
        found = hearing.put(run_dir, name, words(), preface)
        end = time.monotonic() + _AT_ONCE_S
        while found == "waiting" and time.monotonic() < end:
            time.sleep(_LOOK_S)
            found = hearing.state(run_dir, name)
    if found == "waiting" and not records.state(run_dir).ended:
        return SayWaiting(reader="hook" if hearing.has_hook(run_dir) else "program")
    # the end first, then the last look: nothing of an ended run can take anything any more
    if hearing.state(run_dir, name) == "heard":
        return Spoken(delivered=True, seen=True)
    return _not(
        "unheard",
        f"{inputs.run} ended before its agent took the words.",
        f"`toryo run show {inputs.run}` has them.",
    )


def _type(
    inputs: SayInputs, run_dir: Path, screen: spool.Screen, windows: Windows, words: Callable[[], str]
) -> Spoken:
    note = spool.words_note(run_dir, inputs.message)
    if spool.typed(note).state == "taken":
        return Spoken(delivered=True, seen=True)
    text = words()
    if not _prompt_first(run_dir, screen):
        return _not(
            "not_ready",
            f"The agent of {inputs.run} has not taken its prompt yet.",
            f"`toryo attach {inputs.run}` shows its screen.",
        )
    try:
        with spool.typing_on(run_dir, _TYPING_S):
            window = windows.screen(inputs.run)
            if _chosen(run_dir, window, text, note):
                return Spoken(delivered=True, seen=True)
            typist = Typist(window, lambda: (run_dir / records.EXIT).exists())
            result = typist.say(text, note)
    except NoWindow:
        return _not("no_window", f"The window of {inputs.run} is gone.", f"`toryo run show {inputs.run}`")
    except ToryoError as failed:
        return _not(
            "not_typed", failed.message, failed.hint or f"`toryo attach {inputs.run}` shows its screen."
        )
    return Spoken(delivered=result.taken, seen=result.arrived or result.taken)


def _chosen(run_dir: Path, window: Window, text: str, note: Path) -> bool:
    """Whether a dialog stood there and the words were the number of one of its entries. Other words decline
    it first: an Enter after them would choose whatever entry is marked."""
    asks = spool.asks_file(run_dir)
    if asks is None or not asked_now(asks):
        return False
    number = _NUMBER.fullmatch(text.strip())
    before = _at_rest(window)
    if number:
        window.letters(number[0])
    else:
        window.keys("Escape")
    end = time.monotonic() + _DIALOG_S
    while window.look() == before:
        if time.monotonic() > end:
            raise Undecided
        time.sleep(_DIALOG_LOOK_S)
    note_answered(asks)
    if number:
        spool.note_typed(note, "taken")
    return bool(number)


def _at_rest(window: Window) -> str:
    """The screen with the dialog on it: its hook tells of it a moment before it is drawn."""
    end, seen, since = time.monotonic() + _DIALOG_S, window.look(), time.monotonic()
    while (now := time.monotonic()) < end and now - since < _REST_S:
        time.sleep(_DIALOG_LOOK_S)
        shown = window.look()
        if shown != seen:
            seen, since = shown, time.monotonic()
    return seen


def _prompt_first(run_dir: Path, screen: spool.Screen) -> bool:
    end, pause = time.monotonic() + PROMPT_FIRST_S, 0.01
    note = spool.prompt_note(run_dir)
    while not screen.prompt_given and spool.typed(note).state != "taken":
        if time.monotonic() > end or records.state(run_dir).ended:  # also one that was lost
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.25)
    return True


def _not(code: str, message: str, hint: str) -> Spoken:
    return Spoken(problem=Problem(code=code, message=message, hint=hint))
