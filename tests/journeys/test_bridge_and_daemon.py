"""An agent that speaks through the bridge does its work though the daemon is killed in the middle of it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House

from waiting import eventually

MakeHouse = Callable[..., House]
TESTS = Path(__file__).parents[1]
RUN_TOKEN = re.compile(rb"\brun_r[a-z0-9]{8}_[A-Za-z0-9_\-]{24,}")

AGENT = """\
import json, os, subprocess, sys
from pathlib import Path
sys.path[:0] = [{tests!r}]
from fronts.stdio_client import StdioClient
from waiting import eventually
room = Path({room!r})
client = StdioClient.of(Path(os.environ["TORYO_RUN_FILE"]))
client.initialize({version!r})
told = client.call("authenticate", agent_id=os.environ["AGENT_ID"], project_id=os.environ["PROJECT_ID"])
session = told["session_token"]
task = client.call("get_my_task", session_token=session)["task"]
(room / "ready").write_text(json.dumps(task))
eventually((room / "killed").exists, within_s=60, what="the daemon was killed")
number = client.request("tools/call", {{"name": "report_progress",
    "arguments": {{"session_token": session, "summary": "nobody listens"}}}})
(room / "asked").touch()
answer = client.answer(number)
Path(task["working_directory"], "work.txt").write_text("done")
subprocess.run(["git", "add", "-A"], check=True)
subprocess.run(["git", "commit", "-qm", "work"], check=True)
client.call("report_completed", session_token=session, result="success", summary="it works")
client.leave()
(room / "seen").write_bytes(client.seen)
"""


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_killed_daemon_costs_a_connected_agent_nothing(make_house: MakeHouse, version: str) -> None:
    """Access, and Orders and facts: kill any of them at any moment."""
    house = make_house()
    script = house.root / "agent.py"
    script.write_text(AGENT.format(tests=str(TESTS), room=str(house.root), version=version))
    command = f"{sys.executable} {script}"
    house.ok("agent", "add", "cli", "--client", "command", "--command", command, "--access", "connected")
    task = house.add("Go on whatever happens")
    ready = house.root / "ready"
    got = eventually(lambda: ready.exists() and ready.read_text(), within_s=60, what="the agent has its task")
    assert json.loads(got)["task_id"] == task
    house.kill(house.pids()[0])
    (house.root / "killed").touch()
    eventually((house.root / "asked").exists, within_s=60, what="the agent asked a daemon that is gone")
    house.ok("up")
    assert house.rest(task) == 0, house.story(task) + house.ok("log", task)
    claims = [(one["kind"], one["summary"]) for one in house.task(task)["claims"]]
    assert claims == [("progress", "nobody listens"), ("completed", "it works")]
    assert "work.txt" in house.files_on("main")
    seen = eventually(lambda: (house.root / "seen").exists() and (house.root / "seen").read_bytes())
    assert not RUN_TOKEN.search(seen), "the model never sees the run's credential"
