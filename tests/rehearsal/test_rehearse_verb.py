"""`toryo rehearse`: a project's own agents, prompts and checks with a real CLI; its checkout stays clean."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rehearsal.real_clients import clean_environment
from repositories import commit_files, git, make_repository
from toryo.fronts.demo.leaving import processes_of
from waiting import eventually

ARGV = (sys.executable, "-m", "toryo", "rehearse")
KEY = "sk-of-the-user"
AGENT = """
name: greeter
client: command
command: codex exec --json --dangerously-bypass-approvals-and-sandbox {prompt}
promptFile: prompts/greeter.md
"""
CONFIG = """
dod:
  checks:
    - command: grep -q "good day" README.md || test ! -e bye
"""
SCRIPT: dict[str, Any] = {
    "tasks": [
        {
            "title": "Say good day",
            "agent": "greeter",
            "expect": {"runs": ["implement", "fix"], "verdict": "green", "files": {"README.md": "good day"}},
        }
    ],
    "model": [
        {
            "when": ["Say good day", "the checks failed", "Be polite"],
            "replies": [
                {"edit": {"path": "README.md", "old": "hello", "new": "good day"}},
                {"commit": "mend"},
                {"say": "Mended."},
            ],
        },
        {"when": "Say good day", "replies": [{"run": "touch bye"}, {"commit": "bye"}, {"say": "Made."}]},
    ],
}


@pytest.fixture
def place() -> Iterator[Path]:
    # not tmp_path: its long names would not leave room for a socket's path
    folder = Path(tempfile.mkdtemp(prefix="tr")).resolve()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def project(place: Path) -> Path:
    repo = make_repository(place / "shop")
    commit_files(repo, {".toryo/config.yaml": CONFIG, ".toryo/agents/greeter.yaml": AGENT})
    prompts = repo / ".toryo" / "prompts"
    prompts.mkdir()
    (prompts / "greeter.md").write_text("Be polite.\n")  # never committed: rehearsed as it lies there
    return repo


def rehearse(project: Path, script: object, *options: str) -> subprocess.CompletedProcess[str]:
    place = project.parent
    (place / "script.yaml").write_text(json.dumps(script))
    temporary = place / "t"
    temporary.mkdir(exist_ok=True)
    env = clean_environment(
        HOME=str(place / "mine"), TMPDIR=str(temporary), ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY=KEY
    )
    argv = [*ARGV, str(place / "script.yaml"), *options]
    return subprocess.run(
        argv, cwd=project, env=env, capture_output=True, text=True, timeout=170, check=False
    )


def test_a_rehearsal_plays_the_projects_own_agents_and_checks_and_leaves_no_trace(project: Path) -> None:
    before = git(project, "rev-parse", "HEAD"), git(project, "status", "--porcelain")
    done = rehearse(project, SCRIPT)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in (
        "Say good day: done",
        "saw    run 2 fix: exit 0",
        "proof  green: grep -q",
        "✔ Say good day: runs",
    ):
        assert line in done.stdout
    assert (git(project, "rev-parse", "HEAD"), git(project, "status", "--porcelain")) == before
    assert not (project / ".worktrees").exists()
    assert list((project.parent / "t").iterdir()) == []
    assert not (project.parent / "mine").exists()
    assert processes_of(project.parent) == []


def test_what_is_not_as_the_script_expects_is_named_and_exits_1(project: Path) -> None:
    script = {
        **SCRIPT,
        "tasks": [{**SCRIPT["tasks"][0], "expect": {"runs": ["implement"], "status": "failed"}}],
    }
    done = rehearse(project, script, "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert said["ok"] is False
    wrong = {one["what"]: one["found"] for one in said["expectations"] if not one["ok"]}
    assert wrong == {
        "Say good day: status failed": "done",
        "Say good day: runs implement": "implement, fix",
    }


def test_a_kept_rehearsal_has_every_request_that_the_model_received(project: Path) -> None:
    kept = project.parent / "kept"
    done = rehearse(project, SCRIPT, "--keep", str(kept))
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        bodies = [json.loads(line) for line in (kept / "requests.jsonl").read_text().splitlines()]
        assert len(bodies) == 6
        assert "Be polite." in json.dumps(bodies[0]["body"])
        assert git(kept / "shop", "log", "-1", "--format=%s", "--no-merges") == "mend"
        assert KEY not in (kept / "requests.jsonl").read_text()
    finally:
        shutil.rmtree(kept, ignore_errors=True)


def test_without_an_agent_the_named_client_works_and_a_bare_list_of_replies_is_one_task(place: Path) -> None:
    repo = make_repository(place / "bare")
    script = [{"write": {"path": "a.txt", "text": "a\n"}}, {"commit": "add a"}, {"say": "Added."}]
    done = rehearse(repo, script, "--client", "codex", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (task,) = json.loads(done.stdout)["tasks"]
    assert (task["task"]["title"], task["task"]["status"]) == ("script", "done")
    assert [run["client"] for run in task["task"]["runs"]] == ["codex"]


def test_a_client_that_is_not_installed_is_named_with_the_line_that_installs_it(place: Path) -> None:
    repo = make_repository(place / "bare")
    (place / "script.yaml").write_text("- say: hello\n")
    env = {**clean_environment(HOME=str(place / "mine")), "PATH": "/usr/bin:/bin"}
    argv = [*ARGV, str(place / "script.yaml"), "--client", "claude"]
    done = subprocess.run(argv, cwd=repo, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "claude is not on PATH" in done.stderr
    assert "npm install -g @anthropic-ai/claude-code" in done.stderr


@pytest.mark.parametrize(
    ("script", "named"),
    [([{"shout": "x"}], "no reply is called shout"), ({"model": [], "tasks": [{}]}, "title is missing")],
)
def test_a_wrong_script_is_refused_before_anything_is_made(project: Path, script: object, named: str) -> None:
    done = rehearse(project, script)
    assert done.returncode == 1
    assert named in done.stderr
    assert "rehearsing.md" in done.stderr
    assert list((project.parent / "t").iterdir()) == []


def test_serve_only_serves_until_it_is_asked_to_end(place: Path) -> None:
    (place / "script.yaml").write_text("- say: hello\n")
    port, requests = place / "port", place / "requests.jsonl"
    argv = [
        *ARGV,
        "--serve",
        str(place / "script.yaml"),
        "--port-file",
        str(port),
        "--requests",
        str(requests),
    ]
    with subprocess.Popen(argv, cwd=place, stdout=subprocess.PIPE, text=True) as process:
        try:
            eventually(port.exists, within_s=30)
            assert process.stdout is not None
            assert process.stdout.readline() == f"http://127.0.0.1:{int(port.read_text())}\n"
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert requests.exists()
