"""Agent mode: the conversation with a mission, history above and input below, and nothing beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.widgets import Input, Static

from toryo.domain.errors import ToryoError, UserError
from toryo.domain.words import MISSION_ENDED, MissionStatus
from toryo.fronts.processes.planner import is_configured, of_shell
from toryo.fronts.tui.agent import chat_text, turns
from toryo.fronts.tui.agent.chat import Chat
from toryo.fronts.tui.agent.model_wizard import ModelWizard
from toryo.fronts.tui.agent.turns import Turn
from toryo.fronts.tui.agent.unfinished import Unfinished, unfinished
from toryo.fronts.tui.keys import bindings
from toryo.fronts.tui.line_input import LineInput
from toryo.fronts.tui.view import View

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from toryo.protocol.views.missions import MissionView

START_S = 90.0
NO_MODEL = "AI settings are required. F2 opens the settings; everything else works without them."
PLACEHOLDERS = {
    Turn.REQUEST: "What do you want done?",
    Turn.QUESTIONS: "Enter takes every default; or an answer",
    Turn.PLAN: "PageDown reads on · Enter or y approves; a reason rejects",
    Turn.WORK: "Say something to it, or Esc to interrupt",
    Turn.PAUSED: "Paused: /resume goes on; or say what is to be different",
}
WELCOME = (
    "Say what you want done. Questions come in one batch with defaults, then the plan as a whole; after your "
    "yes the work goes on by itself and lands only what was checked. /help shows more words."
)
APPROVE = "Start the work? Enter or y approves; a reason rejects."
STOP = "Nothing new is started. Enter or Esc once more ends its agents now; /resume goes on."


class AgentView(View):
    NAME = "agent"
    CALM_S = 0.05
    HINTS = (
        "Tab branches · PgUp/PgDn scroll · Esc interrupt · F1 find · F2 model · F3 work · F4 queue"
        " · Ctrl+Q leave · /help words"
    )
    BINDINGS: ClassVar = bindings(("interrupt", "settings", "read_on", "read_back"))
    DEFAULT_CSS = """
    AgentView { layout: vertical; }
    AgentView #mission { height: 1; padding: 0 1; background: $boost; }
    AgentView #say, AgentView #say:focus { border: round $primary; height: 3; }
    AgentView #say:focus { border: round $accent; }
    """

    def __init__(self) -> None:
        super().__init__(id=self.NAME)
        self.mission: MissionView | None = None
        self.chosen = ""
        """Id of the mission that is shown."""
        self._is_stopping = False
        self._has_model: bool | None = None
        self._queued = 0
        self.was_offered = False
        """Whether unfinished missions were."""

    def compose(self) -> ComposeResult:
        yield Static(id="mission", markup=False)
        yield Chat(id="chat")
        said = LineInput(id="say", select_on_focus=False, disabled=True)
        yield said

    def first_focus(self) -> Widget:
        said = self.query_one("#say", Input)
        return self.chat if said.disabled else said

    @property
    def chat(self) -> Chat:
        return self.query_one(Chat)

    async def look(self) -> None:
        await self._look_at_model()
        listed = await self.front.ask("list_missions", **self.front.where, limit=1000)
        missions = listed["missions"]
        if not self.was_offered:
            self.was_offered = True
            if not self.chosen and (found := unfinished(missions)):
                self.front.push_screen(Unfinished(found), self._offered)
        if not self.chosen:
            self.mission = None
            if self.chat.once("welcome"):
                self.chat.note(WELCOME, "dim")
        else:
            answer = await self.front.ask("show_mission", mission=self.chosen)
            self.mission = answer["mission"]
        self._queued = sum(one["status"] == "queued" for one in missions)
        self._show_status()
        self._show()

    def _show_status(self) -> None:
        told = self.query_one("#mission", Static)
        told.update(chat_text.status(self.mission, self._queued, told.size.width - 2))

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_status)

    async def _look_at_model(self) -> None:
        listed = await self.front.ask("list_config")
        config = {one["key"]: one["value"] for one in listed["settings"]}
        has_model = is_configured(config, of_shell(config))
        if has_model != self._has_model:
            became = has_model and self._has_model is not None
            self._has_model = has_model
            said = self.query_one("#say", Input)
            said.disabled = not has_model
            if became:
                self.chat.note("The model is set: ask for something.", "green")
            if not has_model:
                self.chat.note(NO_MODEL, "bold yellow")
            elif self.is_seen and not self.front.has_dialog:
                said.focus()

    def project_changed(self) -> None:
        self.was_offered = False
        self.open("")

    def _offered(self, mission: str | None) -> None:
        if mission:
            self.open(mission)

    def open(self, mission: str) -> None:
        """Show that one, from its first word; empty: a new request."""
        self.chosen, self.mission = mission, None
        self._is_stopping = False
        self.chat.forget()
        self.news(None)

    def _show(self) -> None:
        now = turns.turn(self.mission)
        said = self.query_one("#say", Input)
        said.placeholder = "AI settings are required (F2)" if said.disabled else PLACEHOLDERS[now]
        if self.mission is None:
            return
        self.chat.show(self.mission, APPROVE)
        if self.mission["status"] in MISSION_ENDED and self.chat.once(f"end {self.mission['id']}"):
            self.chat.note(f"The mission is {self.mission['status']}. Ask for more, or Tab.")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.value = ""
        self.chat.to_end()
        if self._is_stopping and not text and self.mission is not None:
            self._is_stopping = False
            self.begin(self._call("pause_mission", {"mission": self.mission["id"], "now": True}))
            return
        self._is_stopping = False
        self._take(text)

    def _take(self, text: str) -> None:
        if not text.startswith("/"):
            told = turns.line(self.mission, text, self.chat.answers)
        elif (word := text.split()[0]) in ("/new", "/missions", "/settings", "/help") or text == "/plan":
            return self._own_word(word)
        else:
            told = turns.command(self.mission, text)
        if told.note:
            self.chat.note(told.note)
        if told.tool:
            self.begin(self._send(told.tool, told.arguments, text))
        return None

    async def _send(self, tool: str, arguments: dict[str, Any], text: str) -> None:
        """What is refused stands in the input again, unless something else is typed there by now."""
        waiting = self.chat.note("…", "dim") if tool == "start_mission" else None
        try:
            await self._call(tool, arguments)
        except ToryoError:
            said = self.query_one("#say", Input)
            if not said.value:
                said.value = text
                said.cursor_position = len(text)
            raise
        finally:
            if waiting is not None:
                await waiting.remove()

    def _own_word(self, word: str) -> None:
        match word:
            case "/new":
                self.open("")
            case "/missions":
                self.was_offered = False
                self.news(None)
            case "/settings":
                self.action_settings()
            case "/plan":
                if self.mission is not None and self.mission["plan"] is not None:
                    self.chat.show_plan(self.mission, APPROVE, again=True)
            case _:
                words = "\n".join(f"{word:<10} {about}" for word, about in turns.COMMANDS.items())
                self.chat.note(words.strip(), "cyan")

    async def _call(self, tool: str, arguments: dict[str, Any]) -> None:
        if tool == "start_mission":
            if not await self.front.insist_on_project():
                raise UserError("Which project is it for?", hint="P or F1 chooses one.")
            begun = await self.front.ask(tool, **self.front.where, **arguments, timeout_s=START_S)
            self.open(begun["mission"])
            for note in begun["notes"]:
                self.chat.note(note, "dim")
            return
        said = await self.front.ask(tool, **arguments)
        if said["already"]:
            self.chat.note(f"Somebody was first: {said['by']}")
        self.news(None)

    def action_interrupt(self) -> None:
        """Once: nothing new is started, and it is asked. Twice: its agents end."""
        mission = self.mission
        if mission is None or mission["status"] in MISSION_ENDED:
            return
        now = self._is_stopping or mission["status"] == MissionStatus.PAUSED
        self._is_stopping = not now
        if not now:
            self.chat.note(STOP, "bold yellow")
        self.begin(self._call("pause_mission", {"mission": mission["id"], "now": now}))

    def action_read_on(self) -> None:
        self.chat.action_page_down()

    def action_read_back(self) -> None:
        self.chat.release_anchor()
        self.chat.action_page_up()

    def action_settings(self) -> None:
        def done(is_set: bool | None) -> None:
            if is_set:
                self.front.start_planner()
                self.news(None)

        self.front.push_screen(ModelWizard(), done)
