"""Text of the summary's panel: what the model said of a commit, or why there is nothing yet."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from toryo.fronts.text.output import plain

NO_MODEL = "no model: `toryo planner use claude` takes an installed CLI; F2 in agent mode has all settings."
ASK = "S asks the model what this branch does; it is kept for its commit."
BEING_MADE = "The model is being asked …"


def shown(one: dict[str, Any] | None, *, has_model: bool, asked: bool, failed: str) -> Text:
    """`asked`: an answer is awaited; `failed`: what was said instead of one."""
    if one is None:
        return Text("")
    if text := str(one.get("summary") or ""):
        return Text(plain(text))
    if asked:
        return Text(BEING_MADE, style="cyan")
    if failed:
        return Text(plain(failed), style="yellow")
    return Text(ASK if has_model else NO_MODEL, style="dim")
