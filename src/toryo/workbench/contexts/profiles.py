"""What an agent is besides its task: system prompt and skills, as the daemon's profile tells them (S0-06)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SubordinateProfile:
    agent_id: str = ""
    system_prompt: str = ""
    skills: Mapping[str, str] = field(default_factory=dict)
    """Name → text of its SKILL.md."""
