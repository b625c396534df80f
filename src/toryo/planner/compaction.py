"""Compaction of a brief that comes near to the model's window: what is old and done is shortened. Pure.

Kept whole: what the person asks for, answers, the plan, unfinished tasks, the last 20 messages.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from toryo.planner.models.model import Request
from toryo.planner.prompts.compose import compose
from toryo.planner.prompts.sections import RESTING
from toryo.protocol.kinds.planner import Brief, MessageBrief, TaskBrief

SHARE = 0.8
UNKNOWN = 12_000
"""Tokens at which a request is compacted where nobody told the window."""
KEPT_MESSAGES = 20
AT_ONCE = 10
BYTES_A_TOKEN = 3
FRAME = 4
"""Tokens of a message besides its text."""
LEAST_SCAN = 600
"""Characters of the repository's description that are kept whatever happens."""
CUT = "\n… (cut: more than fits)"
SUMMARY = "Summary of what was said before: "


def tokens(text: str) -> int:
    """An estimate for any language: UTF-8 bytes / 3."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def size(request: Request) -> int:
    return tokens(request.instructions) + sum(tokens(turn.text) for turn in request.turns)


def most(window: int | None) -> int:
    """Tokens that a request may have."""
    return int(window * SHARE) if window else UNKNOWN


@dataclass(frozen=True)
class Step:
    """What is done next to a brief that does not fit."""

    brief: Brief
    old: tuple[MessageBrief, ...] = ()
    """Messages to be summarised first; `with_summary` then puts the summary in their place."""


@dataclass(frozen=True)
class Part:
    """Of old messages as many as one request may have, behind the summary of those before them."""

    brief: Brief
    """Of the request that summarises them."""
    count: int

    @property
    def key(self) -> str:
        """The same for the same messages: a summary is made once."""
        text = "\0".join(f"{one.who}\0{one.text}" for one in self.brief.conversation)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def compacted(purpose: str, brief: Brief, window: int | None) -> Step:
    """The brief as it may be asked, or with the messages that have to be summarised before."""
    if _fits(purpose, brief, window):
        return Step(brief)
    brief = brief.model_copy(update={"tasks": tuple(map(_short, brief.tasks))})
    if _fits(purpose, brief, window):
        return Step(brief)
    old = _old(brief.conversation)
    return Step(brief, old) if old else Step(_with_short_scan(purpose, brief, window))


def _old(messages: tuple[MessageBrief, ...]) -> tuple[MessageBrief, ...]:
    """In tens where that is possible: one message more should not cost a summary more."""
    if not messages or messages[0].text.startswith(SUMMARY):
        return ()
    count = max(0, len(messages) - KEPT_MESSAGES)
    return messages[: count // AT_ONCE * AT_ONCE or count]


def with_summary(step: Step, summary: str) -> Brief:
    kept = step.brief.conversation[len(step.old) :]
    return step.brief.model_copy(update={"conversation": (_told(summary), *kept)})


def next_part(brief: Brief, summary: str, old: tuple[MessageBrief, ...], window: int | None) -> Part:
    """The oldest of them that fit, at least one; `summary`: of what came before, empty at the beginning."""
    before = (_told(summary),) if summary else ()
    asked = Brief(
        mission=brief.mission,
        purpose="summarise",
        text=brief.text,
        language=brief.language,
        conversation=before,
    )
    room = most(window) - size(compose("summarise", asked))
    taken: list[MessageBrief] = []
    for one in old:
        room -= tokens(one.text) + FRAME
        if room < 0 and taken:
            break
        taken.append(one)
    return Part(asked.model_copy(update={"conversation": (*before, *taken)}), len(taken))


def _told(summary: str) -> MessageBrief:
    return MessageBrief(who="system", text=f"{SUMMARY}{summary}")


def _fits(purpose: str, brief: Brief, window: int | None) -> bool:
    return size(compose(purpose, brief)) <= most(window)


def _short(task: TaskBrief) -> TaskBrief:
    """Of a task at rest only its title counts."""
    if task.status not in RESTING:
        return task
    return task.model_copy(update={"description": "", "output": "", "detail": ""})


def _with_short_scan(purpose: str, brief: Brief, window: int | None) -> Brief:
    over = size(compose(purpose, brief)) - most(window)
    whole = brief.scan.encode("utf-8", "replace")
    left = max(LEAST_SCAN, len(whole) - over * BYTES_A_TOKEN - len(CUT.encode()) - BYTES_A_TOKEN)
    if over <= 0 or left >= len(whole):
        return brief
    return brief.model_copy(update={"scan": whole[:left].decode("utf-8", "ignore") + CUT})
