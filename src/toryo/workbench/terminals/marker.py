"""The words by which a CLI without a hook is asked to say that it is done. When they are typed: `driver`."""

from __future__ import annotations

MARKER = "TORYO_TASK_DONE"

# Each sentence has words on both sides of the marker: by those its echo on the screen is known.
_SENTENCE = (
    "When you have finished, or cannot go on without a person's answer, end your last message with "
    f"{MARKER} in a line of its own, and do not write that word before."
)
QUESTION = (
    "Your screen has not changed for a while. If you have finished, or cannot go on without a person's "
    f"answer, reply with {MARKER} in a line of its own. Otherwise go on with your work."
)


def with_marker(prompt: str) -> str:
    """What is typed instead of the prompt where no hook will tell the end of the turn."""
    return f"{prompt.rstrip()}\n\n{_SENTENCE}"
