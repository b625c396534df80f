"""Back-off: how long the planner waits before it asks a model again that did not answer. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from toryo.planner.models.model import NoReply, Outage, UsageLimit

FIRST_S = 1.0
LONGEST_S = 60.0
UNKNOWN_LIMIT_S = 900.0
"""A limit whose end nobody said is tried again after so long."""
LOOK_S = 900.0
"""A limit is looked at again at least so often: a person may have raised it."""


@dataclass(frozen=True)
class Pause:
    seconds: float
    why: Literal["outage", "usage_limit"]
    message: str
    until: str = ""
    """ISO-8601 UTC, of a limit whose end the service said."""


def pause(trouble: NoReply, attempt: int, now: datetime) -> Pause | None:
    """Before the next try; `attempt` counts those that failed, from 1. None: waiting mends nothing."""
    if isinstance(trouble, UsageLimit):
        return Pause(_limit_s(trouble.until, now), "usage_limit", trouble.message, trouble.until)
    if not isinstance(trouble, Outage):
        return None
    seconds = min(LONGEST_S, FIRST_S * 2 ** min(attempt - 1, 10))
    return Pause(max(seconds, trouble.after_s or 0), "outage", trouble.message)


def _limit_s(until: str, now: datetime) -> float:
    try:
        moment = datetime.fromisoformat(until)
    except ValueError:
        return UNKNOWN_LIMIT_S
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(LOOK_S, max(FIRST_S, (moment - now).total_seconds()))
