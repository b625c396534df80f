"""The real, pinned CLIs driven by our own command lines; only the model is scripted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rehearsal import little_mcp
from rehearsal.model_process import ModelProcess, model_process
from rehearsal.real_clients import ROOT, clean_environment
from repositories import git, make_repository
from toryo.protocol.kinds.run import Said
from toryo.rehearsal.environments import environment
from toryo.workbench.clients.calls import Call
from toryo.workbench.clients.registry import AGENT_CLIS, client

NAMES = [one.name for one in AGENT_CLIS]
every_cli = pytest.mark.parametrize("name", NAMES)
pytestmark = [pytest.mark.xdist_group("agent-clis"), pytest.mark.timeout(300)]
LONG = "".join(f"line {number} with 'quotes' and $HOME\n" for number in range(8_000))
"""More than Linux takes as one argument."""


def prepared(name: str, model: ModelProcess, folder: Path) -> Call:
    """A linked worktree with a context folder, as the coordinator prepares them."""
    repo = make_repository(folder / "repo")
    worktree = repo / ".worktrees" / "task-7"
    git(repo, "worktree", "add", "-q", str(worktree))
    (repo / ".git" / "info" / "exclude").write_text(".aiagent/\n")
    context = worktree / ".aiagent" / "agents" / "haru"
    context.mkdir(parents=True)
    run_dir = folder / "run"
    run_dir.mkdir(mode=0o700)
    more = environment(name, model.url, folder / "home") | {"WORKING_DIRECTORY": str(worktree)}
    return Call(
        prompt=f"Task #7: greet.\nAgent ID: haru\nProject ID: p-1\n{LONG}",
        prompt_file=run_dir / "prompt.md",
        worktree=worktree,
        repo=repo,
        run_dir=run_dir,
        context=context if name in ("claude", "gemini") else None,
        env=clean_environment(**more),
        is_root=os.geteuid() == 0,
        agent="haru",
    )


def carried_out(name: str, call: Call) -> tuple[int, Said]:
    """As the shim does it: both outputs in one log."""
    made = client(name).argv(call)
    done = subprocess.run(
        made.argv,
        cwd=call.context if made.cwd == "context" else call.worktree,
        env={**call.env, **made.env},
        input=made.stdin.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=200,
        check=False,
    )
    said = client(name).read(done.stdout.decode("utf-8", "replace").splitlines())
    assert done.returncode == 0 or said.result != "success", done.stdout[-3000:]
    return done.returncode, said


@every_cli
def test_the_installed_version_is_the_tested_one(name, tmp_path):
    versions = client(name).versions
    done = subprocess.run(
        versions.argv,
        env=clean_environment(HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert [version for version in versions.tested if version in done.stdout], done.stdout + done.stderr


@every_cli
def test_a_sealed_run_edits_commits_and_can_be_gone_on_with(name, tmp_path):
    script = {
        "model": [
            {"when": "Task #7", "replies": [{"commit": "greeted"}, {"say": "Greeted."}, {"say": "Again."}]}
        ]
    }
    with model_process(tmp_path, script) as model:
        call = prepared(name, model, tmp_path)
        call.worktree.joinpath("hello.txt").write_text("hello\n")
        code, said = carried_out(name, call)
        assert (code, said.result, said.message) == (0, "success", "Greeted.")
        assert said.denied == ()
        assert said.usage.output_tokens > 0
        assert git(call.worktree, "log", "-1", "--format=%s") == "greeted"
        _, then = carried_out(name, replace(call, prompt="And again.", resume=said.conversation))
        assert (then.result, then.message, then.conversation) == ("success", "Again.", said.conversation)
        asked = [one["body"] for one in model.requests() if one.get("verb") and not one.get("side", True)]
    assert LONG.splitlines()[-1] in str(asked[0]), "the prompt arrived whole"
    assert "mcp" not in str(asked[0].get("tools", "")).lower().replace("list_mcp", "").replace("read_mcp", "")


@every_cli
def test_a_connected_run_calls_our_tools(name, tmp_path):
    script = {"model": [{"when": "Task #7", "replies": [{"call": "authenticate"}, {"say": "Known."}]}]}
    calls = tmp_path / "calls.jsonl"
    bridge = (sys.executable, little_mcp.__file__, str(calls))
    with model_process(tmp_path, script) as model:
        code, said = carried_out(name, replace(prepared(name, model, tmp_path), bridge=bridge))
    assert (code, said.result, said.denied) == (0, "success", ())
    assert '"authenticate"' in calls.read_text()


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_outage_is_told_apart_from_bad_work(name, tmp_path):
    script = {"model": [{"when": "Task #7", "replies": [{"error": 500, "times": 99}]}]}
    with model_process(tmp_path, script) as model:
        code, said = carried_out(name, prepared(name, model, tmp_path))
    assert code == 1
    assert (said.result, said.limited.why) == ("error", "outage")


def test_codex_gives_up_on_a_service_that_refuses_connections(tmp_path):
    with model_process(tmp_path, {"model": [{"say": "never heard"}]}) as model:
        call = prepared("codex", model, tmp_path)
    code, said = carried_out("codex", call)
    assert (code, said.result, said.limited.why) == (1, "error", "outage")


def test_where_there_is_no_node_the_installer_says_what_to_do(tmp_path):
    """Only the programs that the script itself needs are found; no package manager is."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for program in ("bash", "dirname", "sed", "git", "cut", "env", "id"):
        found = shutil.which(program)
        assert found is not None
        (tools / program).symlink_to(found)
    done = subprocess.run(
        [str(ROOT / ".ci" / "clients")],
        env={"PATH": str(tools), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert "install Node 20 or newer" in done.stderr
