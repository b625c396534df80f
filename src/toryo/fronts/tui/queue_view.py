"""Queue screen: each target branch, what waits to land on it, and why it stands."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static

from toryo.fronts.text.output import ago, one_line, plain
from toryo.fronts.tui.keys import bindings
from toryo.fronts.tui.row_list import Row, RowList
from toryo.fronts.tui.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import ComposeResult
    from textual.widget import Widget


class QueueView(View):
    NAME = "queue"
    HINTS = "a approve the target · r retry it · j/k move · Tab agent · F1 find · ? keys"
    BINDINGS: ClassVar = bindings(("approve", "retry"))
    DEFAULT_CSS = """
    QueueView { layout: horizontal; }
    QueueView #targets { width: 46%; min-width: 36; border: round $primary; }
    QueueView #targets:focus { border: round $accent; }
    QueueView #target { width: 1fr; border: round $primary; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__(id=self.NAME)
        self._targets: dict[str, dict[str, Any]] = {}
        self._wanted = ""
        """Target to stand on once it is known."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield RowList(id="targets", empty="Work has not landed on any branch yet.")
            yield VerticalScroll(Static(id="landings", markup=False), id="target")

    def on_mount(self) -> None:
        self.query_one("#targets").border_title = "targets"
        self.query_one("#target").border_title = "queue"

    def first_focus(self) -> Widget:
        return self.query_one("#targets")

    async def look(self) -> None:
        found = await self.front.ask("list_targets", **self.front.where)
        self._targets = {f"{one['project']}/{one['name']}": one for one in found["targets"]}
        listed = self.query_one("#targets", RowList)
        listed.put([_row(key, one) for key, one in self._targets.items()])
        if self._wanted and listed.select(self._wanted):
            self._wanted = ""
        await self._look_at(listed.key)

    async def _look_at(self, key: str) -> None:
        if one := self._targets.get(key):
            asked = {"target": one["name"], "project": one["project"]}
            found = await self.front.ask("get_target", **asked)
            self.query_one("#landings", Static).update(_queue(found["target"]))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        self.begin(self._look_at(event.key))

    def offers(self) -> list[tuple[str, str, Callable[[], object]]]:
        one = self._targets.get(self.query_one("#targets", RowList).key)
        told = [("Approve", self.action_approve), ("Retry", self.action_retry)] if one else []
        return [(f"{do} {one['name']}", "the chosen target", act) for do, act in told if one]

    def go_to(self, key: str) -> None:
        """Stand on that target, also one that is still to come."""
        self._wanted = key
        if self.query_one("#targets", RowList).select(key):
            self._wanted = ""

    def action_approve(self) -> None:
        self._say("approve_target")

    def action_retry(self) -> None:
        self._say("retry_target")

    def _say(self, tool: str) -> None:
        if one := self._targets.get(self.query_one("#targets", RowList).key):
            self.begin(self._said(tool, one))

    async def _said(self, tool: str, one: Mapping[str, Any]) -> None:
        said = await self.front.ask(tool, target=one["name"], project=one["project"])
        self.front.notify(f"{said['said']}: {said['why']}", markup=False)
        self.news(None)


def _row(key: str, one: Mapping[str, Any]) -> Row:
    stopped = bool(one["stopped"])
    sign, style = ("◆", "yellow") if stopped else ("●", "cyan") if one["queued"] else ("✔", "green")
    state = str(one["reason"] or ("queued" if one["queued"] else "quiet")).replace("_", " ")
    queued = f"  {one['queued']} queued" if one["queued"] else ""
    left = ((f"{sign} ", style), (one["name"], "bold"), (f"  {one['project_name']}", "dim"))
    return Row(key, left, ((f"{state}{queued}", style),))


def _queue(one: Mapping[str, Any]) -> Text:
    text = Text(f"{one['name']}\n", style="bold")
    text.append(f"tip {one['tip'][:12]}  published {one['published'][:12]}  {one['relation']}\n", style="dim")
    if one["stopped"]:
        text.append(f"\n◆ stopped: {plain(one['stopped'])}\n", style="yellow")
    if one["waits_for"]:
        text.append(f"\nwaits for {plain(one['waits_for'])}\n", style="yellow")
    for line in one["next"]:
        text.append(f"  {plain(line)}\n", style="cyan")
    text.append("\nlands next\n" if one["queue"] else "\nNothing waits to land.\n", style="bold")
    for number, landing in enumerate(one["queue"], 1):
        text.append(f"  {number}. {one_line(landing['title'] or landing['kind'])}")
        verdict = f", {landing['verdict']}" if landing["verdict"] else ""
        text.append(f"  {landing['state'].replace('_', ' ')}{verdict}", style="cyan")
        text.append(f"  {ago(landing['since'], time.time())}\n", style="dim")
    return text
