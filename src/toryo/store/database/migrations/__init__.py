"""The way from each schema version to the next. A step is frozen text: it never reads the tables of today."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from toryo.store.database.migrations import to_2, to_3, to_4, to_5, to_6, to_7, to_8, to_9, to_10, to_11

STEPS: tuple[Callable[[Connection], None], ...] = (
    to_2.migrate,
    to_3.migrate,
    to_4.migrate,
    to_5.migrate,
    to_6.migrate,
    to_7.migrate,
    to_8.migrate,
    to_9.migrate,
    to_10.migrate,
    to_11.migrate,
)
"""STEPS[n - 1] takes version n to version n + 1, in one transaction."""

CURRENT = len(STEPS) + 1
