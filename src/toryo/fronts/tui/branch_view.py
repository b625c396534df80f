"""Branch mode: every branch in one stable list, and beside it its details and its summary, both at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar, cast

from rich.text import Text
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input, Static

from toryo.fronts.text.branches import counted
from toryo.fronts.text.output import ago, one_line
from toryo.fronts.text.steps import MOVING_SIGN, SIGNS
from toryo.fronts.tui.agent.agent_view import AgentView
from toryo.fronts.tui.agent.unfinished import unfinished, unfinished_line
from toryo.fronts.tui.branch_acts import ACTS, BranchActs
from toryo.fronts.tui.keys import ALL, bindings
from toryo.fronts.tui.plan import plan_wizard
from toryo.fronts.tui.plan.plan_wizard import PlanWizard
from toryo.fronts.tui.row_list import Row, RowList

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import ComposeResult
    from textual.widget import Widget

PAGE = 200
KINDS = {"local": ("local", ""), "agent": ("agent", "cyan"), "remote": ("remote", "dim")}
NO_PROJECT = "There is no project here. `toryo init` makes this repository one."
WHICH_PROJECT = "No project is chosen: P chooses one."


class BranchView(BranchActs):
    NAME = "branches"
    CALM_S = 1.0  # each look is one of git
    HINTS = (
        "Tab agent · p plan · S summary · w worktree · s start · M merge · D delete · C checkout · / filter"
        " · Enter task · j/k move · F1 find · ? keys"
    )
    BINDINGS: ClassVar = bindings(("filter", "plan_here", "checkout", *ACTS))
    DEFAULT_CSS = """
    BranchView { layout: vertical; }
    BranchView #unfinished { height: 1; padding: 0 1; background: $boost; display: none; }
    BranchView #unfinished.open { display: block; }
    BranchView #list { width: 50%; min-width: 36; }
    BranchView #branches-list { height: 1fr; border: round $primary; }
    BranchView RowList:focus { border: round $accent; }
    BranchView #side { width: 1fr; }
    BranchView #details { height: 60%; border: round $primary; padding: 0 1; }
    BranchView #summary { height: 1fr; border: round $primary; padding: 0 1; }
    BranchView #branch-filter { height: 1; border: none; padding: 0 1; background: $boost; display: none; }
    BranchView #branch-filter.open { display: block; }
    BranchView.planning #body, BranchView.planning #unfinished { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(id=self.NAME)
        self.branches: dict[str, dict[str, Any]] = {}
        self._tasks: dict[str, dict[str, Any]] = {}
        """By the branch that they work on."""
        self._filter = ""
        self._wanted = ""
        """Branch to stand on once it is known."""
        self._was_told = False

    def compose(self) -> ComposeResult:
        yield Static(id="unfinished", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="list"):
                yield Input(id="branch-filter", placeholder="filter: Enter keeps it, Esc takes it away")
                yield RowList(id="branches-list", empty="No branches.")
            with Vertical(id="side"):
                yield VerticalScroll(Static(id="about", markup=False), id="details")
                yield VerticalScroll(Static(id="summarised", markup=False), id="summary")

    def on_mount(self) -> None:
        self.query_one("#branches-list").border_title = "branches"
        self.query_one("#details").border_title = "details"
        self.query_one("#summary").border_title = "AI summary"

    @property
    def chosen(self) -> dict[str, Any] | None:
        return self.branches.get(self.query_one("#branches-list", RowList).key)

    def keep_summary(self, commit: str, text: str) -> None:
        for one in self.branches.values():
            if one["commit"] == commit:
                one["summary"] = text

    @property
    def _is_planning(self) -> bool:
        return self.has_class("planning")

    @property
    def hints(self) -> str:
        return plan_wizard.HINTS if self._is_planning else self.HINTS

    def first_focus(self) -> Widget:
        return self.query_one("#plan-say" if self._is_planning else "#branches-list")

    def news(self, events: list[dict[str, Any]] | None) -> None:
        """A plan that is made here waits for no git."""
        if self._is_planning:
            self.is_stale = True
            self.query_one(PlanWizard).news()
        else:
            super().news(events)

    async def look(self) -> None:
        if not self.front.has_project:
            told = WHICH_PROJECT if self.front.projects else NO_PROJECT
            self.query_one("#about", Static).update(told)
            return
        if not self.branches:
            self.query_one("#about", Static).update(Text("The branches are being read …", style="dim"))
        await self._look_for_unfinished()
        where = self.front.where
        tasks = await self.front.ask("list_tasks", **where, recent=1000)
        self._tasks = {one["branch"]: one for one in tasks["tasks"] if one["branch"]}
        found: list[dict[str, Any]] = []
        offset = 0
        while True:
            page = await self.front.ask("list_branches", **where, offset=offset, limit=PAGE)
            found += page["branches"]
            if page["ended"] or not page["branches"]:
                break
            offset = page["next_offset"]
        self.has_model = await self.model_is_set()
        self.branches = {f"{one['kind']}:{one['name']}": one for one in found}
        self._show()

    async def _look_for_unfinished(self) -> None:
        """Once: agent mode offers them, and asks no more."""
        if not self._was_told:
            self._was_told = True
            listed = await self.front.ask("list_missions", **self.front.where, limit=1000)
            if (found := unfinished(listed["missions"])) and not self._is_offered:
                told = self.query_one("#unfinished", Static)
                told.update(unfinished_line(found))
                told.add_class("open")

    @property
    def _is_offered(self) -> bool:
        return self.front.query_one(AgentView).was_offered

    def seen(self) -> None:
        if self._is_offered:
            self.query_one("#unfinished").remove_class("open")
        super().seen()

    def project_changed(self) -> None:
        self.branches, self._tasks, self._was_told = {}, {}, False
        self._show()

    def _show(self) -> None:
        listed = self.query_one("#branches-list", RowList)
        kept = {key: one for key, one in self.branches.items() if self._filter.lower() in one["name"].lower()}
        listed.border_title = f"branches {len(kept)}" + (f" of {len(self.branches)}" if self._filter else "")
        listed.put([self._row(key, one) for key, one in kept.items()])
        if self._wanted and listed.select(self._wanted):
            self._wanted = ""
        self._describe()

    def _row(self, key: str, one: Mapping[str, Any]) -> Row:
        kind, style = KINDS.get(one["kind"], (one["kind"], ""))
        task = self._tasks.get(one["name"])
        sign, colour = SIGNS.get(task["status"], (MOVING_SIGN, "cyan")) if task else (" ", "")
        mark = "◎" if one["is_target"] else "▪" if one["worktree"] else " "
        far = "" if one["ahead"] is None else f"↑{one['ahead']} ↓{one['behind']}"
        left = (
            (f"{mark} ", "bold"),
            (f"{sign} ", colour),
            (one["name"], "bold" if one["is_target"] else style),
        )
        return Row(key, left, ((f"{far:>9}  ", "dim"), (f"{kind:<6}", style)))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        self._describe()

    def _describe(self) -> None:
        one = self.chosen
        text = Text("Nothing is chosen.", style="dim") if one is None else self._about(one)
        self.query_one("#about", Static).update(text)
        self.show_summary()

    def _about(self, one: Mapping[str, Any]) -> Text:
        text = Text(f"{one['name']}\n", style="bold")
        text.append(f"{KINDS.get(one['kind'], (one['kind'], ''))[0]} branch", style="dim")
        text.append(", work lands on it\n" if one["is_target"] else "\n", style="dim")
        text.append(f"\n{one_line(one['subject'])}\n")
        past = ago(one["committed_at"], time.time())
        text.append(f"{one['commit'][:12]}  {f'{past} ago' if past else one['committed_at']}\n", style="dim")
        if one["ahead"] is None:
            text.append("\nNothing in common with the target.\n", style="yellow")
        elif not one["is_target"]:
            text.append(f"\n{counted(one['ahead'])} ahead, {one['behind']} behind\n")
        text.append(f"\nworktree  {one['worktree'] or '—'}\n")
        if task := self._tasks.get(one["name"]):
            sign, style = SIGNS.get(task["status"], (MOVING_SIGN, "cyan"))
            reason = f" ({task['reason'].replace('_', ' ')})" if task["reason"] else ""
            text.append("task      ")
            text.append(f"{sign} {task['status'].replace('_', ' ')}{reason}  ", style=style)
            text.append(f"{one_line(task['title'])}  {task['id']}\n")
            text.append(f"lands on  {task['target_branch']}\n")
            text.append(f"changed   {ago(task['changed_at'], time.time())} ago\n")
        return text

    def offers(self) -> list[tuple[str, str, Callable[[], object]]]:
        one = self.chosen
        if one is None or self._is_planning:
            return []
        about = {key.name: key.about.partition(",")[0].partition(";")[0].capitalize() for key in ALL}
        acts = ("plan_here", "checkout", *ACTS) if one["kind"] != "remote" else ("checkout", "summary")
        return [(f"{about[act]}: {one['name']}", "the chosen branch", self._act(act)) for act in acts]

    def _act(self, name: str) -> Callable[[], object]:
        return cast("Callable[[], object]", getattr(self, f"action_{name}"))

    def go_to(self, key: str) -> None:
        """Stand on that branch, also one that is still to come."""
        self._wanted, self._filter = key, ""
        self._show()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        task = self._tasks.get(self.branches[event.key]["name"])
        if task is not None:
            self.front.open_task(task["id"])

    def on_input_changed(self, event: Input.Changed) -> None:
        self._filter = event.value.strip()
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.query_one("#branches-list").focus()

    def key_escape(self) -> None:
        if self._is_planning:
            self.query_one(PlanWizard).action_leave_plan()
            return
        said = self.query_one("#branch-filter", Input)
        said.value = ""
        said.remove_class("open")
        self.query_one("#branches-list").focus()

    def action_filter(self) -> None:
        said = self.query_one("#branch-filter", Input)
        said.add_class("open")
        said.focus()

    def action_checkout(self) -> None:
        one = self.chosen
        if one is not None:
            self.front.copy(f"git checkout {one['name']}")

    def action_plan_here(self) -> None:
        """Spec, plan and tasks for this branch; nothing is started, and branch mode stays."""
        one = self.chosen
        if one is None or one["kind"] == "remote":
            self.front.notify("A plan is made for a local branch.")
        elif not self.has_model:
            self.front.notify("AI settings are required: F2 in agent mode opens them.")
        else:
            self.mount(PlanWizard(self, str(one["name"])))
            self.add_class("planning")
            self.front.show_hints()

    def on_plan_wizard_left(self, event: PlanWizard.Left) -> None:
        self.query(PlanWizard).remove()
        self.remove_class("planning")
        self.front.show_hints()
        self.query_one("#branches-list").focus()
        self.news(None)
