"""Set-up: its key, and running its commands once per key and slot."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.domain import scopes
from toryo.workbench.gates import commands
from toryo.workbench.gates.slots import Slot
from toryo.workbench.git.door.git import Git


@dataclass(frozen=True)
class SetupFailed:
    command: str
    run_dir: Path
    ended: commands.Ended


def setup_key(
    source: Git, commit: str, steps: tuple[str, ...], inputs: tuple[str, ...], fingerprint: str
) -> str:
    """Another key, other dependencies: the commands, the commit's versions of the inputs, the machine."""
    versions: list[str] = []
    if inputs:
        for line in source.do("ls-tree", "-r", "-z", "--full-tree", commit).split("\0"):
            # "mode type id<TAB>path"
            if line and scopes.matches(inputs, line.partition("\t")[2]):
                versions.append(line)
    return hashlib.sha256(json.dumps([steps, versions, fingerprint]).encode()).hexdigest()


def set_up(
    slot: Slot,
    steps: tuple[str, ...],
    runs: Path,
    env: Mapping[str, str],
    limit_s: float,
    keep_running: Callable[[], bool],
) -> SetupFailed | None:
    """Run the commands in order in the slot, all within `limit_s`; the first that fails ends it."""
    deadline = time.monotonic() + limit_s
    for number, command in enumerate(steps, 1):
        run_dir = runs / f"setup-{number}"
        slot.occupy(run_dir)
        commands.start(run_dir, command, slot.checkout, env, max(deadline - time.monotonic(), 0.1))
        ended = commands.wait(run_dir, keep_running)
        record = ended.record
        if record is None:
            return SetupFailed(command, run_dir, ended)
        slot.vacate()
        if record.exit_code != 0 or record.could_not_start or record.stopped:
            return SetupFailed(command, run_dir, ended)
    return None
