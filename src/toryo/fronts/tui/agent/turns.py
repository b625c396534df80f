"""Turns of the conversation: whose turn it is in a mission, and which call a person's line means. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from toryo.domain.words import MISSION_ENDED, MissionStatus
from toryo.fronts.text.questions import Answers, open_questions

if TYPE_CHECKING:
    from toryo.protocol.views.missions import MissionView

PLAN_WAITS = ("plan_ready", "plan_only", "plan_faulty", "findings")
YES = ("", "y", "yes")


class Turn(StrEnum):
    """What a line of the person is about."""

    REQUEST = "request"
    QUESTIONS = "questions"
    PLAN = "plan"
    WORK = "work"
    PAUSED = "paused"


@dataclass(frozen=True)
class Told:
    """What comes of a line: a call, a word to the person, or neither."""

    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    note: str = ""


def turn(mission: MissionView | None) -> Turn:
    if mission is None or mission["status"] in MISSION_ENDED:
        return Turn.REQUEST
    if open_questions(mission):
        return Turn.QUESTIONS
    if plan_waits(mission):
        return Turn.PLAN
    return Turn.PAUSED if mission["status"] == MissionStatus.PAUSED else Turn.WORK


def plan_waits(mission: MissionView) -> bool:
    """Also of one whose earlier tasks go on meanwhile."""
    plan = mission["plan"]
    is_open = plan is not None and plan["approved_at"] is None and plan["rejected"] is None
    return mission["reason"].partition(":")[0] in PLAN_WAITS and is_open


def line(mission: MissionView | None, text: str, answers: Answers | None) -> Told:
    """What a line without a slash means; an empty one takes the defaults or approves."""
    now = turn(mission)
    if now is Turn.REQUEST or mission is None:
        return Told("start_mission", {"text": text}) if text else Told()
    me = {"mission": mission["id"]}
    if now is Turn.QUESTIONS:
        return _answer(me, text, answers or Answers(open_questions(mission)))
    if now is Turn.PLAN and text.lower() in YES:
        assert mission["plan"] is not None
        return Told("approve_mission", {**me, "version": mission["plan"]["version"]})
    return Told("say_mission", {**me, "text": text}) if text else Told()


def _answer(me: dict[str, Any], text: str, answers: Answers) -> Told:
    if text:
        wrong = answers.take(text)
        if wrong or answers.next:
            return Told(note=wrong or f"Kept. Next is question {answers.next}; Enter takes the defaults.")
    elif answers.missing:
        named = ", ".join(str(number) for number in answers.missing)
        return Told(note=f"There is no default for {named}.")
    return Told("answer_mission", {**me, "answers": dict(answers.given), "defaults": bool(answers.next)})


COMMANDS = {
    "/plan": "TEXT: only plan it; alone: show the plan again",
    "/run": "approve the plan: the work starts",
    "/pause": "start nothing new; `/pause now` ends its agents, too",
    "/resume": "go on with it",
    "/cancel": "end the mission; what landed stays",
    "/new": "leave this mission as it is, and ask for something else",
    "/missions": "the missions that are unfinished",
    "/settings": "the model's settings",
    "/help": "these words",
}


def command(mission: MissionView | None, text: str) -> Told:
    """A line with a slash. What has no tool is the view's own: it is not asked here."""
    word, _, rest = text.partition(" ")
    rest = rest.strip()
    if word == "/plan" and rest:
        return Told("start_mission", {"text": rest, "plan_only": True})
    if word not in COMMANDS:
        return Told(note=f"There is no {word}. {' '.join(COMMANDS)}")
    if mission is None or mission["status"] in MISSION_ENDED:
        return Told(note="There is no mission to do that with.")
    me = {"mission": mission["id"]}
    match word:
        case "/run":
            version = mission["plan"]["version"] if mission["plan"] else 0
            return Told("approve_mission", {**me, "version": version})
        case "/pause":
            return Told("pause_mission", {**me, "now": rest == "now"})
        case "/resume":
            return Told("resume_mission", me)
        case "/cancel":
            return Told("cancel_mission", me)
    return Told(note="Say what is to be planned: /plan TEXT")
