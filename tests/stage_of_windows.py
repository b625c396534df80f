"""A place with a tmux server of its own, runs with windows, and the little TUI as their agent; for tests."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import uuid
from pathlib import Path
from typing import Any

from toryo import processes
from toryo.coordinator.runs.windows import Windows
from toryo.workbench.clients.calls import Command, Interactive
from toryo.workbench.runs import records
from toryo.workbench.runs.launch import LaunchSpec, launch, reserve
from toryo.workbench.runs.records import ExitRecord
from toryo.workbench.runs.stop import stop
from toryo.workbench.terminals.door import NoWindow, own_server
from toryo.workbench.terminals.windows import Window
from waiting import eventually

TUI = Path(__file__).with_name("little_tui.py")
PATIENCE_S = 60
DRIVER = """
import sys, threading
from pathlib import Path
from toryo.coordinator.runs.windows import Windows
Windows(Path(sys.argv[1])).attend(sys.argv[2])
threading.Event().wait()
"""
BASE = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}


class Stage:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tmux = own_server(folder)
        self.windows = Windows(folder)
        self.nonce = uuid.uuid4().hex

    def run_dir(self, run: str) -> Path:
        return self.folder / "runs" / run

    def log(self, run: str) -> Path:
        return self.folder / f"{run}.log"

    def window(self, run: str) -> Window:
        return Window(self.tmux, run)

    def spec(self, run: str, *argv: str, **more: Any) -> LaunchSpec:
        fields: dict[str, Any] = {"grace_s": 0.3, "generation": 1, "cwd": self.folder, "log": self.log(run)}
        return LaunchSpec(argv=argv, env=BASE | {"TORYO_RUN": f"{run}-{self.nonce}"}, **(fields | more))

    def start(self, run: str, spec: LaunchSpec) -> None:
        launch(reserve(self.folder / "runs", run, 1).path, spec)
        self.windows.attend(run)

    def shows_log(self, run: str, *argv: str) -> None:
        """An agent in the background with a window that shows its log."""
        run_dir = reserve(self.folder / "runs", run, 1).path
        spec = self.windows.dress(
            self.spec(run, *argv), run_dir, terminal="tmux", driven=None, prompt_file=run_dir / "prompt.md"
        )
        self.start(run, spec)

    def on_screen(self, run: str, *argv: str, prompt: str = "do it", **driven: Any) -> None:
        """A program on a screen of its own, driven."""
        run_dir = reserve(self.folder / "runs", run, 1).path
        prompt_file = run_dir / "prompt.md"
        prompt_file.write_text(prompt, newline="")
        fields: dict[str, Any] = {"ready": ("? for shortcuts",), "leave": "/exit"}
        interactive = Interactive(command=Command(argv), **(fields | driven))
        spec = self.windows.dress(
            self.spec(run, *argv), run_dir, terminal="tmux", driven=interactive, prompt_file=prompt_file
        )
        self.start(run, spec)

    def tui(self, run: str, *, prompt: str = "do it", driven: Any = None, **settings: Any) -> None:
        """The little TUI as agent; `done_file=True`: with its hook."""
        more = dict(driven or {})
        if settings.pop("done_file", False):
            more["done_file"] = self.folder / f"{run}.done"
            settings["done_file"] = str(more["done_file"])
        file = self.folder / f"{run}.tui.json"
        file.write_text(json.dumps({"received": str(self.folder / f"{run}.received"), **settings}))
        self.on_screen(run, sys.executable, "-I", str(TUI), str(file), prompt=prompt, **more)

    def drive_in_process(self, run: str, *, killed_at: str) -> None:
        """Drive the run in a process of its own until that step kills it."""
        file = self.folder / "crash"
        file.write_text(killed_at)
        env = dict(os.environ) | {"TORYO_CRASH_FILE": str(file)}
        argv = [sys.executable, "-c", DRIVER, str(self.folder), run]
        assert processes.run(argv, env=env, limit_s=PATIENCE_S).code == -9

    def received(self, run: str, number: int = 1) -> str:
        file = self.folder / f"{run}.received" / f"{number}.txt"
        eventually(file.exists, within_s=PATIENCE_S, what=f"message {number} of {run}")
        with open(file, newline="") as opened:
            return opened.read()

    def count(self, run: str) -> int:
        return len(list((self.folder / f"{run}.received").glob("*.txt")))

    def sees(self, run: str, text: str) -> None:
        eventually(lambda: text in self.look(run), within_s=PATIENCE_S, what=f"{text!r} on the screen")

    def look(self, run: str) -> str:
        try:
            return self.window(run).look()
        except NoWindow:
            return ""

    def exited(self, run: str) -> ExitRecord:
        return eventually(
            lambda: records.read_exit(self.run_dir(run)), within_s=PATIENCE_S, what=f"the end of {run}"
        )

    def close(self) -> None:
        self.windows.close()
        # a thread that is just opening its window would start the server anew
        eventually(lambda: not _looking_after(), within_s=PATIENCE_S, what="nobody opens windows any more")
        for run_dir in (self.folder / "runs").glob("*"):
            stop(run_dir, grace_s=0)
            eventually(
                lambda run_dir=run_dir: stop(run_dir, grace_s=0).gone, within_s=PATIENCE_S, what="ends"
            )
        with contextlib.suppress(NoWindow):
            self.tmux.do("kill-server")
        processes.reap()


def _looking_after() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("window ")]
