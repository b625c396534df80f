"""Problem: what stood in the way, as a code that decides and words for people. Pure.

Rules read the code; words are only shown. `stored` and `read` are the one form of both in a text column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    code: str
    message: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" if self.message else self.code

    @property
    def words(self) -> str:
        """Its message, or its code where nothing more is known."""
        return self.message or self.code


def of_fact(body: Mapping[str, Any] | None) -> Problem | None:
    """The problem that a fact names; none where it names none."""
    if not body:
        return None
    return Problem(str(body.get("code") or "problem"), str(body.get("message") or ""))


def stored(problem: Problem | None) -> str:
    return str(problem) if problem else ""


def read(column: str) -> Problem | None:
    code, _, message = column.partition(": ")
    return Problem(code, message) if column else None
