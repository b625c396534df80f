"""Questions to a git that stays have the answers of a git of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from repositories import git, make_repository
from toryo.workbench.git.door import batch_git
from toryo.workbench.git.door.git import Git, GitFailed


@pytest.fixture(autouse=True)
def staying() -> Iterator[None]:
    batch_git.stay()
    yield
    batch_git.leave()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": "one\n"})


def gits() -> list[int]:
    return [talk.conversation._child.pid for talk in batch_git.TALKS._open.values()]


def test_refs_commits_and_trees_are_answered_by_one_process(repo: Path) -> None:
    here = Git(repo)
    assert here.commit_of("HEAD") == git(repo, "rev-parse", "HEAD")
    (only,) = gits()
    assert here.tree_of("HEAD") == git(repo, "rev-parse", "HEAD^{tree}")
    assert here.commit_of("refs/heads/nothing") is None
    assert gits() == [only]


def test_a_ref_that_moved_and_objects_that_came_are_seen(repo: Path) -> None:
    here = Git(repo)
    old = here.commit_of("HEAD")
    for number in range(3):
        (repo / "a.txt").write_text(f"{number}\n")
        git(repo, "commit", "-qam", "next")
        if number == 1:
            git(repo, "gc", "-q")
        assert here.commit_of("HEAD") == git(repo, "rev-parse", "HEAD") != old
    git(repo, "tag", "-a", "v1", "-m", "v1")
    assert here.commit_of("v1") == git(repo, "rev-parse", "HEAD")


def test_a_git_that_was_killed_is_asked_again_by_another(repo: Path) -> None:
    here = Git(repo)
    assert here.commit_of("HEAD")
    (first,) = gits()
    os.kill(first, signal.SIGKILL)
    assert here.commit_of("HEAD") == git(repo, "rev-parse", "HEAD")
    assert here.tree_of("HEAD") == git(repo, "rev-parse", "HEAD^{tree}")


def test_a_repository_that_is_gone_is_an_error_as_ever(repo: Path) -> None:
    here = Git(repo)
    assert here.commit_of("HEAD")
    repo.rename(repo.with_name("elsewhere"))
    with pytest.raises((GitFailed, OSError)):
        Git(repo).tree_of("main")


def test_another_repository_in_the_same_place_is_asked_itself(repo: Path) -> None:
    old = Git(repo).commit_of("HEAD")
    repo.rename(repo.with_name("elsewhere"))
    make_repository(repo, {"b.txt": "two\n"})
    assert Git(repo).commit_of("HEAD") == git(repo, "rev-parse", "HEAD") != old


def test_strange_names_are_left_to_a_git_of_its_own(repo: Path) -> None:
    here = Git(repo)
    for name in ("HEAD\nHEAD", "--all", "", "@{-1}", "a b", "\x00".replace("\x00", "~")):
        assert here.commit_of(name) is None


def test_those_that_nobody_asks_are_ended(repo: Path) -> None:
    Git(repo).commit_of("HEAD")
    (pid,) = gits()
    batch_git.TALKS.rest(0)
    assert gits() == []
    assert not Path(f"/proc/{pid}").exists()


def test_many_repositories_keep_few_processes(tmp_path: Path) -> None:
    for number in range(batch_git.MOST + 3):
        repo = make_repository(tmp_path / f"repo{number}", {"a.txt": "one\n"})
        assert Git(repo).commit_of("HEAD")
    assert len(gits()) <= batch_git.MOST


def test_ancestors_and_entries_are_the_same_with_and_without_it(repo: Path) -> None:
    (repo / "sub").mkdir()
    (repo / "sub" / "b.txt").write_text("b\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "second")
    git(repo, "checkout", "-q", "-b", "side", "HEAD~1")
    git(repo, "commit", "-q", "--allow-empty", "-m", "aside")
    git(repo, "merge", "-q", "--no-ff", "-m", "join", "main")
    names = ["main~1", "main", "side", "side^1", "side^2"]
    ids = [git(repo, "rev-parse", name) for name in names]
    here = Git(repo)

    def told() -> list[object]:
        pairs = [here.is_ancestor(old, new) for old in ids for new in ids]
        entries = [here.entry_of(one, path) for one in ids for path in ("sub", "a.txt", "nothing")]
        return [*pairs, *entries, here.is_ancestor("", ids[0])]

    with_it = told()
    batch_git.leave()
    assert with_it == told()
    assert with_it[0] is True
