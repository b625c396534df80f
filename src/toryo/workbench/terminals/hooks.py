"""What a CLI's own hook wrote at the end of a turn: whether it was the turn that we wait for."""

from __future__ import annotations

import json
from typing import Any

from toryo.workbench.terminals.screen_text import letters

_BEGINNING = 64


def turn_is_over(said: str, prompt: str) -> bool:
    """From the lines of the hook's file: one at least, and the newest about our conversation ends it."""
    lines = [_read(line) for line in said.splitlines() if line.strip()]
    ours = [line for line in lines if not _is_aside(line, prompt)]
    # work in the background: another turn follows by itself
    return bool(ours) and not ours[-1].get("background_tasks")


def _read(line: str) -> dict[str, Any]:
    """Of a hook that says nothing we know: that it spoke is enough."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_aside(line: dict[str, Any], prompt: str) -> bool:
    """Codex asks the model for a title in a conversation beside ours, whose question quotes our prompt."""
    asked = line.get("input-messages")
    beginning = letters(prompt[: 20 * _BEGINNING])[:_BEGINNING]
    if not isinstance(asked, list) or not asked or not beginning:
        return False
    return letters(str(asked[0])).find(beginning) > 0
