"""Reading a scripted agent's YAML and choosing the steps of this run; their effects are scripted_agent.py.

A script is a list of steps, or a mapping: a purpose (`implement`, `fix`, `resolve` …) or `default` → steps,
and `by_task` → {part of the title: script}. Steps may be written in turns, a list of lists: the first time of
this purpose in a worktree plays the first, and so on; the last one repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toryo.domain.errors import UserError
from toryo.yaml import complaints


class BadScript(UserError):
    """The script cannot be followed."""

    way_out = "docs/howto/writing-an-agent.md shows a script."


@dataclass(frozen=True)
class Step:
    verb: str
    value: Any
    only: tuple[str, ...] = ()
    """commit: these paths instead of everything."""


def load(path: Path) -> Any:
    try:
        return complaints.load(str(path), path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise BadScript(f"{path}: {error}") from error
    except complaints.Malformed as error:
        raise BadScript(str(error)) from error


def choose(script: Any, *, purpose: str, prompt: str, nth: Callable[[str], int]) -> tuple[Step, ...]:
    """The steps for this purpose and prompt; `nth` counts the times, asked only where turns are given."""
    if isinstance(script, dict):
        for part, own in (script.get("by_task") or {}).items():
            if str(part) in prompt:
                return choose(own, purpose=purpose, prompt="", nth=nth)
        chosen = script.get(purpose, script.get("default"))
        if chosen is None:
            raise BadScript(f"nothing for purpose {purpose!r}, and no default")
        return choose(chosen, purpose=purpose, prompt="", nth=nth)
    if not isinstance(script, list):
        raise BadScript("a script is a list of steps or a mapping of purposes")
    if script and all(isinstance(turn, list) for turn in script):
        return choose(script[min(nth(purpose), len(script)) - 1], purpose=purpose, prompt="", nth=nth)
    return tuple(_step(number, raw) for number, raw in enumerate(script, 1))


def _step(number: int, raw: Any) -> Step:
    if not isinstance(raw, dict):
        raise BadScript(f"step {number}: a step is a mapping such as `write: {{path: a, text: b}}`")
    only = raw.get("only") or ()
    verbs = [verb for verb in raw if verb != "only"]
    if len(verbs) != 1:
        raise BadScript(f"step {number}: one verb a step, not {', '.join(map(str, verbs)) or 'none'}")
    return Step(str(verbs[0]), raw[verbs[0]], (only,) if isinstance(only, str) else tuple(only))
