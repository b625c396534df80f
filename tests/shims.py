"""Real runs through the real shim, for tests; whatever a test leaves alive is ended by its pid."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toryo import processes
from toryo.workbench.runs import records, survivors
from toryo.workbench.runs.launch import LaunchSpec, launch, reserve
from toryo.workbench.runs.records import ExitRecord, RunState, StartRecord
from waiting import eventually

BASE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


@dataclass
class Runs:
    """A place with runs; `log` of a run is beside its directory."""

    root: Path
    made: list[Path] = field(default_factory=list)
    nonce: str = field(default_factory=lambda: uuid.uuid4().hex)
    """Other tests run beside this one: a run's name must not be theirs, as in life."""

    def spec(
        self, name: str, *argv: str, env: Mapping[str, str] | None = None, crash: str = "", **more: object
    ) -> LaunchSpec:
        fields: dict[str, object] = {"cwd": self.root, "log": self.log(name), "grace_s": 0.3, "generation": 1}
        return LaunchSpec(
            argv=argv,
            env=BASE | {"TORYO_RUN": f"{name}-{self.nonce}"} | dict(env or {}),
            crash=crash,
            **(fields | more),
        )

    def start(self, name: str, *argv: str, **more: object) -> Path:
        run_dir = reserve(self.root / "runs", name, 1).path
        self.made.append(run_dir)
        launch(run_dir, self.spec(name, *argv, **more))  # type: ignore[arg-type]
        return run_dir

    def up(self, name: str) -> None:
        """The program itself runs: it has said something. (The start record comes before the exec.)"""
        eventually(lambda: self.log(name).exists() and self.log(name).read_text(), what=f"a word of {name}")

    def log(self, name: str) -> Path:
        return self.root / f"{name}.log"

    def close(self) -> None:
        for run_dir in self.made:
            started = records.read_started(run_dir)
            if started is not None:
                for one in (started.shim, *survivors.of(started.agent, records.marker(run_dir))):
                    survivors.send(one, signal.SIGKILL)
                eventually(lambda started=started: not started.shim.is_alive())
        processes.reap()


def sh(text: str) -> tuple[str, str, str]:
    return ("sh", "-c", text)


def started(run_dir: Path) -> StartRecord:
    return eventually(lambda: records.read_started(run_dir), what="a start record")


def exited(run_dir: Path, within_s: float = 10) -> ExitRecord:
    return eventually(lambda: records.read_exit(run_dir), within_s=within_s, what="an exit record")


def state_is(run_dir: Path, kind: records.Kind) -> RunState:
    def found() -> RunState | None:
        state = records.state(run_dir)
        return state if state.kind is kind else None

    return eventually(found, what=f"state {kind}")


def number_in(path: Path) -> int:
    """A pid that a program wrote, once it is written."""
    return int(
        eventually(lambda: path.exists() and path.read_text().strip(), what=f"a number in {path.name}")
    )


def is_gone(pid: int) -> bool:
    return processes.start_time(pid) is None
