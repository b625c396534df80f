"""A ref whose commit is lost is damage, not a missing branch; what could not be prepared leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import git, make_repository
from toryo.workbench.git.inspect import damage
from toryo.workbench.git.landing import tips
from toryo.workbench.git.worktrees import registration


def lose(repo: Path, name: str) -> None:
    found = git(repo, "rev-parse", name).strip()
    (repo / ".git" / "objects" / found[:2] / found[2:]).unlink()


@pytest.mark.parametrize("packed", [False, True])
def test_a_target_whose_commit_is_lost_is_not_told_to_be_missing(tmp_path: Path, packed: bool) -> None:
    repo = make_repository(tmp_path / "repo", {"a": "b"})
    if packed:
        git(repo, "pack-refs", "--all")
    lose(repo, "main")
    with pytest.raises(damage.Damaged) as told:
        tips.look(str(repo), "p1", "main", "")
    assert "refs/heads/main is no commit that can be read" in told.value.message
    assert tips.look(str(repo), "p1", "nowhere", "").relation == "missing"


def test_a_branch_that_is_another_name_for_none_is_missing(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"a": "b"})
    git(repo, "symbolic-ref", "refs/heads/other", "refs/heads/nowhere")
    assert tips.look(str(repo), "p1", "other", "").relation == "missing"


def test_a_worktree_whose_folder_cannot_be_made_is_not_registered(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"a": "b"})
    (repo / ".worktrees").touch()
    base = git(repo, "rev-parse", "main").strip()
    with pytest.raises(NotADirectoryError):
        registration.register(repo, repo / ".git", repo / ".worktrees" / "x", "r1", base, "agent/x")
    assert list((repo / ".git" / "worktrees").iterdir()) == []
