"""A coordinator in this process with a scripted daemon at its socket, and the orders they exchange."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

from scripted_daemon import Body, ScriptedDaemon
from toryo.coordinator.config import Config
from toryo.coordinator.loop import Loop
from toryo.coordinator.process import join
from toryo.place.lifecycle import Lifecycle
from toryo.settings import Home
from toryo.workbench.runs.stop import stop
from waiting import eventually


class Crew:
    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home").make()
        self.daemon = ScriptedDaemon(self.home.socket)
        self.hands: list[tuple[Loop, threading.Thread]] = []

    @property
    def runs(self) -> Path:
        return self.home.coordinator("main") / "runs"

    def start(self, *, interval: float = 0.2, **settings: Any) -> Loop:
        """A coordinator called `main`, running until `leave`."""
        config = Config(polling_interval=interval, mcp_socket_path=self.home.socket, **settings)
        loop = join(self.home, "main", config, "coord_key", Lifecycle())
        thread = threading.Thread(target=loop.run, daemon=True)
        thread.start()
        self.hands.append((loop, thread))
        return loop

    def leave(self, loop: Loop) -> None:
        """As SIGTERM does; agents go on."""
        thread = next(thread for known, thread in self.hands if known is loop)
        loop.lifecycle.end()
        thread.join(10)
        assert not thread.is_alive()

    def is_over(self, loop: Loop) -> bool:
        return not next(thread for known, thread in self.hands if known is loop).is_alive()

    def close(self) -> None:
        for loop, _ in self.hands:
            loop.lifecycle.end()
        self.daemon.stop()
        for _, thread in self.hands:
            thread.join(10)
        for run in self.runs.glob("r*"):
            stop(run, grace_s=0)
            eventually(lambda run=run: stop(run, grace_s=0).gone, what=f"the end of {run.name}")  # type: ignore[misc]
        names = ("listen", "orders-", "checks-", "asks-")
        eventually(
            lambda: not [t for t in threading.enumerate() if t.name.startswith(names)], what="threads end"
        )

    def read(self, ask_id: str, **read: Any) -> Body:
        """What is answered to that ask."""
        self.daemon.ask(ask_id, **read)
        return eventually(lambda: self.daemon.answers.get(ask_id), within_s=20, what=f"an answer to {ask_id}")  # type: ignore[return-value]

    # ── orders ──

    def order(self, order_id: str, kind: str, inputs: Body, **more: Any) -> Body:
        return {"id": order_id, "kind": kind, "key": f"{kind}/{order_id}", "inputs": inputs, **more}

    def run_order(
        self, run: str, repo: Path, command: str, *, order_id: str = "", prompt: str = "do it"
    ) -> Body:
        blob = hashlib.sha256(prompt.encode()).hexdigest()
        self.daemon.texts[blob] = prompt
        inputs = {
            "repo": str(repo),
            "worktree": str(repo),
            "run": run,
            "task": "t1",
            "agent": "dev",
            "project": "p1",
            "client": "command",
            "command": command,
            "purpose": "implement",
            "prompt": blob,
            "timeout_s": 60,
        }
        return self.order(order_id or f"o{run}", "run", inputs, run=run, generation=1)


def project(name: str, where: Path, agents: list[str], targets: list[Any] | None = None) -> Body:
    return {
        "project_id": name,
        "project_name": name,
        "working_directory": str(where),
        "agents": agents,
        "targets": targets or [],
    }


def waiting_agent(gate: Path, trace: Path) -> str:
    """An agent that writes one line when it begins and ends when the gate file is there."""
    return f"sh -c 'echo began >> {trace}; while [ ! -e {gate} ]; do sleep 0.02; done'"
