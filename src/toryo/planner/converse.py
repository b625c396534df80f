"""Conversation with a model about one purpose: from a brief to an answer, or to why there is none."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from toryo.domain.words import OrderKind
from toryo.planner import answers, compaction
from toryo.planner.answers import TASKS_A_PART, Parts
from toryo.planner.asker import Asker
from toryo.planner.compaction import Step, compacted, with_summary
from toryo.planner.models.model import NOTHING, ModelRefused, Reply, Request, Usage
from toryo.planner.prompts.compose import compose, in_parts, next_part, repair, shorter
from toryo.planner.summaries import Summaries
from toryo.protocol.base import Problem
from toryo.protocol.kinds.planner import Brief

MOST_REPAIRS = 2
LONGEST_QUOTE = 12_000
"""Characters of an answer that is shown again to the model."""
MOST_COMPACTIONS = 4
HINT = "`toryo mission show` has the text; try again, or with another model."


@dataclass(frozen=True)
class Answered:
    purpose: str
    answer: dict[str, Any] | None
    problem: Problem | None = None
    text: str = ""
    """What the model said last, where it kept to no form."""
    repaired: int = 0
    usage: Usage = NOTHING
    model: str = ""
    via: str = ""
    seconds: float = 0


@dataclass(frozen=True)
class _End:
    value: dict[str, Any] | None
    repaired: int
    text: str = ""
    problem: Problem | None = None


def answer(
    purpose: str, brief: Brief, asker: Asker, summaries: Summaries, window: int | None = None
) -> Answered:
    """Outage and UsageLimit go through: what was answered until then is kept. All else is an end."""
    begun = time.monotonic()
    try:
        found = _fitted(purpose, brief, asker, summaries, window)
        end = found if isinstance(found, _End) else _conversed(compose(purpose, found), asker)
    except ModelRefused as refused:
        end = _End(None, 0, problem=Problem(code="refused", message=refused.message, hint=refused.hint))
    return Answered(
        purpose=purpose,
        answer=end.value,
        problem=end.problem,
        text=end.text,
        repaired=end.repaired,
        usage=asker.usage,
        model=asker.answered_by,
        via=asker.model.via,
        seconds=time.monotonic() - begun,
    )


def _fitted(
    purpose: str, brief: Brief, asker: Asker, summaries: Summaries, window: int | None
) -> Brief | _End:
    """The brief as it fits the window; old messages are summarised by the model, once."""
    for _ in range(MOST_COMPACTIONS):
        step = compacted(purpose, brief, window)
        if not step.old:
            return step.brief
        summary = _summarised(step, asker, summaries, window)
        if isinstance(summary, _End):
            return summary
        brief = with_summary(step, summary)
    return brief


def _summarised(step: Step, asker: Asker, summaries: Summaries, window: int | None) -> str | _End:
    """Of all old messages; where they are too many for one request, part by part."""
    summary, left = "", step.old
    while left:
        part = compaction.next_part(step.brief, summary, left, window)
        known = summaries.get(part.key)
        if known is None:
            end = _conversed(compose(OrderKind.SUMMARISE, part.brief), asker)
            if end.value is None:
                return end
            known = str(end.value["summary"])
            summaries.put(part.key, known)
        summary, left = known, left[part.count :]
    return summary


def _conversed(request: Request, asker: Asker) -> _End:
    for repaired in range(MOST_REPAIRS + 1):
        reply = asker.ask(request)
        found = answers.read(request.purpose, reply.text)
        if found.value is not None:
            return _End(found.value, repaired)
        if reply.cut and request.purpose == OrderKind.PLAN:
            return _in_parts(request, reply, asker, repaired)
        words = shorter() if reply.cut else repair(found.complaints)
        request = request.after(_quoted(reply.text), words)
    return _failed(reply, found.complaints, MOST_REPAIRS)


def _in_parts(request: Request, reply: Reply, asker: Asker, repaired: int) -> _End:
    parts = Parts()
    request = request.after(_quoted(reply.text), in_parts(TASKS_A_PART))
    while not parts.is_whole:
        reply = asker.ask(request)
        found = parts.read(reply.text)
        if found.value is None:
            if repaired >= MOST_REPAIRS:
                return _failed(reply, found.complaints, repaired)
            repaired += 1
            words = shorter() if reply.cut else repair(found.complaints)
            request = request.after(_quoted(reply.text), words)
            continue
        parts = parts.with_part(found.value)
        if parts.is_endless:
            return _endless(parts, reply, repaired)
        request = request.after(reply.text, next_part(parts.number, parts.ids, TASKS_A_PART))
    joined = parts.joined()
    return (
        _failed(reply, joined.complaints, repaired) if joined.value is None else _End(joined.value, repaired)
    )


def _endless(parts: Parts, reply: Reply, repaired: int) -> _End:
    told = f"The model's plan was cut off: it has more than {len(parts.ids) - 1} tasks and no end."
    hint = "Ask for less at once: `toryo mission say` tells it what comes later."
    return _End(None, repaired, reply.text, Problem(code="cut", message=told, hint=hint))


def _failed(reply: Reply, complaints: tuple[str, ...], repaired: int) -> _End:
    if reply.cut:
        told = "The model's answer was cut off: it came to the longest that the service gives."
        problem = Problem(code="cut", message=told, hint=HINT)
    else:
        told = f"The model's answer cannot be used: {'; '.join(complaints)}"
        problem = Problem(code="malformed", message=told[:1000], hint=HINT)
    return _End(None, repaired, reply.text, problem)


def _quoted(text: str) -> str:
    """Beginning and end of a long answer: it is shown to the model that wrote it, not read again."""
    if len(text) <= LONGEST_QUOTE:
        return text
    half = LONGEST_QUOTE // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
