"""Line input of the terminal front: what is pasted in several lines comes in whole, as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

if TYPE_CHECKING:
    from textual import events


class LineInput(Input):
    def _on_paste(self, event: events.Paste) -> None:
        """Textual's own takes the first line and drops the rest."""
        self.take_lines([line.strip() for line in event.text.splitlines() if line.strip()])
        event.stop()
        event.prevent_default()

    def take_lines(self, lines: list[str]) -> None:
        self.replace(" ".join(lines), *sorted(self.selection))
