"""A bounded wait for a condition: the only way tests wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")


def eventually(question: Callable[[], T], *, within_s: float = 10, what: str = "") -> T:
    """Ask until the answer is true, at most `within_s`; the answer."""
    end = time.monotonic() + within_s
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            pytest.fail(f"did not happen within {within_s:g} s: {what or question}")
        time.sleep(0.01)
