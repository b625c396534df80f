"""Toryo's own time around a real CLI's run, besides the checkout: all before its start and after its end.

The CLI is Codex, the quickest of them, against the scripted model; without the CLIs (`.ci/clients`) nothing
is measured, and the row says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import yaml
from installation import Installation, calm, command, make_repository, until
from table import Figure, Samples

from toryo.rehearsal.environments import environment

CLIENT = "codex"
ROOT = Path(__file__).parents[1]
NAME = "own time around a real CLI's run (codex)"
GOAL = "≤ 100 ms"
SCRIPT = {
    "model": [
        {
            "when": [r"Task #\S+: task (\d+)$"],
            "replies": [
                {"run": 'echo "$TORYO_RUN" > "made-$TORYO_RUN.txt"; git add -A; git commit -qm work'},
                {"say": "done"},
            ],
        }
    ]
}


def measure(rounds: int, say: Callable[[str], None]) -> list[Figure]:
    found = subprocess.run([str(ROOT / ".ci" / "clients")], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return [Figure(NAME, GOAL, None, Samples((0.0,)), note="the CLIs are not installed: not measured")]
    programs = found.stdout.splitlines()[-1]
    place = Installation(coordinator="agents: {worker: {}}\n")
    make_repository(place.repo, 20, 4)
    script, port = place.root / "script.yaml", place.root / "port"
    script.write_text(yaml.safe_dump(SCRIPT))
    argv = [sys.executable, "-P", "-m", "toryo.rehearsal", str(script), "--port-file", str(port)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as model:
        try:
            until(port.exists, "the model answers")
            url = f"http://127.0.0.1:{port.read_text().strip()}"
            home = place.root / "cli"
            home.mkdir()
            place.env |= environment(CLIENT, url, home)
            place.env["PATH"] = f"{programs}:{place.env['PATH']}"
            return _measured(place, rounds, say)
        finally:
            place.close()
            model.terminate()


def _measured(place: Installation, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    place.start_daemon()
    place.start_coordinator()
    place.add_project()
    place.call("add_agent", name="worker", path=str(place.repo), client=CLIENT)
    own: list[float] = []
    checkouts: list[float] = []
    for number in range(rounds + 1):
        calm()
        since = len(place.events())
        task = place.add_task(f"task {number}", agent="worker")
        place.wait_for("run_cleaned", task=task, since=since)
        events = place.events()[since:]
        at = {(one.kind, one.body.get("status", "")): one.at for one in reversed(events)}
        ran = next(one.body for one in events if one.kind == "run_exited")
        checkout = _checkout(place, number)
        if number:  # the first one warms up
            before = _moment(ran["started_at"]) - at["task_status", "ready"]
            after = at["target_published", ""] - _moment(ran["ended_at"])
            own.append(before + after - checkout)
            checkouts.append(checkout)
    say(f"{CLIENT}: {rounds} runs")
    samples = Samples.of_seconds(own)
    return [
        Figure(
            name=NAME,
            goal=GOAL,
            met=samples.median <= 100,
            samples=samples,
            floor_name="git worktree add, taken off",
            floor=Samples.of_seconds(checkouts),
        )
    ]


def _checkout(place: Installation, number: int) -> float:
    worktree = place.root / f"raw{number}"
    begun = datetime.now().timestamp()
    command(["git", "worktree", "add", "-q", "--detach", str(worktree), "main"], cwd=place.repo)
    return datetime.now().timestamp() - begun


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


if __name__ == "__main__":
    print(json.dumps([figure.cells() for figure in measure(10, print)], indent=1))
