"""`setup:` in an agent's worktree: once per state of its inputs, before the agent, not in its commits."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.workbench.contexts.worktree_setup import OUTPUT, setup_script, with_setup

FILES = {"lock.txt": "1\n", "src/a.txt": "a\n"}
INSTALL = "mkdir -p deps && cat lock.txt >> deps/installed"


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    repo = make_repository(tmp_path / "it's here", FILES)
    git(repo, "worktree", "add", "-q", "-b", "agent/x", str(tmp_path / "a tree"))
    return tmp_path / "a tree"


def begin(worktree: Path, *steps: str, agent: str = "cat", inputs: tuple[str, ...] = ("lock.txt",)) -> str:
    """What the agent prints; it begins elsewhere, and its standard input is a prompt."""
    run_dir = worktree.parent / "r1"
    run_dir.mkdir(exist_ok=True)
    script = run_dir / "setup.sh"
    script.write_text(setup_script(worktree, run_dir, steps, inputs))
    argv = with_setup(("/bin/sh", "-c", agent), script)
    done = subprocess.run(
        argv, cwd=run_dir, input="the prompt", capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_the_agent_finds_the_worktree_set_up_and_keeps_its_prompt_and_its_place(worktree: Path) -> None:
    told = begin(worktree, INSTALL, "cat > deps/read", agent="pwd; cat")
    steps = f"toryo: set-up: {INSTALL}\ntoryo: set-up: cat > deps/read\n"
    assert told == f"{steps}{worktree.parent / 'r1'}\nthe prompt"
    assert (worktree / "deps/installed").read_text() == "1\n"
    assert (worktree / "deps/read").read_text() == "", "set-up does not eat the prompt"


def test_it_runs_again_only_if_an_input_or_a_step_changed(worktree: Path) -> None:
    for _ in range(2):
        begin(worktree, INSTALL)
    assert (worktree / "deps/installed").read_text() == "1\n"
    commit_files(worktree, {"src/a.txt": "b\n"})
    begin(worktree, INSTALL)
    assert (worktree / "deps/installed").read_text() == "1\n"
    commit_files(worktree, {"lock.txt": "2\n"})
    begin(worktree, INSTALL)
    assert (worktree / "deps/installed").read_text() == "1\n2\n"
    begin(worktree, INSTALL, "true")
    assert (worktree / "deps/installed").read_text() == "1\n2\n2\n"


def test_what_it_made_is_not_committed_with_everything_and_what_an_agent_left_is(worktree: Path) -> None:
    (worktree / "new").mkdir()
    (worktree / "new/mine.txt").write_text("work\n")
    begin(worktree, INSTALL, "mkdir -p new && touch new/made", agent="cat >/dev/null")
    git(worktree, "add", "-A")
    assert git(worktree, "diff", "--cached", "--name-only").split() == ["new/made", "new/mine.txt"]


def test_a_step_that_fails_is_told_and_the_agent_begins_all_the_same(worktree: Path) -> None:
    told = begin(worktree, "echo no such package; exit 3", "touch never")
    assert "toryo: set-up failed: echo no such package; exit 3 (all of its output: " in told
    assert told.endswith("no such package\nthe prompt")
    assert not (worktree / "never").exists()
    assert (worktree.parent / "r1" / OUTPUT).read_text() == "no such package\n"
    begin(worktree, "touch now")
    assert (worktree / "now").exists()
