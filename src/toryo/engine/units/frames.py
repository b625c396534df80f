"""Frames: what the root and every other unit of a tree are told to do, as files beside this module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from toryo.domain.units import ROOT

FOLDER = Path(__file__).parent / "frames"


def frame_of(unit: str, settings_files: Mapping[str, str]) -> str:
    """The project's own below `.toryo/frames/`, else Toryo's."""
    name = "root" if unit == ROOT else "unit"
    for path in (f"frames/{name}.md", f"frames/{name}/CLAUDE.md"):
        if path in settings_files:
            return settings_files[path].strip()
    return _read(f"{name}.md").strip()


def examples() -> str:
    return _read("examples.md")


@lru_cache(maxsize=4)
def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")
