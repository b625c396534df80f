"""View base: one of the four screens, which asks the daemon only while it is seen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from textual.containers import Container
from textual.css.query import NoMatches

from toryo.domain.errors import ToryoError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.widget import Widget

    from toryo.fronts.tui.app import ToryoApp


class View(Container):
    NAME = ""
    HINTS = ""
    """Keys that are shown at the bottom."""
    CALM_S = 0.2
    """Between two looks, however much happens."""
    is_stale = True
    """Something happened since it asked last."""
    _is_looking = False

    @property
    def front(self) -> ToryoApp:
        return cast("ToryoApp", self.app)

    @property
    def hints(self) -> str:
        return self.HINTS

    @property
    def is_seen(self) -> bool:
        return self.front.mode == self.NAME

    def news(self, events: list[dict[str, Any]] | None) -> None:
        """Look again, now or when it is seen; looks never overlap."""
        self.is_stale = True
        if self.is_seen and not self._is_looking:
            self._is_looking = True
            self.begin(self._look_until_fresh())

    async def _look_until_fresh(self) -> None:
        try:
            while self.is_stale and self.is_mounted:
                self.is_stale = False
                await self.look()
                await asyncio.sleep(self.CALM_S)
        finally:
            self._is_looking = False

    def project_changed(self) -> None:
        """What is shown of the project before it goes."""

    async def look(self) -> None:
        """Ask the daemon, and show it."""

    def offers(self) -> list[tuple[str, str, Callable[[], object]]]:
        """What may be done with the chosen row: name, what it is about, the act."""
        return []

    def seen(self) -> None:
        """It became visible."""
        self.first_focus().focus()
        if self.is_stale:
            self.news(None)

    def first_focus(self) -> Widget:
        return self

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """In the background; what the daemon refuses is shown, and a view that is gone needs no answer."""
        self.run_worker(self._told(work), exit_on_error=True)

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except ToryoError as refused:
            self.front.complain(refused)
        except NoMatches:
            return  # its widgets are gone: the front is being closed
