"""Task steps in a picture of work: sign, colour, and way in one line. Pure.

The demo's tree and the page of `toryo status` draw with it; what a task's steps are is left to who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ARROW = " → "

CONFLICT, RED, GREEN = "conflict", "red", "green"
"""What became of a merge with the target: steps beside the purposes of runs."""

WAITING_SIGN, MOVING_SIGN = "·", "●"
SIGNS: dict[str, tuple[str, str]] = {
    "": (WAITING_SIGN, "dim"),
    "done": ("✔", "green"),
    "failed": ("✘", "red"),
    "cancelled": ("✘", "dim"),
    "needs_review": ("◆", "yellow"),
    "open": (WAITING_SIGN, "dim"),
    "blocked": (WAITING_SIGN, "dim"),
    "ready": (WAITING_SIGN, "dim"),
    # a mission's
    "completed": ("✔", "green"),
    "questioning": ("◆", "yellow"),
    "awaiting_approval": ("◆", "yellow"),
    "paused": ("◆", "yellow"),
    "queued": (WAITING_SIGN, "dim"),
}
"""Status → sign and colour; every other status moves."""

STATUS_COLOUR: dict[str, str] = {
    "done": "green",
    "failed": "red",
    "needs_review": "yellow",
    "running": "cyan",
    "verifying": "cyan",
    "landing": "cyan",
    "completed": "green",
    "questioning": "yellow",
    "awaiting_approval": "yellow",
    "paused": "yellow",
    "planning": "cyan",
    "active": "cyan",
}


def trail(steps: Sequence[str]) -> str:
    """`implement → conflict → resolve → green → on main`"""
    return ARROW.join(steps)
