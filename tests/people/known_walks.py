"""Walks that once broke a promise, made short; each is a name and its acts."""

from __future__ import annotations

from walks import Step

KNOWN: dict[str, list[Step]] = {
    "taken-off-while-an-agent-works-on-it": [
        ("commit", 0),
        ("wait", 0),
        ("hold", 0),
        ("add", 42),
        ("look_on", 0),
        ("reset", 0),
        ("wait", 0),
        ("approve", 0),
    ],
    "conflicts-with-accepted-work": [("edit", 0), ("add", 0), ("wait", 0), ("commit", 0)],
    "committed-while-work-is-checked": [
        ("wait", 0),
        ("hold_checks", 0),
        ("add", 42),
        ("look_on", 1),
        ("commit", 0),
        ("let_checks_go", 0),
    ],
    "what-another-task-waits-for-is-dropped": [
        ("commit", 0),
        ("wait", 0),
        ("edit", 0),
        ("add", 33),
        ("wait", 0),
        ("add", 34),
        ("reset", 0),
        ("wait", 0),
        ("cancel", 0),
        ("approve", 0),
        ("wait", 0),
        ("approve", 0),
    ],
}
