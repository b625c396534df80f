"""Help page: every key as it counts now, with a filter of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.widgets import Input, Static

from toryo.fronts.tui.dialogs import Dialog
from toryo.fronts.tui.keys import FILE, Key, shown
from toryo.fronts.tui.row_list import Row, RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult


class HelpScreen(Dialog[None]):
    DEFAULT_CSS = "HelpScreen .box RowList { height: 18; max-height: 70%; }"

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        told = f"{FILE} in the home rebinds them by name; presets: default, gwt · Esc leaves"
        filtered = Input(id="help-filter", placeholder="filter")
        keys = RowList(id="keys", empty="No key does that.")
        box = Vertical(filtered, keys, Static(told, classes="hint", markup=False), classes="box")
        box.border_title = "keys"
        yield box

    def on_mount(self) -> None:
        self._show("")
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value.strip().lower())

    def _show(self, wanted: str) -> None:
        rows = []
        for one in self._keys:
            if wanted in f"{one.keys} {one.name} {one.about} {one.where}".lower():
                left = ((f"{shown(one.keys):<14}", "bold cyan"), (one.about, ""))
                rows.append(Row(one.name, left, ((f"{one.where} ", "dim"), (one.name, "dim italic"))))
        self.query_one(RowList).put(rows)
