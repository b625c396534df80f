"""Acts of branch mode: what a person does with the chosen branch, each once, by the daemon's tool for it."""

from __future__ import annotations

from typing import Any

from textual.widgets import Static

from toryo.domain.client_names import OUTSIDE, PROGRAMS
from toryo.domain.errors import ToryoError
from toryo.fronts.processes.planner import is_configured, of_shell
from toryo.fronts.text.branches import unmerged
from toryo.fronts.text.output import plain
from toryo.fronts.tui import branch_summary
from toryo.fronts.tui.dialogs import ChoiceDialog, YesDialog
from toryo.fronts.tui.row_list import Row
from toryo.fronts.tui.view import View

ACTS = ("delete_branch", "merge_branch", "open_branch", "start_here", "summary")
WITHIN_S = 90.0
SUMMARY_WITHIN_S = 180.0


class BranchActs(View):
    has_model = False
    """Whether the planner has a model; without one there are no summaries."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self._asked: set[str] = set()
        """Commits that the model is asked about now."""
        self._failed: dict[str, str] = {}
        """What was said instead of a summary, by commit."""

    @property
    def chosen(self) -> dict[str, Any] | None:
        """The branch that the cursor is on."""
        return None

    def own(self) -> dict[str, Any] | None:
        """The chosen one, if something may be done with it from here."""
        one = self.chosen
        if one is not None and one["kind"] == "remote":
            self.front.notify("A remote branch is not ours: make a local one of it.")
            return None
        return one

    def action_delete_branch(self) -> None:
        one = self.own()
        if one is None:
            return
        name, count = str(one["name"]), one["ahead"]

        def asked(yes: bool | None) -> None:
            if yes:
                self.begin(self._delete(name, str(one["commit"])))

        question = f"Delete {plain(name)}?\nIt has {unmerged(count)}. Its commits are kept."
        self.front.push_screen(YesDialog(question), asked)

    async def _delete(self, name: str, commit: str) -> None:
        told = await self.front.ask(
            "delete_branch", **self.front.where, branch=name, commit=commit, timeout_s=WITHIN_S
        )
        self.front.notify(f"{plain(name)} is deleted. The line that makes it again:", markup=False)
        self.front.copy(told["back"])
        self.news(None)

    def action_merge_branch(self) -> None:
        one = self.own()
        if one is None:
            return
        name, count = str(one["name"]), one["ahead"]

        def asked(yes: bool | None) -> None:
            if yes:
                self.begin(self._merge(name))

        question = f"Send {plain(name)} through the gate?\nIt has {unmerged(count)}."
        self.front.push_screen(YesDialog(question), asked)

    async def _merge(self, name: str) -> None:
        told = await self.front.ask("merge_branch", **self.front.where, branch=name, timeout_s=WITHIN_S)
        self.front.notify(
            f"{told['task']} takes {plain(name)} to {plain(told['target'])}; Work shows its checks",
            markup=False,
        )
        self.news(None)

    def action_open_branch(self) -> None:
        one = self.own()
        if one is not None:
            self.begin(self._open(str(one["name"])))

    async def _open(self, name: str) -> None:
        told = await self.front.ask("open_branch", **self.front.where, branch=name, timeout_s=WITHIN_S)
        self.front.copy(told["line"])
        self.news(None)

    def action_start_here(self) -> None:
        one = self.own()
        if one is not None:
            self.begin(self._choose_agent(str(one["name"])))

    async def _choose_agent(self, name: str) -> None:
        """One of those that have a screen of their own."""
        listed = (await self.front.ask("list_agents", **self.front.where))["agents"]
        rows = [
            Row(one["id"], ((one["id"], ""),), ((str(one["client"]), "dim"),))
            for one in listed
            if one["client"] not in (*PROGRAMS, OUTSIDE, "", None)
        ]
        if not rows:
            self.front.notify("No agent here is an agent CLI: `toryo agent add NAME --client claude`.")
            return

        def chosen(agent: str | None) -> None:
            if agent:
                self.begin(self._start(name, agent))

        self.front.push_screen(ChoiceDialog(f"who starts on {plain(name)}?", rows), chosen)

    async def _start(self, name: str, agent: str) -> None:
        told = await self.front.ask(
            "start_on_branch", **self.front.where, branch=name, agent=agent, timeout_s=WITHIN_S
        )
        self.front.notify(f"{plain(agent)} is started in {plain(told['path'])}.", markup=False)
        self.front.copy(told["attach"])
        self.news(None)

    # the summary

    async def model_is_set(self) -> bool:
        listed = await self.front.ask("list_config")
        config = {one["key"]: one["value"] for one in listed["settings"]}
        return is_configured(config, of_shell(config))

    def show_summary(self) -> None:
        one = self.chosen
        commit = str(one["commit"]) if one else ""
        text = branch_summary.shown(
            one,
            has_model=self.has_model,
            asked=commit in self._asked,
            failed=self._failed.get(commit, ""),
        )
        self.query_one("#summarised", Static).update(text)

    def action_summary(self) -> None:
        one = self.chosen
        if one is not None and str(one["commit"]) not in self._asked and not one.get("summary"):
            self._asked.add(str(one["commit"]))
            self.show_summary()
            self.begin(self._summarise(str(one["name"]), str(one["commit"])))

    async def _summarise(self, name: str, commit: str) -> None:
        where = self.front.where
        try:
            told = await self.front.ask("summarise_branch", **where, branch=name, timeout_s=SUMMARY_WITHIN_S)
        except ToryoError as refused:
            self._failed[commit] = f"{refused.message} {refused.hint}".strip()
        else:
            self._failed.pop(commit, None)
            self.keep_summary(commit, str(told["summary"]))
        finally:
            self._asked.discard(commit)
        self.show_summary()

    def keep_summary(self, commit: str, text: str) -> None:
        """Of every branch that is at this commit."""
