"""The order to run one check of a gate."""

from __future__ import annotations

from toryo.domain.words import CheckResult, OrderKind
from toryo.protocol.base import Kind, Model, Whole


class CheckInputs(Model):
    repo: str
    project: str
    commit: str
    tree: str
    command: str
    attempt: int = 1
    limit_s: float = 300
    setup: tuple[str, ...] = ()
    setup_inputs: tuple[str, ...] = ()
    setup_limit_s: float = 900
    exclude: tuple[str, ...] = ()


class Checked(Model):
    result: CheckResult
    exit_code: Whole | None = None
    signal: str = ""
    duration_s: float = 0
    started_at: str = ""
    ended_at: str = ""
    output: str = ""
    """Blob hash of the whole output (bounded)."""
    tail: str = ""
    """Last 4 kB."""
    setup_key: str = ""
    fingerprint: str = ""
    reason: str = ""
    interrupted: bool = False
    """Ended by us or a crash: does not count as an attempt."""


KINDS = (Kind(OrderKind.CHECK, CheckInputs, {"checked": Checked}),)
