"""Candidates' refs do not pile up: what landed and what lay unused for a month is let go, the rest stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from repositories import git, make_repository
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.landing import ref_cleanup
from toryo.workbench.git.landing.candidates import candidate_ref

DAY = 24 * 3600


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": "one\n"})


def candidate(repo: Path, parent: str, *, days_old: float = 0) -> str:
    commit = Git(repo).do(
        *("commit-tree", "-p", parent, "-m", f"{days_old}", "HEAD^{tree}"),
        env={"GIT_COMMITTER_DATE": f"@{int(time.time() - days_old * DAY)} +0000"},
    )
    git(repo, "update-ref", candidate_ref(commit), commit)
    return commit


def kept(repo: Path) -> set[str]:
    return set(git(repo, "for-each-ref", "--format=%(objectname)", "refs/toryo/candidates").split())


def test_landed_and_old_candidates_go_and_the_others_stay(repo: Path) -> None:
    landed = candidate(repo, "main")
    newest = candidate(repo, landed)
    waiting = candidate(repo, newest)
    red = candidate(repo, "main", days_old=29)
    forgotten = candidate(repo, "main", days_old=31)
    git(repo, "update-ref", "refs/toryo/tips/main", newest)
    git(repo, "pack-refs", "--all")
    assert ref_cleanup.thin(str(repo)) == 3
    assert kept(repo) == {waiting, red}
    assert git(repo, "cat-file", "-t", landed) == "commit"
    assert forgotten not in kept(repo)
    assert ref_cleanup.thin(str(repo)) == 0


def test_without_a_tip_or_candidates_there_is_nothing_to_do(repo: Path) -> None:
    assert ref_cleanup.thin(str(repo)) == 0
    waiting = candidate(repo, "main")
    assert ref_cleanup.thin(str(repo)) == 0
    assert kept(repo) == {waiting}
