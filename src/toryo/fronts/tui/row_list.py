"""List widget of the terminal front: rows of styled text, and a cursor that stays on its row.

Only visible rows are drawn, so thousands of them cost what a screenful costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toryo.fronts.text.output import cut, width
from toryo.fronts.tui.keys import bindings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

LEAST_LEFT = 20
"""Of a row in a narrow list."""
Part = tuple[str, str]
"""Text and its style, as Rich writes one."""


@dataclass(frozen=True)
class Row:
    key: str
    left: tuple[Part, ...]
    right: tuple[Part, ...] = ()
    """Set at the right edge; what is left of it gives way, until little of that is left."""


class RowList(ScrollView, can_focus=True):
    BINDINGS: ClassVar = bindings(("down", "up", "top", "bottom", "page_down", "page_up", "open", "fold"))
    DEFAULT_CSS = """
    RowList { background: transparent; scrollbar-size-vertical: 1; overflow-x: hidden; }
    """
    cursor = reactive(0)

    class Moved(Message):
        def __init__(self, list: RowList, key: str) -> None:
            super().__init__()
            self.list, self.key = list, key

        @property
        def control(self) -> RowList:
            return self.list

    class Chosen(Moved):
        pass

    class Folded(Moved):
        pass

    def __init__(self, *, id: str, empty: str = "") -> None:
        super().__init__(id=id)
        self._rows: tuple[Row, ...] = ()
        self._empty = empty

    @property
    def key(self) -> str:
        """Of the row under the cursor; empty: there is none."""
        return self._rows[self.cursor].key if self._rows else ""

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows

    def put(self, rows: Sequence[Row]) -> None:
        """The cursor stays on its row; where that one is gone, at its place."""
        key = self.key
        before = self._rows
        self._rows = tuple(rows)
        keys = [row.key for row in self._rows]
        at = keys.index(key) if key in keys else min(self.cursor, max(0, len(keys) - 1))
        self.virtual_size = Size(1, max(1, len(self._rows)))
        if at != self.cursor:
            self.cursor = at
        elif self.key != key:
            self.post_message(self.Moved(self, self.key))
        if before != self._rows:
            self.refresh()

    def select(self, key: str) -> bool:
        for at, row in enumerate(self._rows):
            if row.key == key:
                self.cursor = at
                return True
        return False

    def validate_cursor(self, at: int) -> int:
        return max(0, min(at, len(self._rows) - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        self.scroll_to_region(Region(0, now, 1, 1), animate=False)
        self.refresh()
        if self._rows:
            self.post_message(self.Moved(self, self.key))

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        room = self.scrollable_content_region.width
        base = self.rich_style
        if at >= len(self._rows):
            text = f" {self._empty}" if at == 0 and self._empty else ""
            return Strip([Segment(cut(text, room), base + Style(dim=True))]).adjust_cell_length(room, base)
        is_here = at == self.cursor
        style = base
        if is_here:
            style = base + Style(reverse=True) if self.has_focus else base + Style(bold=True)
        return _strip(self._rows[at], room, style, mark="▌" if is_here else " ")

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    async def _on_click(self, event: events.Click) -> None:
        inside = event.get_content_offset(self)
        at = len(self._rows) if inside is None else inside.y + self.scroll_offset.y
        if at < len(self._rows):
            again = at == self.cursor
            self.cursor = at
            if again:
                self.action_open()

    def action_down(self) -> None:
        self.cursor += 1

    def action_up(self) -> None:
        self.cursor -= 1

    def action_top(self) -> None:
        self.cursor = 0

    def action_bottom(self) -> None:
        self.cursor = len(self._rows) - 1

    def action_page_down(self) -> None:
        self.cursor += max(1, self.size.height - 1)

    def action_page_up(self) -> None:
        self.cursor -= max(1, self.size.height - 1)

    def action_open(self) -> None:
        if self._rows:
            self.post_message(self.Chosen(self, self.key))

    def action_fold(self) -> None:
        if self._rows:
            self.post_message(self.Folded(self, self.key))


def _fitting(parts: Sequence[Part], room: int) -> Sequence[Part]:
    """The first one gives way to the others, which are short."""
    if not parts or sum(width(text) for text, _ in parts) <= room:
        return parts
    (text, style), *others = parts
    return [(cut(text, max(1, room - sum(width(one) for one, _ in others))), style), *others]


def _strip(row: Row, room: int, style: Style, mark: str) -> Strip:
    needed = min(LEAST_LEFT, sum(width(text) for text, _ in row.left))
    rights = _fitting(row.right, room - needed - 2)
    right = sum(width(text) for text, _ in rights)
    left = max(4, room - right - 2)
    segments = [Segment(mark, style)]
    used = 1
    for text, name in row.left:
        shown = cut(text, left - used) if left > used else ""
        segments.append(Segment(shown, style + Style.parse(name)))
        used += width(shown)
    segments.append(Segment(" " * max(1, room - used - right), style))
    segments += [Segment(text, style + Style.parse(name)) for text, name in rights]
    return Strip(segments).adjust_cell_length(room, style)
