"""Deleting a branch: only where it was seen, never one that is in use, and its commit can be had back."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.branch import BranchDropped, DropBranchInputs
from toryo.workbench.git.trash.dropped_branches import drop


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    git(made, "switch", "-q", "-c", "feature/x")
    commit_files(made, {"b.txt": "b\n"}, "first")
    commit_files(made, {"c.txt": "c\n"}, "second")
    git(made, "switch", "-q", "main")
    return made


def dropped(repo: Path, branch: str = "feature/x", old: str = "") -> BranchDropped:
    at = old or git(repo, "rev-parse", branch)
    return drop(DropBranchInputs(repo=str(repo), branch=branch, old=at, target="main"))


def test_it_goes_with_the_count_of_what_was_not_merged_and_is_there_again_by_its_commit(repo: Path) -> None:
    at = git(repo, "rev-parse", "feature/x")
    told = dropped(repo)
    assert (told.problem, told.commit, told.unmerged) == (None, at, 2)
    assert "feature/x" not in git(repo, "branch", "--list")
    assert git(repo, "rev-parse", told.kept) == at
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    git(repo, "branch", "feature/x", told.commit)
    assert git(repo, "log", "--format=%s", "-1", "feature/x") == "second"


def test_one_that_was_moved_since_it_was_seen_stays(repo: Path) -> None:
    seen = git(repo, "rev-parse", "feature/x")
    git(repo, "branch", "-f", "feature/x", "main")
    told = dropped(repo, old=seen)
    assert told.problem is not None
    assert told.problem.code == "branch_moved"
    assert git(repo, "rev-parse", "feature/x") == git(repo, "rev-parse", "main")


@pytest.mark.parametrize("how", ["checkout", "worktree", "rebase"])
def test_one_that_git_stands_on_stays_and_the_place_is_named(repo: Path, tmp_path: Path, how: str) -> None:
    where = repo if how == "checkout" else tmp_path / "beside"
    if how == "checkout":
        git(repo, "switch", "-q", "feature/x")
    else:
        git(repo, "worktree", "add", "-q", str(where), "feature/x")
    if how == "rebase":
        git(where, "-c", "sequence.editor=sed -i.bak 1s/pick/edit/", "rebase", "-q", "-i", "main")
    told = dropped(repo)
    assert told.problem is not None
    assert told.problem.code == "checked_out"
    assert str(where) in told.problem.message
    assert git(repo, "branch", "--list", "feature/x")


def test_a_branch_that_work_lands_on_and_one_that_is_not_there_are_refused(repo: Path) -> None:
    git(repo, "update-ref", "refs/toryo/tips/feature/x", "main")
    problems = [dropped(repo).problem, dropped(repo, "nowhere", "1" * 40).problem]
    assert [one.code for one in problems if one] == ["is_target", "branch_missing"]


def test_repeated_it_answers_the_same(repo: Path) -> None:
    at = git(repo, "rev-parse", "feature/x")
    assert dropped(repo, old=at) == dropped(repo, old=at)
    git(repo, "branch", "feature/x", at)
    assert dropped(repo, old=at).problem is None
