"""Calls as the coordinator makes them, for the tests of the clients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toryo.workbench.clients.calls import Call

BRIDGE = ("/opt/toryo/bin/toryo", "mcp-bridge", "/run/7/credential.json")


def a_call(folder: Path, *, context: bool = False, **more: Any) -> Call:
    """A run's directory and context folder really exist; the worktree is only named."""
    run_dir = folder / "run"
    run_dir.mkdir(mode=0o700, exist_ok=True)
    place = None
    if context:
        place = folder / "context"
        place.mkdir(exist_ok=True)
    given: dict[str, Any] = {
        "prompt": "Do it.\n",
        "prompt_file": run_dir / "prompt.md",
        "worktree": Path("/w t/repo/.worktrees/task-7"),
        "repo": Path("/w t/repo"),
        "run_dir": run_dir,
        "context": place,
        "env": {"HOME": str(folder)},
        "agent": "haru",
    }
    return Call(**(given | more))
