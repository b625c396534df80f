"""Worktrees that Toryo registers itself are worktrees to git, and no branch of another is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches import Bench, files_in, make_bench
from repositories import git
from toryo.workbench.git.door import layout, packed_refs


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def test_git_knows_the_worktree_as_one_of_its_own(bench: Bench) -> None:
    made = bench.prepare()
    listed = git(bench.repo, "worktree", "list", "--porcelain").split("\n\n")
    assert f"worktree {made.worktree}\nHEAD {made.head}\nbranch refs/heads/{made.branch}" in listed[1]
    assert git(bench.repo, "worktree", "prune", "--dry-run", "--verbose", "--expire=now") == ""
    assert git(Path(made.worktree), "rev-parse", "--git-common-dir") == str(bench.repo / ".git")
    assert made.head in git(Path(made.worktree), "reflog", "--no-abbrev", "HEAD")
    git(bench.repo, "worktree", "unlock", made.worktree)
    git(bench.repo, "worktree", "remove", made.worktree)


def test_a_branch_that_appears_at_the_last_moment_is_left_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(bench.repo, "branch", "agent/mine")
    git(bench.repo, "pack-refs", "--all")
    monkeypatch.setattr(packed_refs, "names_below", lambda common, space: set())
    made = bench.prepare("mine")
    assert (made.name, files_in(Path(made.worktree))) == ("mine-2", {"README.md"})
    assert git(bench.repo, "rev-parse", "agent/mine") == made.base
    assert not (bench.repo / ".worktrees" / "mine").exists()


def test_where_only_git_can_register_git_does_it(bench: Bench) -> None:
    (layout.common_dir(bench.repo) / "reftable").mkdir()
    made = bench.prepare()
    assert git(Path(made.worktree), "symbolic-ref", "HEAD") == f"refs/heads/{made.branch}"
    assert "locked toryo run r1" in git(bench.repo, "worktree", "list", "--porcelain")
    assert git(Path(made.worktree), "status", "--porcelain") == ""
