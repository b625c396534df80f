"""Names of the built-in clients: the agent CLIs, plain programs, and agents that come by themselves. Pure."""

from __future__ import annotations

import shlex

AGENT_CLIS = ("claude", "codex", "gemini", "opencode")
"""By preference, where a project's first agent is made."""
PROGRAMS = ("command", "scripted")
"""Clients that need a command, and know nothing but their prompt."""
OUTSIDE = "outside"
"""Comes by itself and is started by nobody."""
COMMAND = "command"
OF_A_COMMAND = f"{COMMAND}:"
"""Before the name of a program, where a coordinator tells it among its clients."""


def program_of(client: str, command: str) -> str:
    """The program that an agent of the client `command` starts; empty where only its run knows."""
    try:
        words = shlex.split(command) if client == COMMAND else []
    except ValueError:
        return ""
    return words[0] if words and "{" not in words[0] else ""


def told_as(client: str, command: str) -> str:
    """By what name a coordinator tells whether the agent's program is there; empty: nobody looks for it,
    as for one in the worktree, which a relative path names."""
    program = program_of(client, command)
    if client != COMMAND:
        return client
    return f"{OF_A_COMMAND}{program}" if program and ("/" not in program or program.startswith("/")) else ""
