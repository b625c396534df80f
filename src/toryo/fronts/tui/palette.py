"""Palette: everything by a few letters of its name, and what may be done with the chosen row."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from toryo.domain.errors import ToryoError
from toryo.fronts.text.output import one_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from toryo.fronts.tui.app import ToryoApp

MOST_TASKS = 2000
MOST_BRANCHES = 200
BRANCHES_WITHIN_S = 3.0


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
        self._found = [*front.view.offers(), *self._found]
        self._first = len(self._found)
        for one in front.projects if len(front.projects) > 1 else ():
            self._add(one["name"], f"project {one['id']}", partial(front.choose_project, one["id"]))
        # beside each other; who is not there, or has none, is left out
        parts = (self._missions, self._tasks, self._targets, self._agents, self._branches)
        await asyncio.gather(*(self._whatever(part) for part in parts))

    def _add(self, name: str, about: str, act: Callable[[], object]) -> None:
        self._found.append((one_line(name), about.replace("_", " "), act))

    async def _whatever(self, part: Callable[[], Awaitable[None]]) -> None:
        try:
            await part()
        except ToryoError:
            return

    @property
    def _front(self) -> ToryoApp:
        return cast("ToryoApp", self.app)

    async def _missions(self) -> None:
        found = await self._front.ask("list_missions", **self._front.where, limit=1000)
        for one in found["missions"]:
            act = partial(self._front.open_mission, one["id"])
            self._add(one["title"], f"mission {one['id']}, {one['status']}", act)

    async def _tasks(self) -> None:
        found = await self._front.ask("list_tasks", **self._front.where, recent=MOST_TASKS)
        for one in found["tasks"]:
            kind = f"unit {one['unit']}, task" if one["unit"] else "task"
            act = partial(self._front.open_task, one["id"])
            self._add(one["title"], f"{kind} {one['id']}, {one['status']}", act)

    async def _targets(self) -> None:
        found = await self._front.ask("list_targets", **self._front.where)
        for one in found["targets"]:
            act = partial(self._front.open_target, one["project"], one["name"])
            self._add(one["name"], f"target of {one['project_name']}, {one['queued']} queued", act)

    async def _agents(self) -> None:
        found = await self._front.ask("list_agents", **self._front.where)
        for one in found["agents"]:
            self._add(one["id"], f"agent, {one['client']}", partial(self._front.open_agent, one["id"]))

    async def _branches(self) -> None:
        if self._front.has_project:
            asked = {"limit": MOST_BRANCHES, "timeout_s": BRANCHES_WITHIN_S}
            found = await self._front.ask("list_branches", **self._front.where, **asked)
            for one in found["branches"]:
                act = partial(self._front.open_branch, f"{one['kind']}:{one['name']}")
                self._add(one["name"], f"{one['kind']} branch", act)

    async def discover(self) -> Hits:
        for name, about, act in self._found[: self._first]:
            yield DiscoveryHit(name, act, help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, about, act in self._found:
            score = max(matcher.match(name), matcher.match(about))
            if score > 0:
                yield Hit(score, matcher.highlight(name), act, help=about)
