"""Our own refs are moved by a git that stays, with the compare-and-swap of a git of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repositories import git, make_repository
from toryo.workbench.git.door import batch_git
from toryo.workbench.git.door.git import ZERO, Git

TIP = "refs/toryo/tips/main"


@pytest.fixture(autouse=True)
def staying() -> Iterator[None]:
    batch_git.stay()
    yield
    batch_git.leave()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    for number in range(3):
        git(made, "commit", "-q", "--allow-empty", "-m", f"c{number}")
    return made


def movers() -> list[int]:
    return [talk.conversation._child.pid for key, talk in batch_git.TALKS._open.items() if key[0] == "move"]


def commits(repo: Path) -> list[str]:
    return git(repo, "rev-list", "--reverse", "main").split()


def test_moves_one_after_the_other_are_one_process(repo: Path) -> None:
    first, second, third, _ = commits(repo)
    here = Git(repo)
    assert here.move_ref(TIP, first, ZERO)
    (only,) = movers()
    git(repo, "pack-refs", "--all")  # as people do
    assert here.move_ref(TIP, second, first)
    assert here.move_ref("refs/toryo/tips/名前", third, ZERO)
    assert movers() == [only]
    assert git(repo, "rev-parse", TIP, "refs/toryo/tips/名前").split() == [second, third]


def test_a_ref_that_holds_something_else_is_not_moved_and_the_next_move_works(repo: Path) -> None:
    first, second, third, _ = commits(repo)
    here = Git(repo)
    assert here.move_ref(TIP, first, ZERO)
    assert not here.move_ref(TIP, third, second)
    assert not here.move_ref(TIP, third, ZERO)
    assert git(repo, "rev-parse", TIP) == first
    assert here.move_ref(TIP, second, first)


def test_a_ref_that_somebody_has_locked_is_not_moved(repo: Path) -> None:
    first, second, *_ = commits(repo)
    here = Git(repo)
    assert here.move_ref(TIP, first, ZERO)
    lock = repo / ".git" / f"{TIP}.lock"
    lock.touch()
    assert not here.move_ref(TIP, second, first)
    lock.unlink()
    assert here.move_ref(TIP, second, first)


def test_a_git_that_was_killed_is_replaced(repo: Path) -> None:
    first, second, *_ = commits(repo)
    here = Git(repo)
    assert here.move_ref(TIP, first, ZERO)
    os.kill(movers()[0], signal.SIGKILL)
    assert here.move_ref(TIP, second, first)
    assert git(repo, "rev-parse", TIP) == second


def test_of_many_who_move_from_the_same_commit_one_succeeds(repo: Path) -> None:
    first, *_ = commits(repo)
    Git(repo).move_ref(TIP, first, ZERO)
    made = [git(repo, "commit-tree", "-m", str(n), "-p", first, "HEAD^{tree}") for n in range(12)]
    with ThreadPoolExecutor(6) as pool:
        moved = list(pool.map(lambda commit: Git(repo).move_ref(TIP, commit, first), made))
    assert moved.count(True) == 1
    assert git(repo, "rev-parse", TIP) == made[moved.index(True)]


def test_a_branch_of_the_user_keeps_its_reflogs_words(repo: Path) -> None:
    first, second, *_ = commits(repo)
    assert Git(repo).move_ref("refs/heads/other", first, ZERO, "toryo: publish")
    assert Git(repo).move_ref("refs/heads/other", second, first, "toryo: publish")
    assert movers() == []
    assert "toryo: publish" in git(repo, "reflog", "other")
