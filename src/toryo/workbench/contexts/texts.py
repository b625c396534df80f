"""The texts of an agent's context: the template of CLAUDE.md and GEMINI.md (S0-04), and their imports."""

from __future__ import annotations

import re
from pathlib import Path

PLACE = """\
---

## Working Directory

Your working directory is: `{worktree}`

All file operations should be performed in this directory, NOT in the current context directory.

## Restrictions

**DO NOT** modify any files within `.aiagent/`. This directory is managed by Toryo.
"""
"""Advice to the agent, nothing more: no wall stands behind the ban (S0-23)."""

_CODE = re.compile(r"(`+)([\s\S]*?)\1")
_IMPORT = re.compile(r"(?<!\S)@(?=[./~A-Za-z])\S+")


def context_text(system_prompt: str, worktree: Path, rules: str = "") -> str:
    """The whole file."""
    parts = ["# Agent Context", system_prompt.strip(), PLACE.format(worktree=worktree).strip(), rules.strip()]
    return "\n\n".join(filter(None, parts)) + "\n"


def plain_text(system_prompt: str, rules: str = "", skills: str = "") -> str:
    """The same for a client that has no context directory and works in its worktree; empty if nothing is."""
    parts = [part for part in (system_prompt.strip(), rules.strip(), skills.strip()) if part]
    return "\n\n".join(parts) + "\n" if parts else ""


def imports_in(text: str) -> tuple[str, ...]:
    """The `@path` of CLAUDE.md and GEMINI.md, outside of code: both CLIs put that file in their place."""
    return tuple(found[0][1:] for found in _imports(text))


def without_imports(text: str) -> str:
    """Gemini CLI turns each ` @word` of a context file into the file's text or an error; code it leaves."""
    out, last = "", 0
    for found in _imports(text):
        mark = "``" if "`" in found[0] else "`"
        out += f"{text[last : found.start()]}{mark}{found[0]}{mark}"
        last = found.end()
    return out + text[last:]


def _imports(text: str) -> list[re.Match[str]]:
    code = [found.span() for found in _CODE.finditer(text)]
    return [
        found
        for found in _IMPORT.finditer(text)
        if not any(begin <= found.start() < end for begin, end in code)
    ]
