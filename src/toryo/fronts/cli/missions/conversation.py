"""Conversation with a mission: follow it by long polls, ask its questions, take its approval, until it rests.

It ends when the mission is at rest or waits for a person who cannot be asked here; nothing is ever polled.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.missions import chat, plan_page
from toryo.fronts.cli.missions.model import revive_planner
from toryo.fronts.text import questions
from toryo.fronts.text.output import Progress, paint, plain
from toryo.fronts.text.pager import page
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    from toryo.fronts.client import Desk
    from toryo.protocol.views.missions import AwaitedMission, MissionView, QuestionView, SaidToMission

POLL_S = 25.0
ANSWER_S = 15.0
CALM_S = 0.05
TAKEN_IN_S = 5.0
"""So long after an answer of ours the mission may look as it did before it."""
PLAN_WAITS = ("plan_ready", "plan_only", "plan_faulty", "findings")
"""Reasons of a mission whose plan is approved or rejected next."""
YES = ("", "y", "yes")
"""Approved here; any other words are judged by the daemon."""


class Conversation:
    """One mission, and what this command may say for the person."""

    def __init__(
        self,
        desk: Desk,
        mission: str,
        *,
        asks: bool = False,
        defaults: bool = False,
        yes: bool = False,
        plan_only: bool = False,
        talks: bool = True,
        seen: int = 0,
    ) -> None:
        self._desk, self._id = desk, mission
        self._asks, self._defaults, self._yes = asks, defaults, yes
        self._plan_only, self._talks = plan_only, talks
        self._told = seen
        self._shown = 0
        """Version of the plan that was shown."""
        self._said_at = float("-inf")

    def follow(self, timeout_s: float = 0) -> MissionView:
        """Until it is at rest, waits for a person who is not here, or the time is over."""
        end = time.monotonic() + timeout_s if timeout_s else float("inf")
        seen, wait_s = "", 0.0  # how it stands now is told at once
        with Progress("waiting for the mission") as progress:
            while True:
                answer = self._ask(seen, wait_s, progress)
                now = answer["mission"]
                progress.clear()
                progress.what = chat.under_way(now)
                self._tell(now)
                if self._is_over(now) or not self._act(now, at_rest=answer["at_rest"]):
                    return now
                if time.monotonic() >= end:
                    return now
                seen, wait_s = _seen(now), min(POLL_S, max(0.0, end - time.monotonic()))

    def _ask(self, seen: str, wait_s: float, progress: Progress) -> AwaitedMission:
        revive_planner(self._desk)
        asked = {"mission": self._id, "seen": seen, "timeout_s": wait_s}
        answer: AwaitedMission = self._desk.call_through(
            "wait_mission", asked, timeout_s=wait_s + ANSWER_S, on_wait=progress.tick
        )
        return answer

    def _is_over(self, now: MissionView) -> bool:
        """Planned is enough for who wanted the plan only; they see it."""
        if not (self._plan_only and awaits_approval(now)):
            return False
        self._show_plan(now)
        return True

    def _act(self, now: MissionView, *, at_rest: bool) -> bool:
        """Whether there is more to wait for."""
        if asked := questions.open_questions(now):
            return self._answer(now, asked)
        if awaits_approval(now):
            return self._approve(now)
        if at_rest and time.monotonic() < self._said_at + TAKEN_IN_S:
            time.sleep(CALM_S)
            return True
        return not at_rest

    def _answer(self, now: MissionView, asked: list[QuestionView]) -> bool:
        if self._defaults:
            return self._say("answer_mission", {"answers": {}, "defaults": True})
        if not self._asks:
            return False
        print(questions.batch(asked))
        print(paint(questions.how_to_answer(asked), "dim"))
        given = ask_all(asked)
        return self._say("answer_mission", {"answers": given, "defaults": len(given) < len(asked)})

    def _show_plan(self, now: MissionView) -> int:
        """Each version once; its number."""
        plan = now["plan"]
        assert plan is not None
        if self._talks and self._shown != plan["version"]:
            self._shown = plan["version"]
            page(plan_page.page(now) + "\n")
        return plan["version"]

    def _approve(self, now: MissionView) -> bool:
        version = self._show_plan(now)
        if self._yes:
            return self._say("approve_mission", {"version": version})
        if not self._asks:
            return False
        words = _typed(
            "\nStart the work? Enter or y approves; anything else is what is to be different: "
        ).strip()
        if words.lower() in YES:
            return self._say("approve_mission", {"version": version})
        return self._say("say_mission", {"text": words})

    def _say(self, tool: str, words: dict[str, object]) -> bool:
        """False: it was refused, and nobody is here to say something else."""
        try:
            said: SaidToMission = self._desk.call(tool, {"mission": self._id, **words})
        except ToolFailed as refused:
            if not self._asks or self._defaults or self._yes:
                raise
            print(paint(f"{plain(str(refused))} {plain(refused.hint)}".strip(), "yellow"))
            return True
        self._said_at = time.monotonic()
        if said["already"]:
            print(paint(f"Somebody was first: {plain(said['by'])}", "yellow"))
        return True

    def _tell(self, now: MissionView) -> None:
        """New lines; what a person said is on their own screen, and open questions are shown as a batch."""
        if self._talks:
            hidden = ("person", "planner") if questions.open_questions(now) else ("person",)
            for line in chat.lines(now["messages"], self._told, without=hidden):
                print(line, flush=True)
        self._told = max(self._told, chat.newest(now["messages"]))


def awaits_approval(mission: MissionView) -> bool:
    """Also one whose earlier tasks go on meanwhile."""
    plan = mission["plan"]
    is_open = plan is not None and plan["approved_at"] is None and plan["rejected"] is None
    return mission["reason"].partition(":")[0] in PLAN_WAITS and is_open


def _seen(mission: MissionView) -> str:
    return f"{mission['status']}:{mission['reason']}:{chat.newest(mission['messages'])}"


def is_here() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_all(asked: list[QuestionView]) -> dict[str, str]:
    """What was typed; a question without an entry takes its default."""
    answers = questions.Answers(asked)
    while answers.next:
        text = _typed(f"{answers.next}> ").strip()
        if text:
            if wrong := answers.take(text):
                print(paint(wrong, "yellow"))
        elif answers.missing:
            named = ", ".join(str(number) for number in answers.missing)
            print(paint(f"There is no default for {named}.", "yellow"))
        else:
            break
    return answers.given


def _typed(prompt: str) -> str:
    """A line of the person; at the end of input they have left, as with Ctrl-C."""
    try:
        return input(prompt)
    except EOFError:
        print()
        raise KeyboardInterrupt from None
