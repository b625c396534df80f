"""Templates of the prompts: package data, Markdown in our own words, with spec-kit's headings and grammar."""

from __future__ import annotations

from functools import cache
from importlib import resources

OF_PURPOSE: dict[str, tuple[str, ...]] = {
    "question": ("clarify",),
    "plan": ("specify", "plan", "tasks"),
    "analyze": ("analyze",),
    "judge": ("judge",),
    "impact": ("impact",),
    "summarise": ("summarise",),
    "summarise_branch": ("summarise_branch",),
    "check": ("check",),
}
"""Which stand in a request for what."""
COMMON = "common"
AS_THE_PERSON = "the language in which the person wrote the request"


@cache
def template(name: str) -> str:
    folder = resources.files("toryo.planner.prompts") / "templates"
    return (folder / f"{name}.md").read_text(encoding="utf-8").strip()


def instructions(purpose: str, language: str = "") -> str:
    """All rules for one purpose. `language` empty: as the person writes."""
    common = template(COMMON).replace("{language}", language or AS_THE_PERSON)
    return "\n\n".join([common, *(template(name) for name in OF_PURPOSE[purpose])])
