"""Calls to the model for one order: each is logged, counted and kept, and made once."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from toryo.planner.call_log import CallLog
from toryo.planner.models.model import NOTHING, Model, NoReply, Reply, Request, Usage
from toryo.planner.replies import Replies


@dataclass
class Asker:
    model: Model
    log: CallLog
    replies: Replies
    about: dict[str, Any] = field(default_factory=dict)
    """What the log says of each call besides the call itself."""
    usage: Usage = NOTHING
    answered_by: str = ""
    """The model, as the service named it last."""

    def ask(self, request: Request) -> Reply:
        """NoReply goes through: whether to wait is not decided here."""
        reply = self.replies.get(request)
        if reply is None:
            reply = self._called(request)
            self.replies.put(request, reply)
        self.usage += reply.usage
        self.answered_by = reply.model
        return reply

    def _called(self, request: Request) -> Reply:
        begun = time.monotonic()
        try:
            reply = self.model.ask(request)
        except NoReply as trouble:
            self.log.failed(self.about, request, trouble, time.monotonic() - begun)
            raise
        self.log.answered(self.about, request, reply, time.monotonic() - begun)
        return reply
