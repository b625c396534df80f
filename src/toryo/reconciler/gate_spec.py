"""Gate specification: which checks a tree must pass, which gates are one, when a verdict counts. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from toryo.domain.words import MAY_LAND, CheckResult, Verdict

REUSE_S = 24 * 3600
"""How long a passed check, and a gate that may land, of the same tree are believed."""
TREE, HISTORY = "tree", "history"


@dataclass(frozen=True)
class CheckWish:
    type: str
    command: str
    limit_s: float
    reads: str = TREE
    """What its result depends on: the tree alone, or the commits before it too."""


@dataclass(frozen=True)
class GateSpec:
    checks: tuple[CheckWish, ...]
    goals: tuple[Mapping[str, Any], ...] = ()
    """Judged on the changed files of a run."""
    setup: Mapping[str, Any] | None = None
    exclude: tuple[str, ...] = ()
    flaky: str = "land"

    @property
    def reads_history(self) -> bool:
        return any(check.reads == HISTORY for check in self.checks)

    def key(self, project: str, tree: str, commit: str, number: int) -> str:
        """One gate is one tree under one shape; a check that reads history is about one commit.

        `number` counts the gates of that shape: one that could not run is tried anew."""
        return f"{project}/{tree}/{self._digest(commit)}/{number}"

    def _digest(self, commit: str) -> str:
        shape = [
            [asdict(check) for check in self.checks],
            [dict(goal) for goal in self.goals],
            dict(self.setup or {}),
            self.flaky,
            list(self.exclude),
        ]
        text = json.dumps(shape, sort_keys=True) + (commit if self.reads_history else "")
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def with_task_checks(
    checks: Iterable[CheckWish], commands: Sequence[str], limit_s: float
) -> tuple[CheckWish, ...]:
    """The project's checks, then those of the task that are not among them."""
    mine = tuple(checks)
    known = {check.command for check in mine}
    return mine + tuple(CheckWish("task", one, limit_s) for one in commands if one not in known)


def is_taken(verdict: str, created_at: float, now: float) -> bool:
    """Whether an older gate of the same key is asked, instead of a new one.

    One that is still open is; one that was red or could not run is tried anew by a new landing."""
    if verdict in ("", Verdict.UNCHECKED):
        return True
    return verdict in MAY_LAND and now - REUSE_S <= created_at <= now


def may_pass_again(earlier: Iterable[str]) -> bool:
    """Whether a pass is believed on another gate: one that failed before it passed is flaky, and would be
    taken for green there. `earlier`: all results of that command on its gate."""
    return CheckResult.FAILED not in set(earlier)
