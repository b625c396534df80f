"""A run that is ordered with its preparation: started when that is done, and only if it succeeded."""

from __future__ import annotations

from pathlib import Path

import pytest
from crew import Crew

from repositories import commit_files, git
from toryo.protocol.kinds.run import PrepareInputs
from toryo.workbench.runs import records
from waiting import eventually


def give(crew: Crew, repo: Path, command: str, base: str = "") -> Path:
    """The two orders of a claim; the run's directory."""
    run = crew.run_order("r1", repo, command, prompt="do it")
    run["inputs"]["worktree"] = ""
    inputs = PrepareInputs(
        repo=str(repo),
        run="r1",
        task="t1",
        agent="dev",
        client="command",
        purpose="implement",
        name="fix-t1",
        base=base or git(repo, "rev-parse", "main"),
        target="main",
        prompt=run["inputs"]["prompt"],
    )
    prepare = crew.order("op1", "prepare", inputs.model_dump(mode="json"), run="r1", generation=1)
    with crew.daemon.lock:
        crew.daemon.orders |= {"op1": prepare, "or1": run}
    crew.daemon.look()
    return crew.runs / "r1"


def told(crew: Crew, kind: str) -> dict[str, object]:
    return eventually(lambda: crew.daemon.about(kind), within_s=20, what=f"the fact {kind}")[0]


@pytest.fixture
def hands(crew: Crew) -> Crew:
    crew.daemon.start()
    crew.start()
    spares = crew.home.coordinator("main") / "spare"
    eventually(lambda: (spares / "spare.log").exists(), what="spares")
    return crew


def test_rules_of_the_repository_reach_the_prompt(hands: Crew, repo: Path, tmp_path: Path) -> None:
    commit_files(repo, {"AGENTS.md": "Always use tabs.\n"})
    give(hands, repo, f"sh -c 'cat {{prompt_file}} >> {tmp_path}/seen'")
    assert told(hands, "exited")["exit_code"] == 0
    seen = (tmp_path / "seen").read_text()
    assert seen.startswith("do it")
    assert "Always use tabs." in seen
    assert seen.count("do it") == 1


def test_a_preparation_that_fails_starts_nothing(hands: Crew, repo: Path, tmp_path: Path) -> None:
    """The tree of the base is there, one of its files is not: git fails in the middle of the checkout."""
    blob = git(repo, "rev-parse", "HEAD:a.txt")
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    run_dir = give(hands, repo, f"touch {tmp_path}/ran")
    problem = told(hands, "prepared")["problem"]
    assert problem
    assert not (tmp_path / "ran").exists()
    eventually(lambda: not list(run_dir.glob("*.json.[0-9]*")), what="no half of a record")
    assert records.read_started(run_dir) is None
