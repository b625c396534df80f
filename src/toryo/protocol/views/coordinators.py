"""The answer about a coordinator's key."""

from __future__ import annotations

from toryo.protocol.views.answer import Answer


class CoordinatorKey(Answer):
    key: str
