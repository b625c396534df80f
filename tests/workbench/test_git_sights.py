"""What git said of a checkout is believed as long as nothing in it changed, and no longer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.workbench.git import places, sights, status
from toryo.workbench.git.door import Git
from waiting import eventually


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sights, "RACY_S", 0.0)  # each test shows one change; the racy one has its own
    made = make_repository(tmp_path / "repo", {"a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\n"})
    git(made, "status")  # so that a later one has nothing to write into the index
    return made


def reading(repo: Path) -> sights.Reading:
    git_dir = places.git_dir_of(repo)
    assert git_dir is not None
    return sights.Reading(repo, git_dir, places.common_of(git_dir))


def look(repo: Path) -> tuple[status.Status, bool]:
    """What it is told, and whether git was asked."""
    one = reading(repo)
    return one.finish(), one.asks_git


def settled(repo: Path) -> None:
    """Known, and older than a tick of the clock."""
    eventually(lambda: not look(repo)[1], what="a look without git")


def test_a_second_look_at_an_untouched_checkout_asks_nobody(repo: Path) -> None:
    (repo / "a.txt").write_text("dirty\n")
    (repo / "new.txt").write_text("new\n")
    settled(repo)
    seen, asked = look(repo)
    assert not asked
    assert seen == status.read(Git(repo))
    assert (dict(seen.changed), seen.untracked) == ({"a.txt": ".M"}, ("new.txt",))


def same_size(repo: Path) -> None:
    before = (repo / "a.txt").stat()
    (repo / "a.txt").write_text("b\n")
    os.utime(repo / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))


def through_a_new_file(repo: Path) -> None:
    (repo / "src" / "c.txt").write_text("c\n")


def elsewhere_committed(repo: Path) -> None:
    git(repo, "update-ref", "HEAD", git(repo, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "more"))


CHANGES: dict[str, Callable[[Path], object]] = {
    "the same size and time": same_size,
    "a mode": lambda repo: (repo / "a.txt").chmod(0o755),
    "a new file in a folder": through_a_new_file,
    "a deletion": lambda repo: (repo / "a.txt").unlink(),
    "a rename": lambda repo: (repo / "a.txt").rename(repo / "z.txt"),
    "the index": lambda repo: git(repo, "rm", "-q", "--cached", "a.txt"),
    "a commit": elsewhere_committed,
    "another branch": lambda repo: git(repo, "checkout", "-q", "-b", "other"),
    "what is ignored": lambda repo: (repo / ".git" / "info" / "exclude").write_text("*.txt\n"),
    "a setting": lambda repo: git(repo, "config", "core.fileMode", "false"),
    "a link": lambda repo: (repo / "link").symlink_to("a.txt"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_has_git_asked_again(repo: Path, change: str) -> None:
    settled(repo)
    CHANGES[change](repo)
    seen, asked = look(repo)
    assert asked
    assert seen == status.read(Git(repo))


def test_a_change_while_git_looks_is_seen_by_the_next_look(repo: Path) -> None:
    settled(repo)
    (repo / "a.txt").chmod(0o755)
    begun = reading(repo)
    begun.finish()
    (repo / "src" / "b.txt").write_text("later\n")
    seen, asked = look(repo)
    assert asked
    assert "src/b.txt" in seen.changed


def test_what_was_touched_a_moment_ago_is_not_believed(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sights, "RACY_S", 0.2)
    (repo / "a.txt").write_text("now\n")
    assert look(repo)[1]
    assert look(repo)[1]
    touched = time.monotonic()
    settled(repo)
    assert time.monotonic() - touched > 0.1


def test_what_runs_leave_beside_the_checkout_is_no_change(repo: Path) -> None:
    (repo / ".git" / "info" / "exclude").write_text(".aiagent/\n.worktrees/\n")
    (repo / ".aiagent" / "logs").mkdir(parents=True)
    settled(repo)
    (repo / ".aiagent" / "logs" / "worker.log").write_text("log\n")
    (repo / ".worktrees" / "x").mkdir(parents=True)
    assert not look(repo)[1]


def test_a_repository_inside_and_a_large_checkout_are_left_to_git(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repository(repo / "inner")
    assert [look(repo)[1] for _ in range(3)] == [True] * 3
    monkeypatch.setattr(sights, "MOST_ENTRIES", 5)
    large = make_repository(tmp_path / "large", {f"{number}.txt": "x\n" for number in range(6)})
    assert [look(large)[1] for _ in range(3)] == [True] * 3


def test_two_worktrees_of_one_repository_are_two_checkouts(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    settled(repo)
    settled(tmp_path / "side")
    commit_files(tmp_path / "side", {"a.txt": "side\n"})
    assert look(repo)[0].branch == "main"
    assert look(tmp_path / "side")[0].branch == "side"
