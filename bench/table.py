"""One figure as data, and the table of them for the screen and for RESULTS.md."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Samples:
    """Durations of one operation, in milliseconds."""

    ms: tuple[float, ...]

    @classmethod
    def of_seconds(cls, seconds: Sequence[float]) -> Samples:
        return cls(tuple(1000 * one for one in seconds))

    @property
    def median(self) -> float:
        return statistics.median(self.ms)

    @property
    def p95(self) -> float:
        return sorted(self.ms)[math.ceil(0.95 * len(self.ms)) - 1]

    @property
    def p99(self) -> float:
        """The smallest sample that 99 of 100 do not exceed; with fewer than 100 of them, the largest."""
        return sorted(self.ms)[math.ceil(0.99 * len(self.ms)) - 1]


@dataclass(frozen=True)
class Figure:
    name: str
    goal: str
    met: bool | None
    """None: shown, without a goal of its own."""
    samples: Samples
    floor_name: str = ""
    floor: Samples | None = None
    unit: str = "ms"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.samples.median / self.floor.median if self.floor else None

    def cells(self) -> tuple[str, ...]:
        floor = f"{number(self.floor.median)} ({self.floor_name})" if self.floor else "–"
        return (
            self.name,
            f"{number(self.samples.median)} {self.unit}",
            f"{number(self.samples.p99)}",
            floor,
            f"{self.ratio:.2f} ×" if self.ratio is not None else "–",
            self.goal or "–",
            {True: "met", False: "MISSED", None: "–"}[self.met],
            str(len(self.samples.ms)),
        )


HEAD = ("figure", "median", "p99", "floor", "ratio", "goal", "", "n")


def number(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def as_text(figures: Sequence[Figure]) -> str:
    rows = [HEAD, *(figure.cells() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, "─" * len(lines[0]))
    notes = [f"{figure.name}: {figure.note}" for figure in figures if figure.note]
    return "\n".join([*(line.rstrip() for line in lines), "", *notes])


def as_markdown(figures: Sequence[Figure]) -> str:
    rows = [HEAD, ("---",) * len(HEAD), *(figure.cells() for figure in figures)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    notes = "\n".join(f"- **{figure.name}**: {figure.note}" for figure in figures if figure.note)
    return f"{table}\n\n{notes}\n" if notes else f"{table}\n"
