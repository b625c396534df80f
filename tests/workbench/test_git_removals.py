"""What a person took off the target stays off it: work that stands on it goes on without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches import Bench, make_bench
from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import Accepted, AcceptInputs, CandidateBuilt, CandidateInputs, Head
from toryo.protocol.kinds.target import Removal
from toryo.workbench.git.landing import candidates, tips

TIP = "refs/toryo/tips/main"
LINES = "".join(f"{number}\n" for number in range(9))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": LINES})


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def files(repo: Path, commit: str) -> list[str]:
    return git(repo, "ls-tree", "-r", "--name-only", commit).split()


def contains(repo: Path, commit: str, other: str) -> bool:
    return other in git(repo, "rev-list", commit).split()


def set_back(repo: Path, removed: str) -> Accepted:
    """The user's branch stands on `main` as it is now, and the tip follows it there."""
    here = git(repo, "rev-parse", "main")
    git(repo, "update-ref", TIP, removed)
    removal = Removal(commit=removed, stays=(here,))
    return tips.accept(
        AcceptInputs(
            repo=str(repo),
            target="main",
            old=removed,
            new=here,
            evidence="e1",
            reset=True,
            removed=(removal,),
        )
    )


def build(repo: Path, tmp_path: Path, head: str, **about: tuple[str, ...]) -> CandidateBuilt:
    order = CandidateInputs(
        repo=str(repo),
        target="main",
        tip=git(repo, "rev-parse", TIP),
        heads=(Head(task="t1", branch="agent/one", commit=head, **about),),
        message="Land it",
        date="2031-02-03T04:05:06Z",
    )
    return candidates.build(order, tmp_path / "benches")


def work_on_removed(repo: Path, changed: dict[str, str]) -> tuple[str, str]:
    """(what a person removed, the head of work that was begun on it)."""
    removed = commit_files(repo, {"removed.txt": "x\n"}, "removed")
    git(repo, "checkout", "-q", "-b", "agent/one")
    head = commit_files(repo, changed, "the work")
    git(repo, "checkout", "-q", "main")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    assert set_back(repo, removed).moved
    return removed, head


def test_work_that_was_begun_on_removed_commits_lands_without_them(repo: Path, tmp_path: Path) -> None:
    removed, head = work_on_removed(repo, {"b.txt": "b\n"})
    built = build(repo, tmp_path, head)
    assert built.problem is None
    assert built.conflict is None
    assert files(repo, built.commit) == ["a.txt", "b.txt"]
    assert not contains(repo, built.commit, removed)
    assert contains(repo, built.commit, git(repo, "rev-parse", "main"))
    landed = git(repo, "log", "-1", "--format=%an %s", f"{built.commit}^2")
    assert landed == git(repo, "log", "-1", "--format=%an %s", head)
    assert build(repo, tmp_path, head) == built  # the same id again
    kept = git(repo, "for-each-ref", "--format=%(parent)", "refs/toryo/removed/main").split()
    assert kept[0] == removed


def test_work_that_changes_what_was_removed_is_a_conflict_and_brings_nothing_back(
    repo: Path, tmp_path: Path
) -> None:
    _, head = work_on_removed(repo, {"removed.txt": "y\n"})
    built = build(repo, tmp_path, head)
    assert built.conflict is not None
    assert built.conflict.paths == ("removed.txt",)


def test_what_a_person_put_back_is_removed_no_more(repo: Path, tmp_path: Path) -> None:
    removed, head = work_on_removed(repo, {"removed.txt": "y\n"})
    git(repo, "merge", "-q", "--ff-only", removed)
    assert tips.look(str(repo), "p1", "main", "").lost == ()
    git(repo, "update-ref", TIP, removed)
    assert git(repo, "show", f"{build(repo, tmp_path, head).commit}:removed.txt") == "y"


def test_the_removed_work_itself_lands_again_only_where_it_is_asked_for(repo: Path, tmp_path: Path) -> None:
    base = git(repo, "rev-parse", "main")
    git(repo, "checkout", "-q", "-b", "agent/one")
    head = commit_files(repo, {"b.txt": "b\n"}, "the work")
    git(repo, "checkout", "-q", "main")
    set_back(repo, head)
    refused = build(repo, tmp_path, head).problem
    assert refused is not None
    assert refused.code == "removed"
    assert files(repo, build(repo, tmp_path, head, since=(base,)).commit) == ["a.txt", "b.txt"]


def test_a_look_at_the_target_names_what_it_has_lost_before_and_after_a_persons_yes(repo: Path) -> None:
    removed = commit_files(repo, {"removed.txt": "x\n"}, "removed")
    git(repo, "update-ref", TIP, removed)
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    assert tips.look(str(repo), "p1", "main", removed).lost == (removed,)
    set_back(repo, removed)
    git(repo, "pack-refs", "--all")
    assert tips.look(str(repo), "p1", "main", git(repo, "rev-parse", "main")).lost == (removed,)


def test_a_later_run_of_a_task_stands_on_the_target_as_it_is_now(bench: Bench) -> None:
    removed = commit_files(bench.repo, {"removed.txt": "x\n"}, "removed")
    git(bench.repo, "update-ref", TIP, removed)
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"work.txt": "w\n"}, "the work")
    git(bench.repo, "reset", "-q", "--hard", "HEAD~1")
    assert set_back(bench.repo, removed).moved
    again = bench.prepare(run="r2", existing=True, base=removed)
    assert again.base == git(bench.repo, "rev-parse", "main")
    assert not contains(bench.repo, again.branch, removed)
    assert not (Path(again.worktree) / "removed.txt").exists()
    assert (Path(again.worktree) / "work.txt").read_text() == "w\n"
    kept = git(bench.repo, "for-each-ref", "--contains", head, "--format=%(refname)", "refs/toryo")
    assert kept  # the branch as it was


def test_own_work_that_conflicts_with_the_new_place_is_laid_open_for_the_agent(bench: Bench) -> None:
    removed = commit_files(bench.repo, {"removed.txt": "x\n"}, "removed")
    git(bench.repo, "update-ref", TIP, removed)
    made = bench.prepare()
    commit_files(Path(made.worktree), {"removed.txt": "y\n"}, "the work")
    git(bench.repo, "reset", "-q", "--hard", "HEAD~1")
    set_back(bench.repo, removed)
    again = bench.prepare(run="r2", existing=True, base=removed, merge=git(bench.repo, "rev-parse", "main"))
    seen = git(Path(again.worktree), "status", "--porcelain")
    assert "DU removed.txt" in seen
    assert bench.collect(again, "r2").unmerged == ("removed.txt",)
    commit_files(Path(again.worktree), {"removed.txt": "mine\n"}, "resolved")
    assert not contains(bench.repo, again.branch, removed)
