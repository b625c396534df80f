"""The scripted model of the demo and of rehearsals: started as a program, known by what it says of itself.

Whoever leaves the stage ends it too: its home is there.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toryo import processes
from toryo.domain.errors import UserError
from toryo.fronts.demo.stage import StepFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from toryo.fronts.demo.stage import Stage

CLIENTS = ("claude", "codex", "gemini", "opencode")
PROGRAM = (sys.executable, "-P", "-m", "toryo.rehearsal")
BEGINS_WITHIN_S = 30


def become(script: str, requests: str, port_file: str) -> int:
    """This process goes on as the program that serves the script."""
    argv = [*PROGRAM, script]
    argv += ["--requests", requests] if requests else []
    argv += ["--port-file", port_file] if port_file else []
    os.execv(argv[0], argv)


@dataclass(frozen=True)
class ScriptedModel:
    url: str
    environment: Mapping[str, str]
    """What points each client at it."""
    clients: Mapping[str, Mapping[str, str]]
    """Client → its program, the line that installs it, and what it must do first in a new home."""
    plan: Mapping[str, Any]

    def at(self, stage: Stage) -> Stage:
        """The stage with clients that speak to this model."""
        return replace(stage, more={**stage.more, **self.environment})


def start(stage: Stage, script: Path, clients: Sequence[str] = CLIENTS) -> ScriptedModel:
    about, log = stage.root / "model.json", stage.root / "model.log"
    argv = [*PROGRAM, str(script), "--about", str(about), "--requests", str(stage.requests)]
    argv += ["--home", str(stage.user_home)]
    for client in clients:
        argv += ["--client", client]
    pid = processes.spawn_watched(argv, env=stage.env(), cwd=stage.root, output=log)
    started = processes.start_time(pid)
    end = time.monotonic() + BEGINS_WITHIN_S
    while not about.exists():
        if not processes.is_alive(pid, started):
            raise _refused(log.read_text(encoding="utf-8", errors="replace"))
        if time.monotonic() > end:
            raise StepFailed("The scripted model did not begin.")
        time.sleep(0.02)
    return ScriptedModel(**json.loads(about.read_text(encoding="utf-8")))


def look_for(model: ScriptedModel, client: str, stage: Stage) -> None:
    """The CLI itself must be there: it is the real one."""
    one = model.clients[client]
    if shutil.which(one["program"], path=stage.env()["PATH"]) is None:
        raise UserError(f"{one['program']} is not on PATH.", hint=f"{one['install']}   installs it.")
    if one["first"]:
        env = model.at(stage).env()
        processes.run(one["first"].split(), cwd=stage.root, env=env, limit_s=BEGINS_WITHIN_S)


def _refused(said: str) -> UserError:
    """Its own words: the script is the user's."""
    lines = said.strip().splitlines() or ["The scripted model could not begin."]
    hints = [line.removeprefix("Hint: ") for line in lines if line.startswith("Hint: ")]
    told = [line.removeprefix("Error: ") for line in lines if not line.startswith("Hint: ")]
    return UserError("\n".join(told), hint=" ".join(hints))
