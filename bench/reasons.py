"""Why a goal is missed, by the beginning of the figure's name: shown only beside a figure that missed it."""

from __future__ import annotations

REASONS: dict[str, str] = {}
