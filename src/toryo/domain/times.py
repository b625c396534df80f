"""Moments as text: ISO-8601, UTC, `Z`. Pure; clocks are passed in by the callers."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
