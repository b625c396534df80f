"""Effects of the planner's orders: a brief becomes an answer of the model, or what the order waits for.

All kinds are carried out alike; what differs between them is in the prompts and in the form of the answer.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toryo import clock
from toryo.domain.errors import ToryoError
from toryo.domain.words import OrderKind
from toryo.place.acts import Acts, Again, Done, Handling, Result
from toryo.planner.asker import Asker
from toryo.planner.call_log import CallLog
from toryo.planner.converse import Answered, answer
from toryo.planner.models.choosing import NoModel
from toryo.planner.models.in_use import ModelInUse
from toryo.planner.models.model import NoReply
from toryo.planner.patience import pause
from toryo.planner.replies import Replies
from toryo.planner.summaries import Summaries
from toryo.protocol.base import Problem
from toryo.protocol.kinds.planner import KINDS, Brief, ModelAnswered, ModelUsage, ModelWaiting, PlannerInputs
from toryo.protocol.order import Order

log = logging.getLogger(__name__)

LANE = "model"
HANDS = 4
"""Calls at the same time."""
WAITING = "model_waiting"
LOOK_FOR_SETTINGS_S = 2.0
LARGEST = 700_000
"""Bytes of an answer: it travels in one line."""
LONGEST_TEXT = 50_000
"""Characters of what a model said instead of an answer."""
ENDS_BY: dict[OrderKind, str] = {one.kind: next(iter(one.ends_by)) for one in KINDS}


class Attempts:
    """Tries in a row that got no reply, by order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failed: dict[str, int] = {}

    def failed(self, order: str) -> int:
        with self._lock:
            self._failed[order] = self._failed.get(order, 0) + 1
            return self._failed[order]

    def clear(self, order: str) -> None:
        with self._lock:
            self._failed.pop(order, None)


@dataclass(frozen=True)
class PlannerActs(Acts):
    replies: Path
    """A folder an order: what the model answered until now."""
    summaries: Summaries
    log: CallLog
    in_use: Callable[[str], ModelInUse]
    """The model of the settings as they are now, or the named one in its place."""
    brief: Callable[[str], str]
    """A text of the daemon's by its hash."""
    lanes: Mapping[str, int] = field(default_factory=lambda: {LANE: HANDS})
    attempts: Attempts = field(default_factory=Attempts)

    def handling(self, order: Order) -> Handling:
        return Handling(LANE)

    def carry_out(self, order: Order) -> Result:
        inputs = PlannerInputs.model_validate(order.inputs)
        try:
            brief = Brief.model_validate_json(self.brief(inputs.brief))
            used = self.in_use(brief.model)
            found = self._answer(order, brief, used)
        except NoModel as missing:
            told = ModelWaiting(why="settings", message=f"{missing.message} {missing.hint}")
            return Again(WAITING, told, after_s=LOOK_FOR_SETTINGS_S)
        except NoReply as trouble:
            return self._again(order, trouble, used.model.via)
        return done(order, found)

    def failed(self, order: Order, error: Exception) -> Result:
        if isinstance(error, ToryoError):
            problem = Problem(code="failed", message=error.message, hint=error.hint)
        else:
            problem = Problem(code="failed", message=str(error)[:1000] or type(error).__name__)
        return Done(ENDS_BY[order.kind], ModelAnswered(problem=problem))

    def after(self, order: Order, told: Mapping[str, Any]) -> None:
        """Told: from here on the journal answers."""
        self._replies(order).forget()
        self.attempts.clear(order.id)

    def _answer(self, order: Order, brief: Brief, used: ModelInUse) -> Answered:
        self.log.mask_also(used.choice.key)
        language = used.choice.language
        if language and not brief.language:
            brief = brief.model_copy(update={"language": language})
        about = {"mission": brief.mission, "order": order.id, "via": used.model.via}
        asker = Asker(used.model, self.log, self._replies(order), about)
        return answer(str(order.kind), brief, asker, self.summaries, window(used, brief))

    def _again(self, order: Order, trouble: NoReply, via: str) -> Again:
        attempt = self.attempts.failed(order.id)
        wait = pause(trouble, attempt, datetime.fromtimestamp(clock.wall(), UTC))
        if wait is None:  # what waiting does not mend has ended in `answer`
            raise trouble
        log.warning(
            "The model gave no reply, asked again later",
            extra={
                "order": order.id,
                "purpose": order.kind,
                "reason": wait.message,
                "attempt": attempt,
                "after_s": wait.seconds,
            },
        )
        told = ModelWaiting(why=wait.why, message=wait.message, until=wait.until, via=via)
        return Again(WAITING, told, after_s=wait.seconds)

    def _replies(self, order: Order) -> Replies:
        return Replies(self.replies / hashlib.sha256(order.id.encode()).hexdigest()[:32])


def window(used: ModelInUse, brief: Brief) -> int | None:
    """The smaller one of what the settings and the project say."""
    told = [one for one in (used.choice.window, brief.window) if one]
    return min(told, default=None)


def done(order: Order, found: Answered) -> Done:
    blobs: dict[str, str] = {}
    problem = found.problem
    answer = "" if found.answer is None else json.dumps(found.answer, ensure_ascii=False)
    if len(answer.encode("utf-8", "replace")) > LARGEST:
        problem = Problem(code="malformed", message="The model's answer is longer than can be kept.")
        answer = ""

    def kept(text: str) -> str:
        if not text:
            return ""
        text = text.encode("utf-8", "replace").decode()
        name = hashlib.sha256(text.encode()).hexdigest()
        blobs[name] = text
        return name

    told = ModelAnswered(
        problem=problem,
        answer=kept(answer),
        text=kept(found.text[:LONGEST_TEXT]),
        repaired=found.repaired,
        model=found.model,
        via=found.via,
        seconds=round(found.seconds, 3),
        usage=ModelUsage(**asdict(found.usage)),
    )
    return Done(ENDS_BY[order.kind], told, blobs)
