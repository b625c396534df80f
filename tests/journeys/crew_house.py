"""A house whose agents are a real CLI and whose model is a script: temporary home, loopback only, no key."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from house import House, build

from rehearsal.model_process import ModelProcess, model_process
from rehearsal.real_clients import clean_environment
from toryo.rehearsal.environments import environment
from toryo.workbench.clients import registry
from waiting import eventually

PINNED = {one.name: one.versions.tested[0] for one in registry.AGENT_CLIS}
"""What `.ci/clients` installs; tests/clients holds the two together."""
FILES = {
    "README.md": "hello\n",
    "Makefile": "test:\n\tsh check.sh\n",
    "check.sh": "! grep -rq BROKEN src 2>/dev/null\n",
}
"""A repository with a real check."""
NOBODY = "http://127.0.0.1:9"
"""Where connections are refused."""
LONG_S = 240
"""A run of the slowest CLI takes half a minute; on a busy machine several times that."""

Reply = Mapping[str, Any]


def writes(path: str, text: str = "fine\n") -> list[Reply]:
    """The model's work: one file, committed."""
    return [{"write": {"path": path, "text": text}}, {"commit": f"add {path}"}]


def reports(summary: str = "it works") -> list[Reply]:
    """The steps of a connected run."""
    claim = {"tool": "report_completed", "arguments": {"result": "success", "summary": summary}}
    return [{"call": claim}]


def part(title: str, *replies: Reply, when: str = "") -> dict[str, Any]:
    """What the model answers to the run of the task with this title; `when`: only if its prompt says that."""
    return {"when": [rf"Task #\S+: {title}$", *([when] if when else [])], "replies": list(replies)}


@dataclass
class Crew(House):
    client: str = ""
    model: ModelProcess | None = None

    def worker(self, name: str = "worker", *options: str) -> None:
        self.ok("agent", "add", name, "--client", self.client, *options)

    def requests(self, title: str = "") -> list[dict[str, Any]]:
        """What the model was asked by the runs of that task, without titles and the like."""
        assert self.model is not None
        asked = [one for one in self.model.requests() if not one.get("side", True)]
        return [one for one in asked if title in json.dumps(one["body"])]

    def run(self, task: str, number: int = -1) -> dict[str, Any]:
        shown = self.task(task)["runs"][number]
        assert isinstance(shown, dict)
        return shown

    def until(
        self, task: str, question: Callable[[dict[str, Any]], object], *, what: str, within_s: float = LONG_S
    ) -> dict[str, Any]:
        """The task, as soon as the question is true of it."""
        found: list[dict[str, Any]] = []

        def asked() -> bool:
            shown = self.task(task)
            found[:] = [shown]
            return bool(question(shown))

        try:
            eventually(asked, within_s=within_s, what=what)
        except BaseException:
            print(self.story(task))
            raise
        return found[0]

    def lands(self, *tasks: str) -> None:
        code = self.rest(*tasks, limit_s=LONG_S)
        told = [self.toryo("log", one).stdout[-4000:] for one in tasks]
        assert code == 0, "\n".join([self.story(*tasks), *told])

    def settings(self, **more: Any) -> None:
        """coordinator.yaml; before the house is begun."""
        file = self.home / "coordinators" / "main" / "coordinator.yaml"
        file.write_text(json.dumps({"polling_interval": 2, "max_concurrent": 4, **more}))

    def pids_of_runs(self) -> list[int]:
        """Processes that belong to any run of this house."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    environ = (entry / "environ").read_bytes()
                    if b"TORYO_RUN=" in environ and str(self.root).encode() in environ:
                        found.append(int(entry.name))
        return found

    def run_dir(self, run: str) -> Path:
        return self.home / "coordinators" / "main" / "runs" / run


@contextmanager
def crew(
    client: str,
    *parts: Mapping[str, Any],
    files: Mapping[str, str] = FILES,
    settings: Mapping[str, Any] | None = None,
    url: str = "",
    worker: tuple[str, ...] | None = (),
    **env: str,
) -> Iterator[Crew]:
    """A house with the project begun and one agent `worker`, unless that is None. `env`: empty takes away."""
    # not tmp_path: its long names would not leave room for a socket's path
    root = Path(tempfile.mkdtemp(prefix="tc")).resolve()
    try:
        with model_process(root, {"model": list(parts)}) as model:
            plain = build(root, dict(files))
            own = environment(client, url or model.url, Path(plain.env["HOME"]))
            whole = {**clean_environment(), **plain.env, **own, **env}
            whole["PATH"] = clean_environment()["PATH"]
            whole = {name: value for name, value in whole.items() if value}
            house = Crew(plain.root, plain.repo, whole, client, model)
            try:
                if settings:
                    house.settings(**settings)
                house.ok("init", "--yes", "--base", "main")
                if worker is not None:
                    house.worker("worker", *worker)
                yield house
            finally:
                house.close()
    finally:
        shutil.rmtree(root, ignore_errors=True)
