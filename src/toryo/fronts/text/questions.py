"""Questions of a mission: how they are shown in one batch, and what a person's lines mean as answers. Pure.

Who reads the lines and sends the answers is left to each front.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from toryo.fronts.text.output import folded, one_line, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.protocol.views.missions import MissionView, QuestionView

ASKS = "questions"
"""Reason of a mission whose questions hold it up."""


def open_questions(mission: MissionView) -> list[QuestionView]:
    """Those that it waits for."""
    if mission["reason"] != ASKS:
        return []
    return [one for one in mission["questions"] if one["answer"] is None]


def batch(questions: Sequence[QuestionView]) -> str:
    """All of them, numbered, each with its options and its default."""
    noun = "question" if len(questions) == 1 else "questions"
    lines = [f"{len(questions)} {noun} before the plan is made"]
    for number, one in enumerate(questions, 1):
        lines += ["", f"{number}. {folded(one_line(one['text']), len(str(number)) + 2)}"]
        lines += [f"   {line}" for line in _choices(one)]
    return "\n".join(lines)


def _choices(question: QuestionView) -> list[str]:
    default = one_line(question["default"])
    if not question["options"]:
        return [f"default: {default}"] if default else ["no default: it needs your answer"]
    lines = []
    for number, option in enumerate(question["options"], 1):
        told = "  (default)" if option == question["default"] else ""
        lines.append(f"{number}) {one_line(option)}{told}")
    if default and question["default"] not in question["options"]:
        lines.append(f"default: {default}")
    return lines


def how_to_answer(questions: Sequence[QuestionView]) -> str:
    """One line about what may be typed."""
    rest = "Enter takes every default" if all(one["default"] for one in questions) else "Enter ends it"
    choose = "a number chooses an option" if any(one["options"] for one in questions) else ""
    address = "2=… answers the second one" if len(questions) > 1 else ""
    return "; ".join(part for part in (rest, choose, address) if part) + "."


class Answers:
    """What was answered so far; each line answers the next question, or the one that it names."""

    def __init__(self, questions: Sequence[QuestionView]) -> None:
        self._questions = list(questions)
        self.given: dict[str, str] = {}

    @property
    def next(self) -> int:
        """The number of the question that a line without one answers; 0: all are answered."""
        for number, one in enumerate(self._questions, 1):
            if one["id"] not in self.given:
                return number
        return 0

    @property
    def missing(self) -> list[int]:
        """Numbers of those that have neither an answer nor a default."""
        return [
            number
            for number, one in enumerate(self._questions, 1)
            if one["id"] not in self.given and not one["default"]
        ]

    def take(self, line: str) -> str:
        """Keep the answer; what is wrong with the line, or nothing."""
        number, text = self._addressed(line)
        question = self._questions[number - 1]
        if text.isdecimal() and question["options"]:
            chosen = int(text)
            if not 1 <= chosen <= len(question["options"]):
                return f"Question {number} has {len(question['options'])} options."
            text = question["options"][chosen - 1]
        if not text:
            return f"Question {number}: there is no answer behind the `=`."
        self.given[question["id"]] = text
        return ""

    def _addressed(self, line: str) -> tuple[int, str]:
        """`2=text` is about the second question, unless there is none."""
        head, sign, rest = line.partition("=")
        if sign and head.strip().isdecimal() and 1 <= int(head) <= len(self._questions):
            return int(head), rest.strip()
        return self.next or len(self._questions), line.strip()


def lines_to_type(mission: str, questions: Sequence[QuestionView]) -> list[str]:
    """For who cannot be asked here: all defaults, or one answer each."""
    lines = []
    if all(one["default"] for one in questions):
        lines.append(f"toryo mission answer {mission} --defaults")
    given = " ".join(shlex.quote(f"{one['id']}={_example(one)}") for one in questions)
    return [*lines, f"toryo mission answer {mission} {given}"]


def _example(question: QuestionView) -> str:
    found = question["default"] or next(iter(question["options"]), "your answer")
    return plain(one_line(found))
