"""The command line with the real daemon and the real coordinator, as a person would use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository

COMMAND = [sys.executable, "-m", "toryo"]


def begin(home: Path, *words: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    env = {**os.environ, "TORYO_HOME": str(home)}
    out = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *words], env=env, cwd=cwd, stdout=out, stderr=out, text=True)


def toryo(home: Path, *words: str, cwd: Path | None = None) -> str:
    """What it printed; it must have gone well."""
    begun = begin(home, *words, cwd=cwd)
    out, err = begun.communicate(timeout=120)
    assert begun.returncode == 0, f"toryo {' '.join(words)}: {err}{out}"
    return out


@pytest.fixture
def home(toryo_home: Path) -> Iterator[Path]:
    yield toryo_home
    toryo(toryo_home, "down")


def test_commands_at_once_on_a_cold_installation_start_one_of_each(home):
    begun = [begin(home, "status", "--json") for _ in range(5)]
    answers = [one.communicate(timeout=120) for one in begun]
    assert [one.returncode for one in begun] == [0] * 5, answers
    said = [json.loads(out) for out, _ in answers]
    assert len({one["daemon"]["pid"] for one in said}) == 1
    assert {(len(one["coordinators"]), one["coordinators"][0]["incarnation"]) for one in said} == {(1, 1)}
    assert toryo(home, "up").startswith("Toryo was already up: ")


def test_init_agent_task_wait_and_evidence_are_enough_for_a_first_task(home, tmp_path):
    repo = make_repository(
        tmp_path / "repo", {"agent.sh": "echo new >new.txt\ngit add new.txt\ngit commit -qm work\n"}
    )
    before = git(repo, "rev-parse", "HEAD")
    assert "toryo task add" in toryo(home, "init", "--yes", cwd=repo)
    assert git(repo, "rev-parse", "HEAD") == before
    toryo(
        home, "agent", "add", "sh", "--client", "command", "--command", "sh agent.sh {prompt_file}", cwd=repo
    )
    task = json.loads(
        toryo(home, "task", "add", "make new.txt", "--check", "test -f new.txt", "--json", cwd=repo)
    )["id"]
    assert toryo(home, "task", "wait", task, "--timeout", "90") == f"{task}  done\n"
    shown = json.loads(toryo(home, "task", "show", task, "--json"))
    assert (shown["status"], shown["landed_commit"]) == ("done", git(repo, "rev-parse", "main"))
    assert [run["exit_code"] for run in shown["runs"]] == [0]
    evidence = json.loads(toryo(home, "evidence", task, "--json"))
    assert (evidence["task"], evidence["verdict"], evidence["commit"]) == (
        task,
        "green",
        shown["landed_commit"],
    )
    assert [check["result"] for check in evidence["checks"]] == ["passed"]
    assert "verdict  green" in toryo(home, "verify", task)
    assert toryo(home, "doctor", "--recompute").startswith("Compared 1 task: no differences.")


def test_what_init_writes_beside_committed_agents_is_in_force(home, tmp_path):
    coder = "name: coder\nclient: command\ncommand: git commit -q --allow-empty -m work\n"
    files = {".toryo/agents/coder.yaml": coder, "Makefile": "test:\n\ttrue\n"}
    repo = make_repository(tmp_path / "repo", files)
    told = toryo(home, "init", "--yes", cwd=repo)
    assert "make test" in told
    assert "unchecked" not in told
    assert "settings: uncommitted" in told
    project = json.loads(toryo(home, "project", "show", "--json", cwd=repo))
    assert (project["checks"], project["settings_from"]) == (["make test"], "uncommitted")
    assert "coder" in project["agents"]
    commit_files(repo, {})
    task = json.loads(toryo(home, "task", "add", "Work", "--hold", "--json", cwd=repo))["id"]
    assert json.loads(toryo(home, "task", "show", task, "--json", cwd=repo))["agent"] == "coder"
    project = json.loads(toryo(home, "project", "show", "--json", cwd=repo))
    assert (project["checks"], project["settings_from"]) == (["make test"], "commit")
