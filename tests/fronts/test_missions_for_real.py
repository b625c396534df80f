"""`toryo do` with the real daemon, coordinator, planner and git, against the scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rehearsal.model_process import ModelProcess, model_process
from repositories import git, make_repository
from toryo.fronts.processes.planner_note import noted
from toryo.settings import Home

KEY = "sk-the-KEY-0123456789abcdef"
WORD = "xylophone"
QUESTIONS = [{"id": "Q1", "text": f"Loud {WORD}?", "options": ["yes", "no"], "default": "no"}]
TASK = {"id": "T001", "title": f"Write {WORD}", "write": ["new.txt"], "checks": ["test -f new.txt"]}
PLAN = {"spec": f"# Feature Specification: {WORD}", "plan": "# Implementation Plan", "tasks": [TASK]}
SCRIPT = {
    "model": [
        {
            "purpose": "question",
            "replies": [{"answer": {"title": WORD, "size": "small", "questions": QUESTIONS}}],
        },
        {"purpose": "plan", "replies": [{"answer": PLAN}]},
    ]
}
AGENT = "echo new >new.txt\ngit add new.txt\ngit commit -qm work\n"


def shell(home: Path, model: ModelProcess | None = None) -> dict[str, str]:
    env = {**os.environ, "TORYO_HOME": str(home)}
    if model is not None:
        env |= {
            "TORYO_PLANNER_BASE_URL": f"{model.url}/v1",
            "TORYO_PLANNER_MODEL": "tea-1",
            "TORYO_PLANNER_API_KEY": KEY,
        }
    return env


def toryo(
    home: Path, repo: Path, *words: str, model: ModelProcess | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "toryo", *words],
        env=shell(home, model),
        cwd=repo,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


@pytest.fixture
def repo(toryo_home: Path, tmp_path: Path) -> Iterator[Path]:
    made = make_repository(tmp_path / "repo", {"agent.sh": AGENT})
    assert toryo(toryo_home, made, "init", "--yes").returncode == 0
    words = ("agent", "add", "sh", "--client", "command", "--command", "sh agent.sh {prompt_file}")
    assert toryo(toryo_home, made, *words).returncode == 0
    yield made
    assert toryo(toryo_home, made, "down").returncode == 0


def test_a_sentence_becomes_landed_work_and_the_key_is_nowhere(toryo_home, repo, tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        done = toryo(toryo_home, repo, "do", f"play the {WORD}", "--defaults", "--yes", "--json", model=model)
        assert done.returncode == 0, done.stdout + done.stderr
        planner = noted(Home(toryo_home))
        seen = [" ".join(one.info["cmdline"] or []) for one in psutil.process_iter(["cmdline"])]
        requests = model.requests()
    said = json.loads(done.stdout)
    assert (said["status"], said["tasks"][0]["status"]) == ("completed", "done")
    assert git(repo, "show", "main:new.txt") == "new"
    assert [one["purpose"] for one in requests] == ["question", "plan"]
    assert WORD in json.dumps(requests[0]["body"])
    assert planner is not None
    assert [words for words in seen if KEY in words] == []
    kept = [file for file in toryo_home.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert kept == []


def test_without_a_terminal_each_step_is_said_and_typed_and_the_work_is_done_at_the_end(
    toryo_home, repo, tmp_path
):
    with model_process(tmp_path, SCRIPT) as model:
        asked = toryo(toryo_home, repo, "do", f"play the {WORD}", model=model)
        mission = asked.stdout.split()[0]
        assert (asked.returncode, f"→ toryo mission answer {mission} --defaults" in asked.stdout) == (1, True)
        assert toryo(toryo_home, repo, "mission", "answer", mission, "Q1=yes").returncode == 0
        planned = toryo(toryo_home, repo, "mission", "wait", mission)
        assert (planned.returncode, f"→ toryo mission approve {mission}" in planned.stdout) == (1, True)
        assert f"Write {WORD}" in toryo(toryo_home, repo, "mission", "show", mission).stdout
        assert toryo(toryo_home, repo, "mission", "say", mission, "run it").returncode == 0
        followed = toryo(toryo_home, repo, "mission", "wait", mission)
    assert followed.returncode == 0, followed.stdout + followed.stderr
    assert "completed" in followed.stdout
    assert git(repo, "show", "main:new.txt") == "new"
