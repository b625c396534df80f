"""A branch that a person works on: its worktree, and an agent CLI that they start there in a window."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.coordinator.acts.branches import opened
from toryo.protocol.kinds.branch import BranchOpened, OpenBranchInputs
from toryo.workbench.git.keep import fingerprint
from toryo.workbench.terminals.door import NoWindow, TmuxMissing, own_server
from toryo.workbench.terminals.windows import windows
from waiting import eventually

CLI = """\
import json, os, sys, pathlib
here = pathlib.Path(sys.argv[0]).parent
told = {"argv": sys.argv[1:], "cwd": os.getcwd(), "tty": os.isatty(0), "env": dict(os.environ)}
(here / "told.half").write_text(json.dumps(told))
(here / "told.half").rename(here / "told.json")
input()
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    git(made, "switch", "-q", "-c", "feature/log-in")
    commit_files(made, {"b.txt": "b\n"})
    git(made, "switch", "-q", "main")
    return made


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    # a short path: a socket's name has room for about a hundred bytes
    made = tmp_path_factory.mktemp("b")
    yield made
    with contextlib.suppress(NoWindow, TmuxMissing):
        own_server(made).do("kill-server")


def asked(repo: Path, branch: str = "feature/log-in", **more: str) -> OpenBranchInputs:
    return OpenBranchInputs(repo=str(repo), branch=branch, worktree_root=".worktrees", **more)


def made(repo: Path, folder: Path, **more: str) -> BranchOpened:
    return opened(asked(repo, **more), folder, {})


def test_a_worktree_is_made_once_below_the_projects_own_and_git_shows_nothing_of_it(
    repo: Path, folder: Path
) -> None:
    first = made(repo, folder)
    assert (first.problem, first.is_new, first.path) == (None, True, f"{repo}/.worktrees/feature-log-in")
    assert git(Path(first.path), "branch", "--show-current") == "feature/log-in"
    assert (Path(first.path) / "b.txt").exists()
    again = made(repo, folder)
    assert (again.path, again.is_new) == (first.path, False)
    assert git(repo, "status", "--porcelain") == ""
    assert "locked" not in git(repo, "worktree", "list", "--porcelain"), "a person may remove it"


def test_what_is_checked_out_already_is_named_and_a_taken_name_gets_a_number(
    repo: Path, folder: Path
) -> None:
    assert made(repo, folder, branch="main").path == str(repo)
    (repo / ".worktrees/feature-log-in").mkdir(parents=True)
    assert made(repo, folder).path.endswith("/feature-log-in-2")
    missing = made(repo, folder, branch="nowhere").problem
    assert missing is not None
    assert missing.code == "branch_missing"


def test_no_run_that_lives_meanwhile_is_said_to_have_made_it(repo: Path, folder: Path) -> None:
    before = fingerprint.take(repo, "agent/x")
    made(repo, folder)
    after = fingerprint.take(repo, "agent/x")
    assert fingerprint.others(before, after, repo / ".git", "agent/x") == ()


def test_an_agent_cli_is_started_there_in_a_window_with_a_terminal_and_no_token_of_ours(
    repo: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = tmp_path / "claude"
    cli.write_text(f"#!{sys.executable} -I\n{CLI}")
    cli.chmod(0o755)
    monkeypatch.setenv("SOME_API_KEY", "it's a secret")
    monkeypatch.setenv("TORYO_RUN_FILE", "/no")
    inputs = asked(repo, client="claude", model="opus")
    first = opened(inputs, folder, {"claude": str(cli)})
    told_at = tmp_path / "told.json"
    eventually(told_at.exists, within_s=20)
    told = json.loads(told_at.read_text())
    assert (told["argv"], told["cwd"], told["tty"]) == (["--model", "opus"], first.path, True)
    assert told["env"]["SOME_API_KEY"] == "it's a secret"
    assert "TORYO_RUN_FILE" not in told["env"]
    assert not list(folder.glob("*.env")), "what held the keys is gone"
    name = first.argv[-1].removeprefix("=")
    assert name in windows(own_server(folder))
    assert opened(inputs, folder, {"claude": str(cli)}).argv == first.argv, "the one that is there"
    assert len(windows(own_server(folder))) == 1


def test_without_tmux_nothing_is_made_and_the_way_to_go_on_is_named(
    repo: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    problem = opened(asked(repo, client="claude"), folder, {"claude": "/bin/claude"}).problem
    assert problem is not None
    assert "tmux is required" in problem.message
    assert "toryo branch open feature/log-in" in problem.hint
    assert not (repo / ".worktrees").exists()
