"""Wizard of a plan for one branch, inside branch mode: a sentence, questions, the plan, then its files.

Nothing is started: the files are written into the branch's worktree, uncommitted.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static

from toryo.domain.errors import ToryoError
from toryo.fronts import exported_files
from toryo.fronts.text.output import one_line
from toryo.fronts.tui.agent import chat_text, turns
from toryo.fronts.tui.agent.chat import Chat
from toryo.fronts.tui.agent.turns import Turn
from toryo.fronts.tui.background import in_thread
from toryo.fronts.tui.keys import bindings
from toryo.fronts.tui.line_input import LineInput

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from toryo.fronts.tui.view import View
    from toryo.protocol.views.missions import MissionView

WITHIN_S = 90.0
WRITE = "Enter or y writes its files into the branch's worktree, uncommitted; a reason changes the plan."
PLACEHOLDERS = {
    Turn.REQUEST: "What is it about?",
    Turn.QUESTIONS: "Enter takes every default; or an answer",
    Turn.PLAN: "PageDown reads on · Enter or y writes the files; a reason changes it",
    Turn.WORK: "It is being planned; what you say meanwhile is weighed",
    Turn.PAUSED: "It is paused: agent mode goes on with it",
}
HINTS = "Enter sends · PgUp/PgDn scroll · Esc back · Tab agent · F1 find"


class PlanWizard(Vertical):
    BINDINGS = bindings(("read_on", "read_back", "leave_plan"))
    DEFAULT_CSS = """
    PlanWizard #planning { height: 1; padding: 0 1; background: $boost; }
    PlanWizard #plan-say, PlanWizard #plan-say:focus { border: round $primary; height: 3; }
    PlanWizard #plan-say:focus { border: round $accent; }
    """

    class Left(Message):
        """The branches are shown again."""

    def __init__(self, view: View, branch: str) -> None:
        super().__init__(id="plan-wizard")
        self._view, self.branch = view, branch
        self._begun = ""
        self._is_stale = self._is_looking = False
        self.mission: MissionView | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="planning", markup=False)
        yield Chat(id="plan-chat")
        yield LineInput(id="plan-say", placeholder=PLACEHOLDERS[Turn.REQUEST], select_on_focus=False)

    def on_mount(self) -> None:
        self._chat.note(f"Spec, plan and tasks for {self.branch}, as files there. Nothing is started.", "dim")
        self._show_line()
        self.query_one("#plan-say").focus()

    @property
    def _chat(self) -> Chat:
        return self.query_one(Chat)

    def news(self) -> None:
        """Look again; looks never overlap."""
        self._is_stale = True
        if self._begun and not self._is_looking:
            self._is_looking = True
            self._view.begin(self._look_until_fresh())

    async def _look_until_fresh(self) -> None:
        try:
            while self._is_stale and self.is_mounted:
                self._is_stale = False
                self.mission = (await self._view.front.ask("show_mission", mission=self._begun))["mission"]
                self._chat.show(self.mission, WRITE)
                self.query_one("#plan-say", Input).placeholder = PLACEHOLDERS[turns.turn(self.mission)]
                self._show_line()
        finally:
            self._is_looking = False

    def _show_line(self) -> None:
        line = self.query_one("#planning", Static)
        told = f"plan for {self.branch}"
        if self.mission is not None:
            told += f" · {self.mission['status'].replace('_', ' ')} · {one_line(self.mission['title'])}"
        line.update(told)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()  # it is no filter of the branches

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        event.input.value = ""
        self._chat.to_end()
        if self._begun and turns.turn(self.mission) is Turn.PLAN and text.lower() in turns.YES:
            self._view.begin(self._write())
            return
        if not self._begun:
            wish = {"text": text, "plan_only": True, "onto": self.branch}
            told = turns.Told("start_mission", wish) if text else turns.Told()
        else:
            told = turns.line(self.mission, text, self._chat.answers)
        if told.note:
            self._chat.note(told.note)
        if told.tool:
            self._view.begin(self._send(told, text))

    async def _send(self, told: turns.Told, text: str) -> None:
        """What is refused stands in the input again, unless something else is typed there by now."""
        front = self._view.front
        where = {} if self._begun else front.where
        waiting = None if self._begun else self._chat.note("…", "dim")
        try:
            answer = await front.ask(told.tool, **where, **told.arguments, timeout_s=WITHIN_S)
        except ToryoError:
            said = self.query_one("#plan-say", Input)
            said.value = said.value or text
            raise
        finally:
            if waiting is not None:
                await waiting.remove()
        if not self._begun:
            self._begun = str(answer["mission"])
            for note in answer["notes"]:
                self._chat.tell(chat_text.note(note, "dim"))
        self.news()

    async def _write(self) -> None:
        front = self._view.front
        answer: Any = await front.ask("export_mission", mission=self._begun)
        opened = await front.ask("open_branch", **front.where, branch=self.branch, timeout_s=WITHIN_S)
        folder = exported_files.inside(Path(str(opened["path"])), answer["directory"])
        files = exported_files.named(answer)
        written = await in_thread(lambda: exported_files.write(folder, files, force=False))
        told = f"{len(written)} files of {answer['directory']} are written, uncommitted, in {opened['path']}"
        front.notify(told, markup=False, timeout=10)
        self.post_message(self.Left())

    def action_read_on(self) -> None:
        self._chat.action_page_down()

    def action_read_back(self) -> None:
        self._chat.release_anchor()
        self._chat.action_page_up()

    def action_leave_plan(self) -> None:
        if self._begun:
            self._view.front.notify(
                f"{self._begun} stays as it is; agent mode goes on with it.", markup=False
            )
        self.post_message(self.Left())
