"""A real planner process at the socket of a scripted daemon, and the orders they exchange."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from planner.briefs import a_brief
from scripted_daemon import Body, ScriptedDaemon
from toryo.settings import Home
from waiting import eventually


class Mind:
    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home").make()
        self.home.operator_key.write_text("op_key")
        self.daemon = ScriptedDaemon(self.home.socket)
        self.crash = folder / "crash"
        self._env: dict[str, str] = {}
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, *, name: str = "main", **env: str) -> subprocess.Popen[bytes]:
        """`toryo planner run`, as a person's shell would start it."""
        given = {**os.environ, "TORYO_HOME": str(self.home.path), "TORYO_CRASH_FILE": str(self.crash), **env}
        argv = [sys.executable, "-P", "-m", "toryo", "planner", "run", "--name", name]
        process = subprocess.Popen(
            argv, env=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        self._processes.append(process)
        return process

    def leave(self, process: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> int:
        process.send_signal(number)
        return process.wait(20)

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait(20)
            if process.stderr is not None:
                process.stderr.close()
        self.daemon.stop()

    def settings(self, **planner: Any) -> None:
        lines = "".join(f"  {key}: {value}\n" for key, value in planner.items())
        self.home.config.write_text(f"planner:\n{lines}" if lines else "")

    def order(self, kind: str, order: str = "o1", **brief: Any) -> Body:
        text = a_brief(purpose=kind, **brief).model_dump_json()
        blob = hashlib.sha256(text.encode()).hexdigest()
        self.daemon.texts[blob] = text
        inputs = {"mission": "n1", "request": 1, "brief": blob}
        made = {"id": order, "kind": kind, "key": f"n1/{order}", "generation": 1, "inputs": inputs}
        self.daemon.give(made)
        return made

    def told(self, fact: str, order: str = "o1") -> Body:
        """The final fact of an order, once it is there."""
        return eventually(lambda: self.daemon.about(fact, order), within_s=40, what=f"{fact} of {order}")[-1]

    def answer(self, fact: str, order: str = "o1") -> str:
        return self.daemon.blobs[self.told(fact, order)["answer"]]
