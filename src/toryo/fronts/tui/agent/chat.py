"""Chat widget: what a mission says, its questions and its plan, each once, in the order in which it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Static

from toryo.fronts.text.questions import Answers, open_questions
from toryo.fronts.tui.agent import chat_text, turns
from toryo.fronts.tui.agent.turns import Turn

if TYPE_CHECKING:
    from rich.console import RenderableType

    from toryo.protocol.views.missions import MissionView


class Chat(VerticalScroll, can_focus=True):
    DEFAULT_CSS = """
    Chat { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    Chat Static { height: auto; }
    Chat .card { border: round $primary-lighten-1; padding: 0 1; margin: 1 0 0 0; }
    Chat .question { border: round $warning; padding: 0 1; margin: 1 0 0 0; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.answers: Answers | None = None
        """To the questions that are open now."""
        self._shown_seq = 0
        self._cards: set[str] = set()
        """Questions and plans that stand here already."""

    def forget(self) -> None:
        """Another mission is shown from its first word."""
        self._shown_seq, self.answers = 0, None
        self._cards.clear()
        self.remove_children()

    def tell(self, text: RenderableType, kind: str = "line", title: str = "") -> Static:
        """At the end, which stays in sight for who was there."""
        was_at_end = self.scroll_offset.y >= self.max_scroll_y - 1
        line = Static(text, classes=kind, markup=False)
        line.border_title = title
        self.mount(line)
        if was_at_end:
            self.to_end()
        return line

    def note(self, words: str, style: str = "yellow") -> Static:
        return self.tell(chat_text.note(words, style))

    def once(self, card: str) -> bool:
        is_new = card not in self._cards
        self._cards.add(card)
        return is_new

    def show(self, mission: MissionView, approve: str) -> None:
        """What is new of it; `approve`: what is asked below a plan."""
        now = turns.turn(mission)
        for one in mission["messages"]:
            hidden = one["who"] == "planner" and now is Turn.QUESTIONS
            if one["seq"] > self._shown_seq and not hidden:
                self.tell(chat_text.message(one))
                self._shown_seq = one["seq"]
        if now is Turn.QUESTIONS:
            self._show_questions(mission)
        else:
            self.answers = None
        if now is Turn.PLAN:
            self.show_plan(mission, approve)

    def _show_questions(self, mission: MissionView) -> None:
        found = open_questions(mission)
        if self.once(" ".join(one["id"] for one in found)):
            self.answers = Answers(found)
            self.tell(chat_text.asked(found), "question")
        elif self.answers is None:
            self.answers = Answers(found)

    def show_plan(self, mission: MissionView, approve: str, *, again: bool = False) -> None:
        """From its beginning: it is read before it is approved."""
        plan = mission["plan"]
        assert plan is not None
        if not self.once(f"plan {plan['version']}") and not again:
            return
        cards = [self.tell(text, "card", title) for title, text in chat_text.plan_parts(mission)]
        self.note(approve, "bold yellow")
        if cards:
            self.anchor(False)
            self.scroll_y = 0  # an anchor leaves what is lower than the screen below zero
            self.call_after_refresh(self.scroll_to_widget, cards[0], top=True, animate=False)

    def to_end(self) -> None:
        self.anchor()
