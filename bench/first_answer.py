"""From a sentence to the first answer, and the planner's own time for a call: the model answers at once.

The model is the scripted one, whose bare answer over HTTP is the floor of the planner's own time.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from installation import Installation, calm, make_repository, until
from table import Figure, Samples

GOAL_S = 5.0
WARM = 2
QUESTION = {"id": "q1", "text": "How hot?", "options": ["warm", "hot"], "default": "warm"}
SCRIPT = {
    "model": [
        {
            "purpose": "question",
            "replies": [{"answer": {"title": "Tea", "size": "small", "questions": [QUESTION]}}],
        }
    ]
}


def measure(calls: int, starts: int, say: Callable[[str], None]) -> list[Figure]:
    place = Installation()
    make_repository(place.repo, 20, 4)
    with _model(place) as port:
        try:
            place.home.config.write_text(f"planner: {{base_url: 'http://127.0.0.1:{port}/v1', model: tea}}\n")
            place.home.planner_api_key.parent.mkdir(parents=True, exist_ok=True)
            place.home.planner_api_key.write_text("sk-nobody-0123456789\n")
            place.home.planner_api_key.chmod(0o600)
            place.start_daemon()
            place.start_coordinator()
            place.add_project()
            own = _own_time(place, port, calls)
            say(f"planner: {calls} calls")
            warm = _first_answers(place, starts)
            say(f"planner: {starts} sentences")
            cold = _first_answers(place, starts, cold=True)
            say(f"planner: {starts} sentences while nothing ran")
        finally:
            place.close()
    return [
        _first("sentence → questions on the screen", warm),
        _first("sentence → questions on the screen, nothing running before", cold),
        own,
    ]


def _first(name: str, samples: Samples) -> Figure:
    return Figure(name, "≤ 5 s", samples.median <= 1000 * GOAL_S, samples)


def _own_time(place: Installation, port: int, calls: int) -> Figure:
    """From the stored sentence to stored questions: order, brief, request, answer, report, decision."""
    taken, floors = [], []
    for number in range(calls + WARM):
        calm()
        floors.append(_bare_answer(port))
        calm()
        since = len(place.events())
        place.call("start_mission", text=f"Serve tea {number}", path=str(place.repo), new=True)
        asked = place.wait_for("mission_status", since=since, reason="questions")
        stored = place.wait_for("mission_started", since=since)
        taken.append(asked.at - stored.at)
    samples = Samples.of_seconds(taken[WARM:])
    return Figure(
        name="planner: a call from the stored sentence to stored questions",
        goal="",
        met=None,
        samples=samples,
        floor_name="the model's bare answer over HTTP",
        floor=Samples.of_seconds(floors[WARM:]),
    )


def _bare_answer(port: int) -> float:
    """A connection for each call, as the planner makes them."""
    body = {"model": "tea", "messages": [{"role": "user", "content": "Serve tea"}]}
    headers = {"content-type": "application/json", "x-toryo-purpose": "question"}
    begun = time.perf_counter()
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    line.getresponse().read()
    line.close()
    return time.perf_counter() - begun


def _first_answers(place: Installation, starts: int, *, cold: bool = False) -> Samples:
    """`toryo do` without a terminal ends as soon as there are questions to answer."""
    taken = []
    for number in range(starts):
        if cold:
            place.toryo("down")
        calm()
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "toryo", "do", f"Serve more tea {number}", "--new"],
            cwd=place.repo,
            env=place.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        taken.append(time.perf_counter() - begun)
        if done.returncode != 1 or "How hot?" not in done.stdout:
            raise RuntimeError(f"no questions: {done.stdout}{done.stderr}")
    return Samples.of_seconds(taken)


@contextmanager
def _model(place: Installation) -> Iterator[int]:
    script, port = place.root / "script.yaml", place.root / "port"
    script.write_text(json.dumps(SCRIPT))
    argv = [sys.executable, "-P", "-m", "toryo.rehearsal", str(script), "--port-file", str(port)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as model:
        try:
            until(port.exists, "the model answers")
            yield int(port.read_text())
        finally:
            model.terminate()
