"""A process that has imported everything and forks the others: real processes, born in 5 ms.

`python -m chaos.nursery`; one JSON line in (`who`, `env`, `output`), one line with the child's pid out. A
closed standard input ends it together with all it forked.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from chaos.little_client import LittleClient
from toryo import settings
from toryo.coordinator.process import run_coordinator
from toryo.daemon.process import run_daemon
from toryo.daemon.tools.table import table
from toryo.planner.models.http import HttpModel
from toryo.planner.process import run_planner
from toryo.workbench.clients import registry

INTERVAL_S = 0.2


def be(who: str) -> int:
    home = settings.home()
    if who == "daemon":
        return run_daemon(home, foreground=False, tools=table())
    if who == "planner":
        return run_planner(home, "main", False, interval_s=INTERVAL_S)
    registry.CLIENTS["little"] = LittleClient()
    return run_coordinator(home, who, False)


def begin(who: str, env: dict[str, str], output: str) -> None:
    """In the child: as if it had been started by a shell with that environment."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(env["TORYO_HOME"])
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, handle in ((0, null), (1, log), (2, log)):
        os.dup2(handle, number)
    code = 255
    try:
        code = be(who)
    finally:
        sys.stderr.flush()
        os._exit(code)


def main() -> int:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks for their ends: they are not to be zombies
    assert HttpModel  # imported here: half a second that no forked planner pays
    gc.freeze()
    made: list[int] = []
    for line in iter(sys.stdin.readline, ""):
        wish: dict[str, Any] = json.loads(line)
        Path(wish["env"]["TORYO_HOME"]).mkdir(parents=True, exist_ok=True)
        pid = os.fork()
        if pid == 0:
            begin(**wish)
        made.append(pid)
        print(pid, flush=True)
    for pid in made:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return 0


if __name__ == "__main__":
    sys.exit(main())
