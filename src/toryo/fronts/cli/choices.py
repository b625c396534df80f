"""Choices of options: the glossary's words that a command line offers, as plain text.

`domain.words` has them as types; building those would cost every command 1 ms. A test holds them equal.
"""

from __future__ import annotations

STATUSES = (
    "open",
    "blocked",
    "ready",
    "running",
    "verifying",
    "landing",
    "needs_review",
    "done",
    "failed",
    "cancelled",
)
MISSION_STATUSES = (
    "questioning",
    "planning",
    "awaiting_approval",
    "queued",
    "active",
    "paused",
    "completed",
    "failed",
    "cancelled",
)
PRIORITIES = ("critical", "high", "medium", "low")
ACCESS = ("sealed", "connected")
MAY_LAND = ("green", "flaky", "unchecked")
BY_HAND = ("submit", "revert")
"""Purposes of runs without an agent."""
