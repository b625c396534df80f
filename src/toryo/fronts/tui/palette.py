"""Palette: everything by a few letters of its name: screens, missions, tasks, branches, what may be done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from toryo.domain.errors import ToryoError
from toryo.fronts.text.output import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from toryo.fronts.tui.app import ToryoApp

MOST_TASKS = 2000


class Everything(Provider):
    async def startup(self) -> None:
        """What is there when it is opened: everything is then found without asking."""
        front = cast("ToryoApp", self.app)
        self._found: list[tuple[str, str, Callable[[], object]]] = [
            ("Branch mode", "all branches", partial(front.show, "branches")),
            ("Agent mode", "the conversation", partial(front.show, "agent")),
            ("Work", "the crew's work", partial(front.show, "work")),
            ("Queue", "what lands next", partial(front.show, "queue")),
            ("New request", "ask for something", front.action_new),
            ("Model settings", "endpoint, model, key", front.open_settings),
            ("Usage and cost", "of models and agents", front.action_usage),
            ("Keys", "all of them", front.action_help),
            ("Doctor", "what is wrong, and how to mend it", front.open_doctor),
            ("Leave", "the work goes on", front.action_leave),
        ]
        try:
            missions = await front.ask("list_missions", **front.where, limit=1000)
            tasks = await front.ask("list_tasks", **front.where, recent=MOST_TASKS)
        except ToryoError:
            return
        for one in missions["missions"]:
            told = f"mission {one['id']}, {one['status'].replace('_', ' ')}"
            self._found.append((one_line(one["title"]), told, partial(front.open_mission, one["id"])))
        for one in tasks["tasks"]:
            told = f"task {one['id']}, {one['status'].replace('_', ' ')}"
            self._found.append((one_line(one["title"]), told, partial(front.open_task, one["id"])))

    async def discover(self) -> Hits:
        for name, about, act in self._found[:10]:
            yield DiscoveryHit(name, act, help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, about, act in self._found:
            score = max(matcher.match(name), matcher.match(about))
            if score > 0:
                yield Hit(score, matcher.highlight(name), act, help=about)
