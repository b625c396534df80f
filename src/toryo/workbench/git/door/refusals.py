"""A refusal: an expected state in which an order cannot be done, on its way to the fact's `problem`."""

from __future__ import annotations

from toryo.protocol.base import Problem


class Refusal(Exception):
    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(code=code, message=message, hint=hint)
