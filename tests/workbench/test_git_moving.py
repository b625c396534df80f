"""A repository that was moved, replaced, copied or taken over: its marks say whose it is; all is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benches import Bench, files_in, make_bench
from repositories import commit_files, git
from toryo.protocol.kinds.repository import AdoptInputs
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.work import RestoreInputs
from toryo.workbench.git.inspect import identity
from toryo.workbench.git.trash.restore import restore, untrash
from toryo.workbench.git.trash.retire import clean, empty_trash
from toryo.workbench.git.worktrees.adopt import adopt


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def moved(bench: Bench) -> Bench:
    there = bench.repo.parent / "deep" / "er" / "shop"
    there.parent.mkdir(parents=True, exist_ok=True)
    bench.repo.rename(there)
    told = adopt(AdoptInputs(path=str(there), project="p1", installation="here", base="main"))
    assert told.problem is None, told.problem
    return Bench(there, bench.runs)


def at(bench: Bench, made: Prepared) -> Prepared:
    """The worktree where it is now."""
    return made.model_copy(update={"worktree": str(bench.repo / ".worktrees" / made.name)})


def test_worktrees_go_on_where_the_repository_was_moved_to(bench: Bench) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    (Path(made.worktree) / "left.txt").write_text("left\n")
    there = moved(bench)
    now = at(there, made)
    assert git(Path(now.worktree), "status", "--porcelain") == "?? left.txt"
    seen = there.collect(now)
    assert (seen.problem, seen.head, seen.snapshot and seen.snapshot.uncommitted) == (
        None,
        head,
        ("left.txt",),
    )
    again = there.prepare(run="r2", existing=True)
    assert (again.worktree, again.head) == (now.worktree, head)
    assert clean(there.clean_inputs(now, runs=("r1", "r2"))).freed
    assert "prunable" not in git(there.repo, "worktree", "list", "--porcelain")


def test_the_trash_moves_along_and_is_emptied_there(bench: Bench) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "left.txt").write_text("left\n")
    seen = bench.collect(made)
    assert seen.snapshot
    assert clean(bench.clean_inputs(made)).freed
    there = moved(bench)
    inputs = RestoreInputs(
        repo=str(there.repo),
        run="r1",
        snapshot=seen.snapshot.commit,
        worktree=at(there, made).worktree,
        branch=made.branch,
        head=seen.head,
    )
    done = restore(inputs)
    assert (done.problem, done.path) == (None, at(there, made).worktree)
    assert files_in(Path(done.path)) == {"README.md", "left.txt"}
    assert clean(there.clean_inputs(at(there, made))).freed
    assert empty_trash(there.repo, 0, now=9e12) == 1
    assert files_in(there.repo / ".worktrees") == set()


def test_a_worktree_root_outside_the_repository_is_joined_with_it_again(bench: Bench, tmp_path: Path) -> None:
    made = bench.prepare(worktree_root=str(tmp_path / "far"))
    moved(bench)
    assert git(Path(made.worktree), "status", "--porcelain") == ""


@pytest.mark.parametrize("along", [True, False])
def test_worktrees_and_trash_beside_a_repository_are_found_whether_or_not_they_went_along(
    bench: Bench, along: bool
) -> None:
    root = "../repo.worktrees"
    live = bench.prepare(run="r2", name="live", worktree_root=root)
    made = bench.prepare(worktree_root=root)
    (Path(made.worktree) / "left.txt").write_text("left\n")
    assert bench.collect(made).snapshot
    assert clean(bench.clean_inputs(made)).freed
    beside, there = bench.repo.parent / "repo.worktrees", bench.repo.parent / "deep" / "er"
    expected = there / "repo.worktrees" if along else beside
    if along:
        there.mkdir(parents=True)
        beside.rename(expected)
    now = moved(bench)
    assert git(expected / "live", "status", "--porcelain") == ""
    asked = live.model_copy(update={"worktree": f"{now.repo}/{root}/live"})
    assert now.collect(asked, run="r2").problem is None
    again = now.prepare(run="r3", name="live", existing=True, worktree_root=root)
    assert again.worktree == str(expected / "live")
    back = untrash(now.repo, "r1")
    assert (back.problem, back.path) == (None, str(expected / made.name))
    assert (expected / made.name / "left.txt").exists()


def test_a_worktree_is_used_again_where_it_is_after_the_setting_named_another_root(bench: Bench) -> None:
    made = bench.prepare(worktree_root="../trees")
    again = bench.prepare(run="r2", existing=True, worktree_root=".worktrees")
    assert again.worktree == made.worktree
    elsewhere = made.model_copy(update={"worktree": str(bench.repo / ".worktrees" / made.name)})
    done = clean(bench.clean_inputs(elsewhere, runs=("r1", "r2")))
    assert (done.freed, Path(made.worktree).exists()) == (True, False)
    assert clean(bench.clean_inputs(elsewhere, runs=("r1", "r2"))) == done


def test_a_worktree_of_the_users_is_left_to_the_user(bench: Bench, tmp_path: Path) -> None:
    git(bench.repo, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    text = (tmp_path / "mine" / ".git").read_text()
    moved(bench)
    assert (tmp_path / "mine" / ".git").read_text() == text


def test_a_copy_keeps_its_hands_off_the_worktrees_of_the_first(bench: Bench) -> None:
    made = bench.prepare()
    copy = bench.repo.parent / "copy"
    shutil.copytree(bench.repo, copy, symlinks=True)
    adopt(AdoptInputs(path=str(copy), project="p1", installation="here", base="main"))
    commit_files(Path(made.worktree), {"a.txt": "a\n"})
    assert git(bench.repo, "log", "--format=%s", made.branch).split("\n") == ["change", "first"]
    assert git(copy, "log", "--format=%s", made.branch) == "first"
    assert git(copy / ".worktrees" / made.name, "rev-parse", "--git-common-dir") == str(copy / ".git")


def test_a_fresh_clone_an_empty_place_and_the_projects_own_are_told_apart(bench: Bench) -> None:
    assert identity.presence(bench.repo, "p1") == "here"
    assert identity.presence(bench.repo, "p2") == "other"
    bench.repo.rename(bench.repo.parent / "first")
    assert identity.presence(bench.repo, "p1") == "gone"
    git(bench.repo.parent, "clone", "-q", "first", "repo")
    assert identity.presence(bench.repo, "p1") == "other"
    with pytest.raises(identity.RepositoryAway, match="another repository"):
        identity.insist(bench.repo, "p1")


def test_only_the_installation_that_the_repository_names_may_move_its_branches(bench: Bench) -> None:
    assert identity.owned_elsewhere(bench.repo, "here") is None
    told = identity.owned_elsewhere(bench.repo, "there")
    assert told
    assert "(here)" in told.message
    assert f"toryo init --take-over` in {bench.repo}" in told.hint
    inputs = AdoptInputs(
        path=str(bench.repo), project="p1", installation="there", base="main", take_over=True
    )
    assert adopt(inputs).problem is None
    assert identity.owned_elsewhere(bench.repo, "there") is None
    assert identity.owned_elsewhere(bench.repo, "here")
    (bench.repo / ".git" / "toryo" / "owner").unlink()
    nobody = identity.owned_elsewhere(bench.repo, "here")
    assert nobody
    assert "No installation" in nobody.message
