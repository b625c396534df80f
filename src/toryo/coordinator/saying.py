"""Words for a running agent, typed on its screen: once per message, and told only when they were seen."""

from __future__ import annotations

import time
from pathlib import Path

from toryo.coordinator.windows import Windows
from toryo.domain.errors import ToryoError
from toryo.protocol.parts import Problem, SayInputs, Spoken
from toryo.workbench.runs import records
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.door import NoWindow
from toryo.workbench.terminals.typist import Typist

PROMPT_FIRST_S = 20.0
"""Words wait so long for the prompt to be given before them."""
_TYPING_S = 20.0


def say(inputs: SayInputs, run_dir: Path, windows: Windows, text: str) -> Spoken:
    """Safe to repeat: a message that was seen is not typed again."""
    note = spool.words_note(run_dir, inputs.message)
    if spool.typed(note).state == "taken":
        return Spoken(delivered=True, seen=True)
    screen = spool.read_screen(run_dir)
    if screen is None or screen.style != "interactive":
        return _not(
            "no_screen",
            f"The agent of {inputs.run} has no screen to type on: it has its prompt and works alone.",
            f"`toryo run stop {inputs.run}`, `toryo task update`, `toryo task retry`. Only an agent with"
            " `style: interactive` can be spoken to while it works.",
        )
    if not _prompt_first(run_dir, screen):
        return _not(
            "not_ready",
            f"The agent of {inputs.run} has not taken its prompt yet.",
            f"`toryo attach {inputs.run}` shows its screen.",
        )
    try:
        with spool.typing_on(run_dir, _TYPING_S):
            typist = Typist(windows.screen(inputs.run), lambda: (run_dir / records.EXIT).exists())
            result = typist.say(text, note)
    except NoWindow:
        return _not("no_window", f"The window of {inputs.run} is gone.", f"`toryo run show {inputs.run}`")
    except ToryoError as failed:
        return _not(
            "not_typed", failed.message, failed.hint or f"`toryo attach {inputs.run}` shows its screen."
        )
    return Spoken(delivered=result.taken, seen=result.arrived or result.taken)


def _prompt_first(run_dir: Path, screen: spool.Screen) -> bool:
    end, pause = time.monotonic() + PROMPT_FIRST_S, 0.01
    note = spool.prompt_note(run_dir)
    while not screen.prompt_given and spool.typed(note).state != "taken":
        if time.monotonic() > end or (run_dir / records.EXIT).exists():
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.25)
    return True


def _not(code: str, message: str, hint: str) -> Spoken:
    return Spoken(problem=Problem(code=code, message=message, hint=hint))
