"""Model of the settings: an endpoint with its key, or an installed CLI. The key stays in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toryo.planner.models.cli import CliModel
from toryo.planner.models.model import Model, ModelRefused

SET_UP = "toryo planner use claude|codex, or: toryo planner use --url URL --model MODEL"


class NoModel(ModelRefused):
    """AI settings are required."""

    way_out = SET_UP


@dataclass(frozen=True)
class Choice:
    """Which model is asked."""

    base_url: str = ""
    model: str = ""
    via: str = ""
    """Name of the CLI; empty: over HTTP."""
    key: str = field(default="", repr=False)
    window: int | None = None
    """Tokens that it takes; None: unknown."""
    language: str = ""
    program: str = ""
    """The CLI's program where it is not called like the CLI."""


def chosen(choice: Choice, env: Mapping[str, str]) -> Model:
    if choice.via:
        return CliModel(choice.via, choice.model, env=env, program=choice.program)
    if not choice.base_url or not choice.model:
        raise NoModel
    # half a second of imports, which only who speaks HTTP should pay
    from toryo.planner.models.http import HttpModel

    return HttpModel(choice.base_url, choice.model, choice.key)
