"""Dialogs over a screen: a text that is asked for, a question with yes or no, a choice, a page to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from toryo.fronts.tui.line_input import LineInput
from toryo.fronts.tui.row_list import Row, RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

Answer = TypeVar("Answer")

CSS = """
Dialog { align: center middle; background: $background 60%; }
Dialog > .box {
    width: 72; max-width: 96%; height: auto; max-height: 90%; padding: 0 1;
    border: round $accent; background: $surface;
}
Dialog .box RowList { height: auto; max-height: 16; min-height: 1; }
Dialog .hint { color: $text-muted; }
Dialog Input, Dialog Input:focus { border: none; height: 1; padding: 0; background: $boost; margin: 1 0; }
"""


class Dialog(ModalScreen[Answer | None]):
    DEFAULT_CSS = CSS
    BINDINGS: ClassVar = [("escape", "leave", "leave")]

    def action_leave(self) -> None:
        self.dismiss(None)


class TextDialog(Dialog[str]):
    """A line of text; None: the person left."""

    def __init__(self, title: str, *, hint: str = "Enter sends, Esc leaves", text: str = "") -> None:
        super().__init__()
        self._title, self._hint, self._text = title, hint, text

    def compose(self) -> ComposeResult:
        said = LineInput(self._text, id="text", select_on_focus=False)
        box = Vertical(said, Static(self._hint, classes="hint", markup=False), classes="box")
        box.border_title = self._title
        yield box

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.dismiss(event.value.strip())


class YesDialog(Dialog[bool]):
    """Yes is a key of its own: Enter alone destroys nothing."""

    BINDINGS: ClassVar = [("y", "yes", "yes"), ("n", "leave", "no"), ("escape", "leave", "no")]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        asked = Static(self._question, markup=False)
        yield Vertical(asked, Static("y yes · n no", classes="hint", markup=False), classes="box")

    def action_yes(self) -> None:
        self.dismiss(True)


class ChoiceDialog(Dialog[str]):
    """One row of several; the answer is its key."""

    def __init__(self, title: str, rows: Sequence[Row], *, hint: str = "Enter does it, Esc leaves") -> None:
        super().__init__()
        self._title, self._choices, self._hint = title, rows, hint

    def compose(self) -> ComposeResult:
        listed = RowList(id="choices")
        box = Vertical(listed, Static(self._hint, classes="hint", markup=False), classes="box")
        box.border_title = self._title
        yield box

    def on_mount(self) -> None:
        listed = self.query_one(RowList)
        listed.put(self._choices)
        listed.focus()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        self.dismiss(event.key)


class PageDialog(Dialog[None]):
    """Text that scrolls."""

    BINDINGS: ClassVar = [("escape,q,enter", "leave", "leave")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        box = VerticalScroll(Static(self._text, markup=False), classes="box")
        box.border_title = self._title
        box.border_subtitle = "Esc leaves"
        yield box

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
