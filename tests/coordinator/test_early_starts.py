"""A run that is ordered with its preparation: got ready while git checks out, started when that is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crew import Crew, waiting_agent

from repositories import commit_files, git
from toryo.protocol.models import PrepareInputs
from toryo.workbench.git.worktrees import MARKER
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


def is_early(run_dir: Path) -> bool:
    """Whether everything was there before the worktree was whole."""
    return (run_dir / records.LAUNCH).stat().st_ctime_ns < (run_dir / MARKER).stat().st_ctime_ns


def test_a_program_is_ready_before_its_worktree_is_and_begins_in_it(
    hands: Crew, repo: Path, tmp_path: Path
) -> None:
    gate, trace = tmp_path / "gate", tmp_path / "trace"
    ready = hands.hands[0][0].runs
    eventually(lambda: ready._spares is not None and ready._spares._ready, what="a spare")
    run_dir = give(hands, repo, waiting_agent(gate, trace))
    started = told(hands, "started")
    assert is_early(run_dir)
    launched = json.loads((run_dir / records.LAUNCH).read_text())
    assert launched["cwd"] == str(repo / ".worktrees" / "fix-t1")
    born = json.loads((run_dir / records.LAUNCHED).read_text())
    assert born["pid"] == records.read_started(run_dir).shim.pid
    gate.touch()
    assert told(hands, "exited")["exit_code"] == 0
    assert trace.read_text() == "began\n"
    assert (run_dir / "prompt.md").read_text() == "do it"
    assert started["pid"]


def test_rules_of_the_repository_reach_the_prompt_the_longer_way(
    hands: Crew, repo: Path, tmp_path: Path
) -> None:
    commit_files(repo, {"AGENTS.md": "Always use tabs.\n"})
    give(hands, repo, f"sh -c 'cat {{prompt_file}} >> {tmp_path}/seen'")
    assert told(hands, "exited")["exit_code"] == 0
    seen = (tmp_path / "seen").read_text()
    assert seen.startswith("do it")
    assert "Always use tabs." in seen
    assert seen.count("do it") == 1


def test_a_preparation_that_fails_starts_nothing_and_lets_the_spare_go(
    hands: Crew, repo: Path, tmp_path: Path
) -> None:
    """The tree of the base is there, one of its files is not: git fails in the middle of the checkout."""
    blob = git(repo, "rev-parse", "HEAD:a.txt")
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    run_dir = give(hands, repo, f"touch {tmp_path}/ran")
    problem = told(hands, "prepared")["problem"]
    assert problem
    assert not (tmp_path / "ran").exists()
    eventually(lambda: not list(run_dir.glob("*.json.[0-9]*")), what="no half of a record")
    assert records.read_started(run_dir) is None
    assert hands.hands[0][0].runs._ready == {}
