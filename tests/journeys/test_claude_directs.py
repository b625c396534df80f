"""The real Claude Code directs the work over `toryo mcp`, as a person sets it up; its model is a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House

from rehearsal.model_process import model_process
from rehearsal.real_clients import argv_for, run_client
from toryo.rehearsal.environments import environment

MakeHouse = Callable[..., House]
WORK = "echo tea > tea.txt && git add tea.txt && git commit -qm tea"


def script(repo: Path, daemon: int) -> list[object]:
    names = ",".join(f"mcp__toryo__{name}" for name in ("add_task", "wait_task", "get_evidence"))
    wait = {"task": {"from": "last.id"}, "timeout_s": 40}
    return [
        # so many tools are not loaded before the model asks for them
        {"call": {"tool": "ToolSearch", "arguments": {"query": f"select:{names}", "max_results": 3}}},
        {"call": {"tool": "add_task", "arguments": {"title": "Serve genmaicha", "path": str(repo)}}},
        {"run": f"kill -9 {daemon}"},
        {"call": {"tool": "wait_task", "arguments": wait}},
        {"call": {"tool": "get_evidence", "arguments": {"task": {"from": "last.id"}}}},
        {"call": {"tool": "add_task", "arguments": {"title": "Nowhere", "path": "/nowhere"}}},
        {"say": "It is landed."},
    ]


@pytest.mark.slow
def test_claude_code_adds_a_task_waits_for_it_through_a_killed_daemon_and_reads_its_evidence(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    house = make_house({"README.md": "hello\n", "Makefile": "test:\n\ttest -e README.md\n"})
    house.agent(WORK)
    house.ok("agent", "assign", "worker", "--default")
    daemon = house.pids()[0]
    with model_process(tmp_path, script(house.repo, daemon)) as model:
        env = environment("claude", model.url, tmp_path / "home")
        add = ["claude", "mcp", "add", "toryo", "--env", f"TORYO_HOME={house.home}", "--"]
        told = run_client([*add, sys.executable, "-m", "toryo", "mcp"], house.repo, **env)
        assert told.returncode == 0, told.stdout + told.stderr
        found = run_client(["claude", "mcp", "get", "toryo"], house.repo, **env)
        assert "Connected" in found.stdout, found.stdout + found.stderr
        argv = argv_for("claude", "Serve genmaicha.", "--allowedTools", "mcp__toryo")
        done = run_client(argv, house.repo, **env)
        asked = [json.dumps(one["body"]) for one in model.requests()]
    assert done.returncode == 0, done.stdout + done.stderr
    assert "It is landed." in done.stdout
    listed = house.read("task", "list")["tasks"]
    assert [(one["title"], one["status"]) for one in listed] == [("Serve genmaicha", "done")], asked[-1]
    assert "tea.txt" in house.files_on("main")
    assert "green" in asked[-1], "the evidence reached the model"
    assert '"is_error": true' in asked[-1], "a refusal is one for the model too"
    assert house.pids()[0] != daemon
    assert "orchestrate" in asked[0] + asked[-1], "so did the instructions"
    key = (house.home / "operator.key").read_text().strip()
    assert all(key not in one and "orch_" not in one for one in asked)
