"""Asking the daemon from a dialog: a refusal is shown, and the dialog stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toryo.domain.errors import ToryoError

if TYPE_CHECKING:
    from textual.app import App

    from toryo.fronts.tui.app import ToryoApp


async def asks(app: App[Any], tool: str, arguments: dict[str, Any]) -> bool:
    """Whether it was done."""
    front = cast("ToryoApp", app)
    try:
        await front.ask(tool, **arguments)
    except ToryoError as refused:
        front.complain(refused)
        return False
    return True
