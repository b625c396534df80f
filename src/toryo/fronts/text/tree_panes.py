"""Layout of a unit tree on a terminal: the root upper left, the bus below it, children at the right. Pure.

Numbers are tmux's: columns and rows, a line between two panes takes one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROOT, BUS = "root", "bus"
LEAST_ROWS, LEAST_COLUMNS = 5, 40
"""Of a child's pane: less of a log tells nothing."""


@dataclass(frozen=True)
class Box:
    what: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    columns: tuple[tuple[Box, ...], ...]
    """From the left; each from above."""

    @property
    def boxes(self) -> tuple[Box, ...]:
        """In tmux's order."""
        return tuple(box for column in self.columns for box in column)


def arranged(width: int, height: int, children: Sequence[str]) -> Layout:
    """As many children as fit, the first ones; without any the left side has the whole width."""
    across, down = _room(width, height)
    shown = list(children[: across * down])
    if not shown:
        return Layout((_stacked(0, width, height, (ROOT, BUS)),))
    number = min(across, -(-len(shown) // down))
    left, *others = _parts(width, number + 1)
    columns = [_stacked(0, left, height, (ROOT, BUS))]
    x = left + 1
    each = -(-len(shown) // number)
    for index, wide in enumerate(others):
        some = shown[index * each : (index + 1) * each]
        if some:
            columns.append(_stacked(x, wide, height, some))
        x += wide + 1
    return Layout(tuple(columns))


def _room(width: int, height: int) -> tuple[int, int]:
    """Columns of children beside the left side, and rows in each."""
    return max(0, (width + 1) // (LEAST_COLUMNS + 1) - 1), max(1, (height + 1) // (LEAST_ROWS + 1))


def _stacked(x: int, width: int, height: int, names: Sequence[str]) -> tuple[Box, ...]:
    boxes, y = [], 0
    for what, high in zip(names, _parts(height, len(names)), strict=True):
        boxes.append(Box(what, x, y, width, high))
        y += high + 1
    return tuple(boxes)


def _parts(whole: int, number: int) -> list[int]:
    """Nearly equal ones with a line between two; the first get what is over."""
    least, over = divmod(whole - (number - 1), number)
    return [least + (1 if index < over else 0) for index in range(number)]


def tmux_layout(layout: Layout, width: int, height: int) -> str:
    """As `select-layout` takes it: with its checksum."""
    columns = [_column(boxes, height) for boxes in layout.columns]
    body = columns[0] if len(columns) == 1 else f"{width}x{height},0,0{{{','.join(columns)}}}"
    return f"{checksum(body):04x},{body}"


def _column(boxes: Sequence[Box], height: int) -> str:
    cells = [f"{one.width}x{one.height},{one.x},{one.y},0" for one in boxes]
    if len(cells) == 1:
        return cells[0]
    return f"{boxes[0].width}x{height},{boxes[0].x},0[{','.join(cells)}]"


def checksum(text: str) -> int:
    found = 0
    for sign in text.encode():
        found = ((found >> 1) + ((found & 1) << 15) + sign) & 0xFFFF
    return found
