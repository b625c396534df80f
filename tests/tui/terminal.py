"""The terminal front in a test: an app over a real daemon, and its screen as plain text."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from toryo.fronts.tui.app import ToryoApp

sys.path.append(str(Path(__file__).parents[1] / "daemon"))
from mission_shop import PLAN, MissionShop

__all__ = ["PLAN", "MissionShop", "Screen", "on_screen"]

Journey = Callable[["Screen"], Coroutine[Any, Any, None]]


class Screen:
    """What a person sees and types."""

    def __init__(self, app: ToryoApp, pilot: Pilot[None], shop: MissionShop) -> None:
        self.app, self.pilot, self.shop = app, pilot, shop

    def text(self) -> str:
        """Every row, as a terminal has it."""
        screen = self.app.screen
        rows = []
        for strip in screen._compositor.render_strips():
            rows.append("".join(segment.text for segment in strip).rstrip())
        return "\n".join(rows)

    async def until(self, *words: str, gone: str = "", within_s: float = 20) -> str:
        """Until all of them are on the screen, and what should go is gone; the screen."""
        return await self.when(
            lambda text: all(word in text for word in words) and not (gone and gone in text),
            f"{words} {f'without {gone}' if gone else ''}",
            within_s,
        )

    async def when(self, is_there: Callable[[str], bool], what: str, within_s: float = 20) -> str:
        end = time.monotonic() + within_s
        while not is_there(text := self.text()):
            assert time.monotonic() < end, f"not on the screen: {what}\n{text}"
            await self.pilot.pause(0.02)
        return text

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Into what has the focus, and Enter."""
        for sign in text:
            await self.pilot.press("space" if sign == " " else sign)
        await self.pilot.press("enter")

    async def elsewhere(self, act: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """What happens meanwhile in other processes: it may wait, the screen goes on."""
        return await asyncio.to_thread(act, *arguments, **more)


def on_screen(
    shop: MissionShop,
    journey: Journey,
    *,
    screen: str = "",
    size: tuple[int, int] = (100, 30),
    path: str | None = None,
    **parts: Any,
) -> None:
    """The journey, in an app of that size in the shop's project."""
    where = str(Path(shop._folder) / "front") if path is None else path

    async def run() -> None:
        app = ToryoApp(shop.daemon.home, where, screen, **parts)
        async with app.run_test(size=size, notifications=True) as pilot:
            await journey(Screen(app, pilot, shop))

    asyncio.run(run())
    for _ in range(3):  # the daemon notices that the front's connections are closed before it is ended itself
        shop.daemon.settle()
        shop.daemon.person("health_check")
