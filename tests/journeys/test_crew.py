"""The real crew: each CLI takes a task, edits, commits, reports over MCP, passes the gate and lands."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from crew_house import LONG_S, PINNED, Crew, crew, part, reports, writes

from repositories import git
from waiting import eventually

CARPENTER = "You are a careful carpenter."
STEPS = [{"call": "authenticate"}, {"call": "get_my_task"}]
NAMES_ITS_MODEL = {"claude", "gemini"}
"""The records of the others do not, and here nobody asked for one by name."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * LONG_S)]


@pytest.mark.parametrize("client", sorted(PINNED))
def test_a_task_is_done_by_the_real_cli_and_its_evidence_says_how(client: str) -> None:
    work = part("Add a file", *STEPS, *writes("src/a.txt"), *reports("a file more"), {"say": "All is done."})
    with crew(client, work, worker=("--access", "connected", "--system-prompt", CARPENTER)) as house:
        task = house.add("Add a file", "-d", "with care")
        house.lands(task)
        shown = house.task(task)
        assert git(house.repo, "rev-parse", "main") == shown["landed_commit"]
        assert house.text_on("src/a.txt") == "fine"
        claims = [(one["kind"], one["result"], one["summary"]) for one in shown["claims"]]
        assert claims == [("completed", "success", "a file more")]
        its_steps_arrived(house, task)
        evidence_says_how(house, task)
        its_log_reads_well(house, task)
        assert house.recomputed() == []


def its_steps_arrived(house: Crew, task: str) -> None:
    """What the tools answered is in the requests that came after them."""
    asked = house.requests("Add a file")
    called = [one["called"] for one in asked]
    steps = ("authenticate", "get_my_task", "report_completed")
    assert [name for step in steps for name in called if name.endswith(step)] == [
        called[0],
        called[1],
        called[4],
    ]
    assert CARPENTER in json.dumps(asked[1]["body"])
    assert re.search(rf"task_id\W+{task}", json.dumps(asked[2]["body"]))


def evidence_says_how(house: Crew, task: str) -> None:
    evidence = house.evidence(task)
    assert evidence["verdict"] == "green"
    assert evidence["tree"] == git(house.repo, "rev-parse", "main^{tree}")
    assert [(one["command"], one["result"]) for one in evidence["checks"]] == [("make test", "passed")]
    (run,) = evidence["runs"]
    assert (run["client"], run["client_version"]) == (house.client, PINNED[house.client])
    assert bool(run["model"]) == (house.client in NAMES_ITS_MODEL)
    assert run["usage"]["input_tokens"] > 1000
    assert run["usage"]["output_tokens"] > 20
    prompt = (house.run_dir(run["id"]) / "prompt.md").read_bytes()
    assert run["prompt_hash"] == hashlib.sha256(prompt).hexdigest()
    assert run["conversation"]
    assert (run["outcome"], run["exit_code"], run["denied"]) == ("succeeded", 0, [])
    assert run["message"] == "All is done."
    assert f"{house.client} {PINNED[house.client]}" in house.ok("run", "show", run["id"])


def its_log_reads_well(house: Crew, task: str) -> None:
    head, *lines, foot = house.ok("log", task).splitlines()
    assert head.startswith("── ")
    assert foot.startswith("── succeeded")
    lines = [re.sub(r"^(\d\d:\d\d:\d\d| {8})  ", "", line) for line in lines]
    assert "All is done." in lines
    assert any(line.startswith("→") and "git commit" in line for line in lines)
    assert not [line for line in lines if line.startswith("{")]
    raw = [line for line in house.ok("log", task, "--raw").splitlines() if line.startswith("{")]
    assert len([json.loads(line) for line in raw]) > 5


def test_a_sealed_run_has_no_tools_of_ours_and_no_token() -> None:
    with crew("claude", part("Alone", {"run": "env > env.txt"}, {"commit": "env"})) as house:
        task = house.add("Alone")
        house.lands(task)
        env = dict(line.partition("=")[::2] for line in house.text_on("env.txt").splitlines())
        assert not {"AGENT_PASSKEY", "TORYO_RUN_FILE", "TORYO_HOME"} & set(env)
        assert (env["AGENT_ID"], env["TORYO_PURPOSE"]) == ("worker", "implement")
        asked = house.requests("Alone")
        offered = {tool["name"] for one in asked for tool in one["body"]["tools"]}
        assert "Bash" in offered
        assert not [name for name in offered if "authenticate" in name]
        assert not (house.run_dir(house.run(task)["id"]) / "credential.json").exists()


def test_a_cli_that_is_not_installed_is_named_with_the_line_to_type() -> None:
    with crew("codex", part("Who does it", *writes("a.txt")), worker=None) as house:
        everything, bare = house.env["PATH"], house.root / "bin"
        bare.mkdir()
        for name in ("git", "sh", "make", "node", "claude"):
            found = shutil.which(name, path=everything)
            assert found is not None
            (bare / name).symlink_to(found)
        house.ok("down")
        house.env["PATH"] = str(bare)
        house.ok("up")
        house.worker()
        task = house.add("Who does it")
        eventually(lambda: house.state(task) == "blocked no_program")
        line = "npm install -g @openai/codex"
        shown = house.task(task)
        assert (shown["runs"], shown["worktree"]) == ([], "")
        assert shown["detail"] == f"codex is not on PATH; type: {line}"
        assert line in house.ok("task", "show", task)
        with_all = house.env | {"PATH": everything}
        asked = [sys.executable, "-m", "toryo", "task", "show", task]
        told = subprocess.run(asked, cwd=house.repo, env=with_all, capture_output=True, text=True, check=True)
        words = "codex is on your PATH, not on the coordinator's; type: toryo up --refresh"
        assert words in " ".join(told.stdout.split())
        examined = house.toryo("doctor").stdout
        assert "worker is driven by codex, which is not installed" in examined
        assert f"uid {os.getuid()}" in examined
        assert re.search(rf"claude +{re.escape(PINNED['claude'])} +yes +{bare}/claude", examined)
        assert re.search(r"codex .*not installed", examined)
        (bare / "codex").symlink_to(str(shutil.which("codex", path=everything)))
        house.lands(task)
        (machine,) = house.read("doctor")["machines"]
        listed = {one["name"]: (one["version"], one["tested"]) for one in machine["clients"]}
        both = {name: (PINNED[name], True) for name in ("claude", "codex")}
        assert listed == dict.fromkeys(PINNED, ("", False)) | both
