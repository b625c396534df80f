"""Preview of the work screen: five tabs about the row under the cursor, each asked for when it is seen."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual.containers import Vertical, VerticalScroll
from textual.css.query import NoMatches
from textual.reactive import reactive
from textual.widgets import Static
from textual.worker import Worker

from toryo.domain.errors import ToryoError
from toryo.fronts.text.output import plain
from toryo.fronts.tui.work import preview_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual import events
    from textual.app import ComposeResult

    from toryo.fronts.tui.app import ToryoApp
    from toryo.protocol.views.reviews import Review

TABS = ("why", "diff", "checks", "log", "terminal")
FOLLOWED = ("log", "terminal")
TAIL = 400
NOTHING_YET = "It printed nothing yet."
WAIT_S = 25.0
ON_ITS_WAY_S = 30.0
SETTLE_S = 0.06
"""Nothing is asked while the cursor runs over rows."""


class Tabs(Static):
    """Names of the tabs; a click chooses one."""

    def on_click(self, event: events.Click) -> None:
        at = 1
        for tab in TABS:
            if at <= event.x < at + len(tab) + 2:
                cast("Preview", self.parent).tab = tab
            at += len(tab) + 3


class Preview(Vertical):
    DEFAULT_CSS = """
    Preview { border: round $primary; }
    Preview:focus-within { border: round $accent; }
    Preview Tabs { height: 1; }
    Preview VerticalScroll { scrollbar-size-vertical: 1; padding: 0 1; }
    Preview #told { height: auto; width: 1fr; }
    """
    tab = reactive("why", init=False)

    def __init__(self) -> None:
        super().__init__(id="preview")
        self.key = ""
        self.actions: list[dict[str, Any]] = []
        """What a person may do about it, as the daemon offers it."""
        self.hunk = ""
        """Of the diff, the one that is stood on."""
        self._review: Review | None = None
        self._following: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        yield Tabs(id="tabs", markup=False)
        yield VerticalScroll(Static(id="told", markup=False), id="page")

    def on_mount(self) -> None:
        self._show_tabs()

    @property
    def _front(self) -> ToryoApp:
        return cast("ToryoApp", self.app)

    def show(self, key: str) -> None:
        """About that row, from its beginning; the same one again keeps its place."""
        if key != self.key:
            self.key, self.actions, self.hunk, self._review = key, [], "", None
            self.query_one("#page").scroll_home(animate=False)
        self.look_again()

    def look_again(self) -> None:
        if self._following != (self.key, self.tab):  # what is followed brings its own news
            self._looking: Worker[None] = self.run_worker(self._look, exclusive=True, group="preview")

    def watch_tab(self) -> None:
        self._show_tabs()
        self.query_one("#page").scroll_home(animate=False)
        self.look_again()

    def step(self, by: int) -> None:
        self.tab = TABS[(TABS.index(self.tab) + by) % len(TABS)]

    @property
    def place(self) -> dict[str, Any]:
        """Of the hunk that is stood on, as a comment names it; empty: there is none."""
        if self.tab != "diff" or self._review is None:
            return {}
        return preview_text.place(self._review, self.hunk)

    def step_hunk(self, by: int) -> None:
        """To the next one, whose beginning is then seen."""
        if self.tab != "diff":
            self.tab = "diff"
            return
        if self._review is not None and (ids := [one["id"] for one in preview_text.hunks(self._review)]):
            at = ids.index(self.hunk) + by if self.hunk in ids else 0
            self.hunk = ids[max(0, min(at, len(ids) - 1))]
            text, begin = preview_text.diff(self._review, self.hunk)
            self._tell(text)
            told = self.query_one("#told")
            above = text[:begin].wrap(self.app.console, max(1, told.size.width))
            self.query_one("#page").scroll_to(y=max(0, len(above) - 2), animate=False)

    def _show_tabs(self) -> None:
        text = Text(" ")
        for name in TABS:
            text.append(f" {name} ", style="reverse bold" if name == self.tab else "dim")
            text.append(" ")
        self.query_one("#tabs", Static).update(text)

    async def _look(self) -> None:
        await asyncio.sleep(SETTLE_S)
        kind, _, name = self.key.partition(":")
        if not name:
            self._tell(Text("Nothing is chosen.", style="dim"))
            return
        try:
            if kind == "task" and self.tab in FOLLOWED:
                await self._follow(name)
            else:
                self._tell(await self._text(kind, name))
        except ToryoError as refused:
            self._tell(Text(f"{plain(refused.message)}\n{plain(refused.hint)}", style="dim"))
        except NoMatches:
            return  # its widgets are gone: the front is being closed

    async def _text(self, kind: str, name: str) -> RenderableType:
        ask = self._front.ask
        if kind == "mission":
            found = (await ask("show_mission", mission=name))["mission"]
            self.actions = list(found["actions"])
            return preview_text.mission(found)
        if self.tab == "why" or kind != "task":
            project, _, target = name.partition("/")
            about: dict[str, Any] = {"id": target, "project": project} if kind == "queue" else {"id": name}
            why = await ask("why", **about)
            self.actions = list(why["actions"])
            return preview_text.why(why, time.time())
        if self.tab == "diff":
            self._review = cast("Review", await ask("get_review", task=name))
            return preview_text.diff(self._review, self.hunk)[0]
        return preview_text.checks(await ask("get_evidence", task=name))

    async def _follow(self, task: str) -> None:
        """As long as it is seen and grows; each call waits in the daemon."""
        self._following = here = (self.key, self.tab)
        try:
            await (self._follow_log(task) if self.tab == "log" else self._follow_screen(task))
        finally:
            if self._following == here:
                self._following = None

    async def _follow_log(self, task: str) -> None:
        page = await self._front.ask("read_log", task=task, tail=TAIL)
        text = str(page["text"])
        self._tell(Text.from_ansi(plain(text)) if text else Text(NOTHING_YET, style="dim"))
        self.call_after_refresh(self._to_end)
        while not page["ended"] and self._is_seen:
            asked = {"run": page["run"], "offset": page["next_offset"], "wait_s": WAIT_S}
            page = await self._front.ask("read_log", **asked, timeout_s=WAIT_S + ON_ITS_WAY_S)
            if page["text"]:
                text = "".join((text + page["text"]).splitlines(keepends=True)[-2 * TAIL :])
                was_at_end = self._is_at_end
                self._tell(Text.from_ansi(plain(text)))
                if was_at_end:
                    self.call_after_refresh(self._to_end)

    async def _follow_screen(self, task: str) -> None:
        asked: dict[str, Any] = {"id": task, "colours": True}
        seen = ""
        while self._is_seen:
            waits = {"seen": seen, "wait_s": WAIT_S} if seen else {}
            screen = await self._front.ask("read_screen", **asked, **waits, timeout_s=WAIT_S + ON_ITS_WAY_S)
            if (now := hashlib.sha256(screen["text"].encode()).hexdigest()) != seen:
                seen = now
                self._tell(Text.from_ansi(screen["text"]))

    @property
    def _is_seen(self) -> bool:
        return self._front.mode == "work"

    @property
    def _is_at_end(self) -> bool:
        page = self.query_one("#page")
        return page.scroll_offset.y >= page.max_scroll_y - 1

    def _to_end(self) -> None:
        self.query_one("#page").scroll_end(animate=False)

    def _tell(self, text: RenderableType) -> None:
        self.query_one("#told", Static).update(text)
