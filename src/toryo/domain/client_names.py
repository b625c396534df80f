"""Names of the built-in clients: the agent CLIs, plain programs, and agents that come by themselves. Pure."""

from __future__ import annotations

AGENT_CLIS = ("claude", "codex", "gemini", "opencode")
"""By preference, where a project's first agent is made."""
PROGRAMS = ("command", "scripted")
"""Clients that need a command, and know nothing but their prompt."""
OUTSIDE = "outside"
"""Comes by itself and is started by nobody."""
