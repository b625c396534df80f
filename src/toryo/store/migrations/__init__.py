"""The way from each schema version to the next. A step is frozen text: it never reads the tables of today."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from toryo.store.migrations import to_2, to_3, to_4, to_5

STEPS: tuple[Callable[[Connection], None], ...] = (to_2.migrate, to_3.migrate, to_4.migrate, to_5.migrate)
"""STEPS[n - 1] takes version n to version n + 1, in one transaction."""

CURRENT = len(STEPS) + 1
