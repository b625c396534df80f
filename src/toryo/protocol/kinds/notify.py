"""The order to run the person's own command that tells them something."""

from __future__ import annotations

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem


class NotifyInputs(Model):
    """A line for the command that tells a person."""

    command: str
    """For the shell: the home's setting `notify`, never a repository's."""
    text: str
    """Blob hash of the line."""
    limit_s: float = 10


class Notified(Model):
    problem: Problem | None = None
    """It was not started, or nobody knows how it ended."""
    exit_code: int | None = None
    """None: it outstayed its limit, or was not started."""
    timed_out: bool = False
    seconds: float = 0
    output: str = ""
    """The end of what it printed."""


KINDS = (Kind(OrderKind.NOTIFY, NotifyInputs, {"notified": Notified}),)
