"""Work screen: what needs a person, the stable tree of all work, and a preview of one row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from toryo.fronts.text.output import plain
from toryo.fronts.tui.dialogs import TextDialog, YesDialog
from toryo.fronts.tui.keys import bindings
from toryo.fronts.tui.row_list import RowList
from toryo.fronts.tui.view import View
from toryo.fronts.tui.work.acting import Acting
from toryo.fronts.tui.work.preview import Preview
from toryo.fronts.tui.work.work_rows import Tree, attention_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.widget import Widget

MOST_TASKS = 2000
MOST_MISSIONS = 1000
ACTS = (
    *("approve", "reject", "retry", "cancel", "submit", "dismiss", "message", "attach", "actions"),
    *("only_waiting", "attention", "terminal", "next_tab", "previous_tab", "mark", "filter"),
    *("next_hunk", "previous_hunk", "mark_hunk", "comment", "send_comments"),
)


class WorkView(View):
    NAME = "work"
    HINTS = (
        "i needs you · a yes · x no · . all · m say · [] tabs · v/V seen · A attach · / filter · w waiting"
        " · r retry · c cancel · t log · Tab agent · F1 find · ? keys"
    )
    BINDINGS: ClassVar = bindings(ACTS)
    DEFAULT_CSS = """
    WorkView { layout: horizontal; }
    WorkView #left { width: 46%; min-width: 36; }
    WorkView #needs { height: auto; max-height: 35%; min-height: 3; border: round $warning; }
    WorkView #tree { height: 1fr; border: round $primary; }
    WorkView RowList:focus { border: round $accent; }
    WorkView #filter { height: 1; border: none; padding: 0 1; background: $boost; display: none; }
    WorkView #filter.open { display: block; }
    WorkView Preview { width: 1fr; height: 100%; }
    """

    def __init__(self) -> None:
        super().__init__(id=self.NAME)
        self.work = Tree()
        self.needs: list[dict[str, Any]] = []
        self._wanted = ""
        """Row to stand on as soon as it is there."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="left"):
                yield RowList(id="needs", empty="Nothing needs you.")
                yield Input(id="filter", placeholder="filter: Enter keeps it, Esc takes it away")
                yield RowList(id="tree", empty="No work yet: n asks for some.")
            yield Preview()

    def on_mount(self) -> None:
        self.query_one("#needs").border_title = "needs you"
        self.query_one("#tree").border_title = "work"

    def first_focus(self) -> Widget:
        return self.query_one("#tree")

    def seen(self) -> None:
        super().seen()
        self.query_one(Preview).look_again()  # what was followed has stopped

    async def look(self) -> None:
        where = self.front.where
        status = await self.front.ask("get_status", **where)
        missions = await self.front.ask("list_missions", **where, limit=MOST_MISSIONS)
        tasks = await self.front.ask("list_tasks", **where, recent=MOST_TASKS)
        self.needs = status["needs_you"]
        self.front.show_counts(status)
        self.work.put(status["projects"], missions["missions"], tasks["tasks"])
        self._show()
        self.query_one(Preview).look_again()

    def _show(self) -> None:
        needs = self.query_one("#needs", RowList)
        needs.border_title = f"needs you {len(self.needs)}" if self.needs else "needs you"
        needs.put(attention_rows(self.needs))
        needs.styles.height = max(3, len(self.needs) + 2)
        tree = self.query_one("#tree", RowList)
        tree.put(self.work.rows({one["subject"] for one in self.needs}))
        if self._wanted:
            self.work.unfold(self._wanted)
            if tree.select(self._wanted):
                self._wanted = ""

    def only(self, text: str) -> None:
        """What a filter of that text leaves, which stands there to be taken away."""
        said = self.query_one("#filter", Input)
        said.add_class("open")
        said.value = text

    def go_to(self, key: str) -> None:
        """Stand on that row, also one that is still to come."""
        self._wanted = key
        self.work.filter, self.work.only_waiting = "", False
        self.work.unfold(key)
        self._show()

    @property
    def key(self) -> str:
        """Of what is acted on: the row under the cursor of the list that has the focus."""
        listed = self.query_one("#needs" if self.query_one("#needs").has_focus else "#tree", RowList)
        return listed.key

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        if event.list.has_focus or (event.list.id == "tree" and not self.query_one("#needs").has_focus):
            self.query_one(Preview).show(event.key)

    def on_descendant_focus(self) -> None:
        if isinstance(self.app.focused, RowList):
            self.query_one(Preview).show(self.key)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        if event.list.id == "needs":
            self.go_to(event.key)
        kind, _, name = event.key.partition(":")
        if kind == "mission":
            self.front.open_mission(name)
        elif kind == "task":
            self.query_one("#page").focus()
        else:
            self.on_row_list_folded(RowList.Folded(event.list, event.key))

    def on_row_list_folded(self, event: RowList.Folded) -> None:
        if event.list.id == "tree":
            on = self.work.fold(event.key)
            self._show()
            event.list.select(on)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.work.filter = event.value.strip()
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.query_one("#tree").focus()

    def key_escape(self) -> None:
        if self.work.filter or self.query_one("#filter").has_class("open"):
            said = self.query_one("#filter", Input)
            said.value = ""
            said.remove_class("open")
        self.query_one("#tree").focus()

    def action_filter(self) -> None:
        said = self.query_one("#filter", Input)
        said.add_class("open")
        said.focus()

    def action_only_waiting(self) -> None:
        self.work.only_waiting = not self.work.only_waiting
        self.query_one("#tree").border_title = "work: only what waits" if self.work.only_waiting else "work"
        self._show()

    def action_attention(self) -> None:
        self.query_one("#tree" if self.query_one("#needs").has_focus else "#needs").focus()

    def action_next_tab(self) -> None:
        self.query_one(Preview).step(1)

    def action_previous_tab(self) -> None:
        self.query_one(Preview).step(-1)

    def action_terminal(self) -> None:
        preview = self.query_one(Preview)
        preview.tab = "log" if preview.tab == "terminal" else "terminal"

    def action_mark(self) -> None:
        kind, _, name = self.key.partition(":")
        if kind == "task":
            self.begin(self._mark(name, []))

    def action_mark_hunk(self) -> None:
        preview = self.query_one(Preview)
        kind, _, name = self.key.partition(":")
        if kind == "task" and preview.hunk and preview.tab == "diff":
            self.begin(self._mark(name, [preview.hunk]))
            preview.step_hunk(1)
        else:
            self.front.notify("} goes to a hunk of the diff first.")

    def action_comment(self) -> None:
        place, task = self.query_one(Preview).place, self.key.partition(":")[2]
        if not place:
            self.front.notify("} goes to a hunk of the diff first.")
            return

        def typed(text: str | None) -> None:
            if text:
                self.begin(self._comment(task, {**place, "text": text}))

        where = f"{place['path']}:{place['first']}-{place['last']}"
        self.front.push_screen(TextDialog(f"comment on {plain(where)}", hint="Enter keeps a draft"), typed)

    async def _comment(self, task: str, comment: dict[str, Any]) -> None:
        await self.front.ask("comment_review", task=task, **comment)
        self.query_one(Preview).look_again()

    def action_send_comments(self) -> None:
        kind, _, task = self.key.partition(":")
        if kind == "task":
            asked = YesDialog(f"Send all drafts about {task} to its agent?")
            self.front.push_screen(asked, lambda yes: self.begin(self._send(task)) if yes else None)

    async def _send(self, task: str) -> None:
        sent = await self.front.ask("send_review", task=task)
        self.front.notify(f"{sent['sent']} comments are sent", markup=False)
        self.news(None)

    def action_next_hunk(self) -> None:
        self.query_one(Preview).step_hunk(1)

    def action_previous_hunk(self) -> None:
        self.query_one(Preview).step_hunk(-1)

    async def _mark(self, task: str, hunks: list[str]) -> None:
        """Those; none named: all of them."""
        done = await self.front.ask("mark_hunks", task=task, hunks=hunks)
        if not hunks:
            self.front.notify(f"{len(done['marked'])} hunks are marked as seen")
        self.query_one(Preview).look_again()

    @property
    def _acting(self) -> Acting:
        return Acting(self, self.key, self._offered())

    def _offered(self) -> list[dict[str, Any]]:
        """As attention has it, else as the preview was told."""
        item = next((one for one in self.needs if one["subject"] == self.key), None)
        preview = self.query_one(Preview)
        return item["actions"] if item else preview.actions if preview.key == self.key else []

    def offers(self) -> list[tuple[str, str, Callable[[], object]]]:
        acting = self._acting
        return [
            (one["do"].replace("_", " ").capitalize(), plain(one["line"]), partial(acting.act, one))
            for one in acting.offered
        ]

    def action_approve(self) -> None:
        self._acting.do("approve")

    def action_reject(self) -> None:
        self._acting.do("reject")

    def action_retry(self) -> None:
        self._acting.do("retry")

    def action_cancel(self) -> None:
        self._acting.do("cancel")

    def action_submit(self) -> None:
        self._acting.do("submit")

    def action_dismiss(self) -> None:
        self._acting.do("dismiss")

    def action_message(self) -> None:
        self._acting.do("message")

    def action_attach(self) -> None:
        self._acting.do("attach")

    def action_actions(self) -> None:
        self._acting.choose()
