"""A hook that takes an agent CLI's file tools and commands from its context directory into its worktree.

For Gemini CLI, which starts every tool call in the directory it was started in: `BeforeTool` may change the
call. One file, standard library only: `python -I -S entering.py WORKTREE` reads the call on standard input.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from typing import Any

PATHS = ("file_path", "dir_path", "path")
SHELL = "run_shell_command"


def enter_command(worktree: os.PathLike[str]) -> str:
    """The shell line of the hook."""
    return shlex.join((sys.executable, "-I", "-S", os.path.abspath(__file__), str(worktree)))  # noqa: PTH100


def entered(tool: str, given: Mapping[str, Any], worktree: str) -> dict[str, Any]:
    """The arguments that a call of this tool gets: relative paths are those of the worktree."""
    new = dict(given)
    for name in PATHS:
        value = given.get(name)
        if isinstance(value, str) and value and not value.startswith(("/", "~")):
            new[name] = os.path.normpath(os.path.join(worktree, value))  # noqa: PTH118
    if tool == SHELL and not given.get("dir_path"):
        new["dir_path"] = worktree
    return new


def main() -> None:
    call = json.load(sys.stdin)
    given = call.get("tool_input") or {}
    new = entered(str(call.get("tool_name")), given, sys.argv[1])
    # the tools of MCP servers mean their own paths
    if new != given and not call.get("mcp_context"):
        answer = {"hookEventName": call["hook_event_name"], "tool_input": new}
        sys.stdout.write(json.dumps({"hookSpecificOutput": answer}))


if __name__ == "__main__":
    main()
