"""Spec-kit's spec.md and plan.md: their title, and the points that they leave open. Pure."""

from __future__ import annotations

import re

from toryo.domain.speckit.task_lines import outside_examples

_TITLE = re.compile(
    r"^# +(?:Feature Specification|Implementation Plan|Tasks) *: *(?P<title>.+?) *#*$", re.IGNORECASE
)
_FIRST = re.compile(r"^# +(?P<title>.+?) *#*$")
_OPEN = re.compile(r"\[NEEDS CLARIFICATION\b(?P<point>[^\]]*)(?:\]|$)", re.IGNORECASE)
_STORY = re.compile(r"^### +User Story +(?P<number>\d+) *[-–—:] *(?P<title>.+?) *$", re.IGNORECASE)


def title(text: str) -> str:
    """Of `# Feature Specification: …`, otherwise the first heading; empty if there is none."""
    lines = [line.rstrip() for line, counts in outside_examples(text) if counts]
    for form in (_TITLE, _FIRST):
        found = next((match for line in lines if (match := form.match(line))), None)
        if found:
            return found["title"]
    return ""


def open_points(*texts: str) -> tuple[str, ...]:
    """What `[NEEDS CLARIFICATION: …]` asks in these texts, each once: a plan that holds one is not offered.

    Counted wherever it stands, in a code fence too: overlooking a point is worse than asking twice.
    """
    points = [found["point"] for text in texts for found in _OPEN.finditer(text)]
    return tuple(dict.fromkeys(" ".join(point.strip(" :").split()) for point in points))


def story_titles(spec: str) -> dict[str, str]:
    """`### User Story 1 - Title (Priority: P1)` as `US1` → `Title (Priority: P1)`."""
    lines = (line.rstrip() for line, counts in outside_examples(spec) if counts)
    found = [match for line in lines if (match := _STORY.match(line))]
    return {f"US{int(match['number'])}": match["title"] for match in found}
