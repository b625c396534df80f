"""The environment of a run (S1-39), made from the outer one, its credential file and the bridge for it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import toryo
from toryo.domain.units import PARENT_BREAKDOWN, PARENT_REQUIREMENTS, REQUIREMENTS, SCOPED
from toryo.domain.words import Access, Purpose
from toryo.files import write_whole
from toryo.own_venv import without_own_venv
from toryo.protocol.kinds.units import UnitPlace

RUN, PURPOSE, RUN_FILE = "TORYO_RUN", "TORYO_PURPOSE", "TORYO_RUN_FILE"
FEATURE_DIRECTORY = "SPECIFY_FEATURE_DIRECTORY"
"""By this spec-kit's own commands find the active spec; a relative one begins at the worktree's root."""
LISTED = ".listed"
"""As in fronts/bridge.py: added to the credential's name once the client has been told our tools."""
BRIDGE = Path(toryo.__file__).parent / "fronts" / "bridge.py"


def run_environment(
    outer: Mapping[str, str],
    *,
    agent: str,
    project: str,
    worktree: Path,
    run: str,
    purpose: Purpose,
    access: Access,
    token_file: Path | None = None,
    passkey: str = "",
    has_identity: bool = True,
    launcher: Path | None = None,
    feature_directory: str = "",
    unit: UnitPlace | None = None,
) -> dict[str, str]:
    """Inherited, without what names an installation or a repository, plus who and where the run is.

    `has_identity` says whether git knows an author there by itself; if not, the agent's name stands in."""
    # TORYO_HOME would let an agent act as a person; GIT_DIR and friends would lead its git astray
    env = {name: value for name, value in outer.items() if not name.startswith(("TORYO_", "GIT_"))}
    env = without_own_venv(env)  # an agent's `python` and `pytest` are the user's, never ours
    if launcher is not None and unit is not None:  # its own verbs are this program's, whatever is on PATH
        env["PATH"] = os.pathsep.join([str(launcher), *filter(None, (env.get("PATH", ""),))])
    elif launcher is not None and shutil.which("toryo", path=env.get("PATH", "")) is None:
        env["PATH"] = os.pathsep.join([*filter(None, (env.get("PATH", ""),)), str(launcher)])
    env.pop("AGENT_PASSKEY", None)
    env |= {
        "AGENT_ID": agent,
        "PROJECT_ID": project,
        "WORKING_DIRECTORY": str(worktree),
        RUN: run,
        PURPOSE: str(purpose),
    }
    if unit is not None:
        env |= unit_environment(unit, worktree)
    if feature_directory:
        env[FEATURE_DIRECTORY] = feature_directory
    if access is Access.CONNECTED:
        env["AGENT_PASSKEY"] = passkey
        if token_file is not None:
            env[RUN_FILE] = str(token_file)
    if not has_identity:
        for who in ("AUTHOR", "COMMITTER"):
            env |= {f"GIT_{who}_NAME": agent, f"GIT_{who}_EMAIL": f"{agent}@localhost"}
    return env


def unit_environment(unit: UnitPlace, worktree: Path) -> dict[str, str]:
    """Where a unit stands in its tree; all paths are in its own worktree, since its parent's may be gone."""
    own = SCOPED if unit.parent else REQUIREMENTS
    given = {name: text for name, text in unit.environment.items() if not name.startswith(("TORYO_", "GIT_"))}
    env = {
        **given,
        "UNIT_ID": unit.unit,
        "TARGET_REPO": str(worktree),
        "PARENT_BRANCH": unit.parent_branch,
        "UNIT_REQUIREMENTS": str(worktree / own),
    }
    if unit.parent:
        env |= {
            "PARENT_UNIT_ID": unit.parent,
            "PARENT_BREAKDOWN": str(worktree / PARENT_BREAKDOWN),
            "PARENT_REQUIREMENTS": str(worktree / PARENT_REQUIREMENTS),
        }
    return env


def own_launcher(folder: Path) -> Path:
    """The folder, with one program `toryo` in it that is this one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m toryo "$@"\n'
    program = folder / "toryo"
    write_whole(program, text.encode())
    program.chmod(0o700)
    return folder


def write_run_file(path: Path, socket: Path, token: str) -> None:
    """The credential of a connected run: where to connect and its one-time token, for this user only."""
    fd, new = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # 0600 from its birth
    with os.fdopen(fd, "w") as file:
        json.dump({"socket": str(socket), "token": token}, file)
    Path(new).replace(path)


def bridge_argv(credential_file: Path) -> tuple[str, ...]:
    """The MCP server of a connected run, as its client starts it: one file, without the installed packages.

    `toryo mcp-bridge FILE` is the same in words, but takes three times as long to start."""
    return (sys.executable, "-I", "-S", str(BRIDGE), str(credential_file))
