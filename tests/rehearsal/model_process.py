"""The scripted model as its users have it: a process that is asked over HTTP, and the requests it kept."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waiting import eventually


@dataclass(frozen=True)
class Answered:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def events(self) -> list[Any]:
        """The data of each server-sent event; `[DONE]` stays text."""
        found = [line.removeprefix("data: ") for line in self.text.splitlines() if line.startswith("data: ")]
        return [json.loads(one) if one.startswith("{") else one for one in found]


@dataclass(frozen=True)
class ModelProcess:
    port: int
    kept: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, body: object, **headers: str) -> Answered:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.request("POST", path, json.dumps(body), {"content-type": "application/json", **headers})
            got = line.getresponse()
            told = {name.lower(): value for name, value in got.getheaders()}
            return Answered(got.status, told, got.read().decode())
        finally:
            line.close()

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.kept.read_text().splitlines()]


@contextmanager
def model_process(folder: Path, script: object) -> Iterator[ModelProcess]:
    """Serves the script; YAML is a superset of JSON."""
    file = folder / "script.yaml"
    file.write_text(script if isinstance(script, str) else json.dumps(script))
    port, kept = folder / "port", folder / "requests.jsonl"
    argv = [sys.executable, "-P", "-m", "toryo.rehearsal", str(file)]
    argv += ["--port-file", str(port), "--requests", str(kept)]
    with subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            eventually(lambda: port.exists() or process.poll() is not None, within_s=30, what="the port file")
            assert process.poll() is None, process.stderr.read().decode()
            yield ModelProcess(int(port.read_text()), kept)
        finally:
            process.terminate()
            said = process.stderr.read().decode()
            process.wait(30)
    assert said == "", said
