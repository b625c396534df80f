"""Tips: moved by compare-and-swap; the target's branch seen from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import AcceptInputs
from toryo.workbench.git.landing import tips

TIP = "refs/toryo/tips/main"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    git(repo, "update-ref", TIP, "main")
    return repo


def commit_on_the_side(repo: Path, files: dict[str, str]) -> str:
    git(repo, "checkout", "-q", "--detach", "main")
    commit = commit_files(repo, files)
    git(repo, "checkout", "-q", "main")
    return commit


def order(repo: Path, old: str, new: str) -> AcceptInputs:
    return AcceptInputs(repo=str(repo), target="main", old=old, new=new, evidence="e1")


def test_accept_moves_the_tip_and_leaves_the_branch_alone(repo):
    old, new = git(repo, "rev-parse", "main"), commit_on_the_side(repo, {"b.txt": "b\n"})
    accepted = tips.accept(order(repo, old, new))
    assert (accepted.moved, accepted.tip, accepted.settings_tree) == (True, new, "")
    assert git(repo, "rev-parse", TIP) == new
    assert git(repo, "rev-parse", "main") == old


def test_accept_tells_the_settings_tree_of_the_new_tip(repo):
    old = git(repo, "rev-parse", "main")
    new = commit_on_the_side(repo, {".toryo/config.yaml": "checks: []\n"})
    assert tips.accept(order(repo, old, new)).settings_tree == git(repo, "rev-parse", f"{new}:.toryo")


def test_a_repeated_accept_is_answered_from_the_ref(repo):
    old, new = git(repo, "rev-parse", "main"), commit_on_the_side(repo, {"b.txt": "b\n"})
    first = tips.accept(order(repo, old, new))
    assert tips.accept(order(repo, old, new)) == first


def test_a_tip_that_somebody_moved_is_left_where_it_is(repo):
    old, new = git(repo, "rev-parse", "main"), commit_on_the_side(repo, {"b.txt": "b\n"})
    other = commit_on_the_side(repo, {"c.txt": "c\n"})
    git(repo, "update-ref", TIP, other)
    accepted = tips.accept(order(repo, old, new))
    assert (accepted.moved, accepted.tip, accepted.problem) == (False, other, None)
    assert git(repo, "rev-parse", TIP) == other


def test_a_locked_ref_and_an_unknown_commit_are_problems(repo, tmp_path):
    old, new = git(repo, "rev-parse", "main"), commit_on_the_side(repo, {"b.txt": "b\n"})
    (repo / ".git" / f"{TIP}.lock").touch()
    found = [
        tips.accept(order(repo, old, new)),
        tips.accept(order(repo, old, "1" * 40)),
        tips.accept(order(tmp_path / "gone", old, new)),
    ]
    assert [a.problem and a.problem.code for a in found] == ["ref_locked", "unknown_commit", "no_repository"]
    assert not any(accepted.moved for accepted in found)


def seen(repo: Path, published: str = "") -> tuple[str, bool]:
    target = tips.look(str(repo), "p1", "main", published)
    return target.relation, target.contains_published


def test_a_branch_is_seen_the_same_ahead_behind_diverged_without_a_tip_or_missing(repo):
    first = git(repo, "rev-parse", "main")
    assert seen(repo, first) == ("same", True)
    second = commit_files(repo, {"b.txt": "b\n", ".toryo/config.yaml": "x: 1\n"})
    assert seen(repo, first) == ("ahead", True)
    target = tips.look(str(repo), "p1", "main", first)
    assert (target.commit, target.tip, target.project, target.target) == (second, first, "p1", "main")
    assert target.tree == git(repo, "rev-parse", "main^{tree}")
    assert target.settings_tree == git(repo, "rev-parse", "main:.toryo")
    git(repo, "update-ref", TIP, second)
    git(repo, "reset", "-q", "--hard", first)
    assert seen(repo, second) == ("behind", False)
    commit_files(repo, {"c.txt": "c\n"})
    assert seen(repo, second) == ("diverged", False)
    git(repo, "update-ref", "-d", TIP)
    assert seen(repo, first) == ("no_tip", True)
    git(repo, "checkout", "-q", "--detach")
    git(repo, "branch", "-q", "-D", "main")
    assert seen(repo, first) == ("missing", False)


def test_a_branch_is_moved_by_a_commit_an_amend_a_reset_and_a_deletion(repo):
    commit_files(repo, {"b.txt": "b\n"})
    git(repo, "update-ref", TIP, "main")
    first = git(repo, "rev-parse", "main")
    assert not tips.is_moved(str(repo), "main", first)
    git(repo, "pack-refs", "--all")
    assert not tips.is_moved(str(repo), "main", first)
    git(repo, "commit", "-q", "--allow-empty", "-m", "mine")
    mine = git(repo, "rev-parse", "main")
    assert tips.is_moved(str(repo), "main", first)
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "better")
    assert tips.is_moved(str(repo), "main", mine)
    git(repo, "reset", "-q", "--hard", first)
    assert tips.is_moved(str(repo), "main", mine)  # what was taken back, though the tip is there too
    git(repo, "reset", "-q", "--hard", "main~1")
    assert tips.is_moved(str(repo), "main", first)
    git(repo, "checkout", "-q", "--detach")
    git(repo, "branch", "-q", "-D", "main")
    assert tips.is_moved(str(repo), "main", first)


def test_a_branch_that_we_published_is_not_moved(repo):
    first, accepted = git(repo, "rev-parse", "main"), commit_on_the_side(repo, {"b.txt": "b\n"})
    git(repo, "update-ref", TIP, accepted)
    git(repo, "update-ref", "refs/heads/main", accepted)
    assert not tips.is_moved(str(repo), "main", first)
    further = commit_on_the_side(repo, {"c.txt": "c\n"})
    git(repo, "update-ref", TIP, further)  # accepted, and not published yet
    assert not tips.is_moved(str(repo), "main", first)
    assert not tips.is_moved(str(repo), "main", accepted)
