"""What `packed-refs` says is kept for as long as it says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.clock import wall
from toryo.workbench.git.door import packed_refs
from toryo.workbench.git.door.packed_refs import RACY_S
from waiting import eventually

NOT_TOLD = frozenset({"refs/toryo/kept"})


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


def told(repo: Path) -> dict[str, str]:
    return dict(packed_refs.told(repo / ".git", NOT_TOLD))


def test_it_tells_every_ref_but_those_that_are_left_out(repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    git(repo, "update-ref", "refs/toryo/kept/r1/branch", head)
    git(repo, "update-ref", "refs/heads/agent/one/two", head)
    git(repo, "tag", "-a", "v1", "-m", "one")
    git(repo, "pack-refs", "--all")
    tag = git(repo, "rev-parse", "refs/tags/v1")
    assert told(repo) == {"refs/heads/main": head, "refs/heads/agent/one/two": head, "refs/tags/v1": tag}
    assert packed_refs.names_below(repo / ".git", "refs/heads/agent/") == {"one"}


def test_without_the_file_there_is_nothing(repo: Path) -> None:
    assert told(repo) == {}
    assert packed_refs.names_below(repo / ".git", "refs/heads/agent/") == set()


def test_it_is_read_again_when_git_wrote_it_anew(repo: Path) -> None:
    git(repo, "pack-refs", "--all")
    is_at_rest(repo)
    before = told(repo)
    for number in range(5):  # at once, within one tick of the clock, too
        new = commit_files(repo, {"a.txt": f"{number}\n"})
        git(repo, "pack-refs", "--all")
        assert told(repo) == {**before, "refs/heads/main": new}


def test_it_is_not_read_again_while_it_is_the_same(repo: Path) -> None:
    git(repo, "pack-refs", "--all")
    is_at_rest(repo)
    first = packed_refs.told(repo / ".git", NOT_TOLD)
    assert packed_refs.told(repo / ".git", NOT_TOLD) is first
    assert packed_refs.told(repo / ".git", frozenset()) is not first


def is_at_rest(repo: Path) -> None:
    path = repo / ".git" / "packed-refs"
    eventually(lambda: path.stat().st_ctime < wall() - 2 * RACY_S)
