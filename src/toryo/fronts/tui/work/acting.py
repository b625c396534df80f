"""Action by key: what the daemon offers for a row, asked about first where it destroys something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toryo.domain.errors import ToryoError
from toryo.fronts import action_calls
from toryo.fronts.text.output import plain
from toryo.fronts.tui.dialogs import ChoiceDialog, PageDialog, TextDialog, YesDialog
from toryo.fronts.tui.row_list import Row
from toryo.fronts.tui.work.attach import attach

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toryo.fronts.tui.view import View
    from toryo.protocol.views.actions import ActionView

BY_KEY: dict[str, tuple[str, ...]] = {
    "approve": ("approve", "approve_mission", "approve_target", "release_run"),
    "reject": ("reject", "reject_mission"),
    "retry": ("retry", "retry_target", "release_account", "resume_mission", "resume_unit"),
    "cancel": ("cancel", "cancel_mission"),
    "submit": ("submit",),
    "dismiss": ("dismiss",),
    "message": ("say", "answer", "answer_mission", "say_to_mission"),
    "attach": ("attach",),
}
"""Key → the actions that it may be, the first that is offered."""
ALWAYS: dict[str, dict[str, str]] = {
    "task": {"message": "say", "attach": "attach", "cancel": "cancel", "retry": "retry"},
    "mission": {"message": "say_to_mission", "cancel": "cancel_mission"},
}
"""Tried where nothing is offered: the daemon says why not."""
QUESTIONS = {
    "answer_mission": "Answer {subject}: takes the default of every question?",
    **dict.fromkeys(("cancel", "cancel_mission", "release_run", "dismiss", "clear_inbox"), "{do} {subject}?"),
}
"""Asked first."""
READS = {"get_evidence", "show_mission", "doctor", "get_status", "wait_task", "list_messages"}


class Acting:
    def __init__(self, view: View, key: str, offered: list[dict[str, Any]]) -> None:
        self._view = view
        self._kind, _, self._name = key.partition(":")
        self.offered = cast("list[ActionView]", offered)

    def do(self, key: str) -> None:
        names = BY_KEY[key]
        for name in names:
            for one in self.offered:
                if one["do"] == name:
                    if name == "answer_mission":  # its questions are read before they are answered
                        return self._view.front.open_mission(one["subject"])
                    return self.act(one)
        always = ALWAYS.get(self._kind, {}).get(key)
        if always is None or not self._name:
            offered = ", ".join(one["do"].replace("_", " ") for one in self.offered) or "nothing"
            self._view.front.notify(f"{key} is not offered here; offered: {offered}", markup=False)
            return None
        return self.act({"do": always, "subject": self._name, "args": {}, "line": ""})

    def choose(self) -> None:
        """Everything that is offered, as a list."""
        rows = [
            Row(str(at), ((one["do"].replace("_", " "), "bold cyan"), (f"  {plain(one['line'])}", "dim")))
            for at, one in enumerate(self.offered)
        ]
        if not rows:
            self._view.front.notify("Nothing is offered here.")
            return

        def chosen(at: str | None) -> None:
            if at is not None:
                self.act(self.offered[int(at)])

        self._view.front.push_screen(ChoiceDialog("you may", rows), chosen)

    def act(self, one: ActionView) -> None:
        call = action_calls.call(one)
        front = self._view.front
        if call is None:
            front.copy(one["line"])
            return
        if one["do"] == "attach":
            self._view.begin(attach(front, str(call.arguments["id"])))
            return
        name = one["do"].replace("_", " ")

        if call.wants:
            self._ask_for(call, f"{name} {one['subject']}: {call.wants}", name)
            return

        def begin() -> None:
            self._view.begin(self._call(call.tool, call.arguments, name))

        if question := QUESTIONS.get(one["do"]):
            asked = question.format(do=name.capitalize(), subject=one["subject"])
            front.push_screen(YesDialog(asked), lambda yes: begin() if yes else None)
        else:
            begin()

    def _ask_for(self, call: action_calls.Call, title: str, name: str, text: str = "") -> None:
        """What is refused is asked for again, with what was typed."""

        async def say(told: str) -> None:
            try:
                await self._call(call.tool, {**call.arguments, call.wants: told}, name)
            except ToryoError:
                self._ask_for(call, title, name, told)
                raise

        def typed(told: str | None) -> None:
            if told:
                self._view.begin(say(told))

        self._view.front.push_screen(TextDialog(title, text=text), typed)

    async def _call(self, tool: str, arguments: Mapping[str, Any], name: str) -> None:
        front = self._view.front
        if tool == "start_mission":
            arguments = {**front.where, **arguments}
        if tool in ("assign_agent", "enable_agent"):
            arguments = {**front.where, **arguments} if tool == "assign_agent" else arguments
        answer = await front.ask(tool, **arguments, timeout_s=90)
        if tool in READS:
            front.push_screen(PageDialog(name, front.as_text(answer)))
        else:
            front.notify(f"{name}: done", markup=False)
        self._view.news(None)
