"""Acts about a branch of a person: its worktree, and the agent CLI that they start there in a window.

The session is the person's own: no run, no task, and nobody types into it or waits for its end.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from toryo import settings
from toryo.domain.client_names import AGENT_CLIS
from toryo.domain.naming import slug
from toryo.own_venv import without_own
from toryo.protocol.base import Problem
from toryo.protocol.kinds.branch import BranchOpened, OpenBranchInputs
from toryo.workbench.git.worktrees import branch_worktree
from toryo.workbench.terminals.door import TmuxMissing, own_server, program
from toryo.workbench.terminals.windows import TERM, Window

_NOT_THEIRS = ("TORYO_", "GIT_", "VSCODE_", "TMUX", "TERM", "AGENT_PASSKEY")
_LONGEST = 40
_START = '. "$0"; rm -f -- "$0"; exec "$@"'
"""The environment holds keys, which belong into no argv: it comes by a file that goes at once."""


def opened(inputs: OpenBranchInputs, folder: Path, clients: Mapping[str, str]) -> BranchOpened:
    """`folder`: the coordinator's; `clients`: the programs that it found."""
    if not inputs.client:
        return branch_worktree.open_(inputs)
    found = clients.get(inputs.client, "")
    by_hand = f"`toryo branch open {shlex.quote(inputs.branch)}`, then start it there: `{inputs.client}`."
    try:
        program()
    except TmuxMissing:
        message = "tmux is required to start an agent in a window, and it is not installed here."
        return _problem("tmux_missing", message, f"Install tmux; or {by_hand}")
    if not found:
        message = f"{inputs.client} is not on the PATH of the coordinator."
        return _problem("client_missing", message, "`toryo doctor` says what is installed there.")
    made = branch_worktree.open_(inputs)
    if made.problem is not None:
        return made
    window = Window(own_server(folder), window_name(inputs))
    if not window.is_there():
        model = ("--model", inputs.model) if inputs.model and inputs.client in AGENT_CLIS else ()
        environment = _environment_file(folder, window.name)
        window.open(("/bin/sh", "-c", _START, str(environment), found, *model), Path(made.path))
    return made.model_copy(update={"argv": window.attach_argv()})


def window_name(inputs: OpenBranchInputs) -> str:
    """The same for the same branch: whoever starts it twice sees the one that is there."""
    number = hashlib.sha256(f"{inputs.repo}\0{inputs.branch}".encode()).hexdigest()[:6]
    return f"branch-{slug(inputs.branch)[:_LONGEST]}-{number}"


def _environment_file(folder: Path, name: str) -> Path:
    outer = settings.environment()
    kept = {
        key: value for key, value in outer.items() if not key.startswith(_NOT_THEIRS) and key.isidentifier()
    }
    kept |= {"PATH": without_own(outer.get("PATH", os.defpath)), "TERM": TERM}
    path = folder / f"{name}.env"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
        file.writelines(f"export {key}={shlex.quote(value)}\n" for key, value in kept.items())
    return path


def _problem(code: str, message: str, hint: str) -> BranchOpened:
    return BranchOpened(problem=Problem(code=code, message=message, hint=hint))
