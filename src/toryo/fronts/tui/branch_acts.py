"""Acts of branch mode: what a person does with the chosen branch, each once, by the daemon's tool for it."""

from __future__ import annotations

from typing import Any

from toryo.fronts.text.branches import unmerged
from toryo.fronts.text.output import plain
from toryo.fronts.tui.dialogs import YesDialog
from toryo.fronts.tui.view import View

ACTS = ("delete_branch", "merge_branch")
WITHIN_S = 90.0


class BranchActs(View):
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
