"""Clean: only what is reachable goes to the trash, and it comes back."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from benches import Bench, files_in, make_bench, without
from repositories import commit_files, git, make_repository
from toryo import clock
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.work import Cleaned
from toryo.workbench.git.door import layout
from toryo.workbench.git.keep import trash
from toryo.workbench.git.trash.restore import untrash
from toryo.workbench.git.trash.retire import clean, empty_trash


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def has(repo: Path, name: str) -> bool:
    return layout.git_on(repo / ".git").commit_of(name) is not None


def in_git(bench: Bench, run: str = "r1") -> str:
    return str(bench.repo / ".git" / "toryo" / "trash" / "node_modules" / run)


def retired(bench: Bench, made: Prepared, run: str = "r1", keep: tuple[str, ...] = ()) -> Cleaned:
    done = clean(bench.clean_inputs(made, run, keep))
    assert done.freed, done.refused
    return done


def test_a_finished_worktree_goes_to_the_trash_and_its_branch_is_pinned(bench: Bench) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    bench.collect(made)
    done = retired(bench, made, keep=(head,))
    assert done.trash == in_git(bench)
    assert (Path(done.trash) / "a.txt").exists()
    assert not Path(made.worktree).exists()
    assert not list((bench.repo / ".worktrees").iterdir())
    assert (bench.repo / ".git" / "toryo" / "trash" / "r1" / "HEAD").exists()
    assert not list((bench.repo / ".git" / "worktrees").iterdir())
    assert not has(bench.repo, "agent/fix-t1")
    assert git(bench.repo, "rev-parse", "refs/toryo/kept/r1/branch") == head
    assert git(bench.repo, "rev-parse", "refs/toryo/kept/r1/index") == git(
        bench.repo, "rev-parse", f"{head}^{{tree}}"
    )
    assert git(bench.repo, "status", "--porcelain") == ""


def test_a_commit_to_keep_that_no_ref_reaches_refuses_everything(bench: Bench) -> None:
    made = bench.prepare()
    tree = git(bench.repo, "rev-parse", "HEAD^{tree}")
    loose = git(bench.repo, "commit-tree", tree, "-m", "loose")
    for keep in (loose, "1" * 40):
        done = clean(bench.clean_inputs(made, keep=(made.base, keep)))
        assert not done.freed
        assert keep in done.refused
        assert made.base not in done.refused
    assert Path(made.worktree).is_dir()
    assert has(bench.repo, "agent/fix-t1")


def test_what_the_runs_own_refs_hold_is_not_looked_for_among_those_of_all_others(bench: Bench) -> None:
    """After a year of work there are many thousands: here one that git cannot even read."""
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    collected = bench.collect(made)
    kept = bench.repo / ".git" / "refs" / "toryo" / "kept" / "r0"
    kept.mkdir(parents=True)
    (kept / "branch").write_text(f"{'1' * 40}\n")
    assert collected.snapshot is not None
    retired(bench, made, keep=(head, collected.snapshot.commit))


def test_what_came_after_the_last_snapshot_is_snapshotted_before_it_goes(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    bench.collect(made)
    (path / "late.txt").write_text("late\n")
    lost = commit_files(path, {"b.txt": "b\n"})
    git(path, "reset", "-q", "--hard", "HEAD~1")
    (path / "later.txt").write_text("later\n")
    retired(bench, made)
    assert git(bench.repo, "show", "refs/toryo/snapshots/r1/clean-1:later.txt") == "later"
    git(bench.repo, "merge-base", "--is-ancestor", lost, "refs/toryo/snapshots/r1/clean-1")


def test_a_worktree_that_a_snapshot_covers_needs_no_other(bench: Bench) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "left.txt").write_text("left\n")
    bench.collect(made)
    retired(bench, made)
    assert git(bench.repo, "for-each-ref", "--format=%(refname)", "refs/toryo/snapshots") == (
        "refs/toryo/snapshots/r1/1"
    )


def test_what_no_snapshot_can_hold_keeps_the_worktree(bench: Bench) -> None:
    made = bench.prepare()
    source = make_repository(bench.repo.parent / "source", {"x.txt": "x\n"})
    commit_files(source, {"x.txt": "y\n"})
    git(Path(made.worktree), "clone", "-q", "--depth", "1", f"file://{source}", "cloned")
    bench.collect(made)
    done = clean(bench.clean_inputs(made))
    assert not done.freed
    assert "cloned/" in done.refused
    assert (Path(made.worktree) / "cloned" / "x.txt").exists()


def test_cleaning_again_says_the_same(bench: Bench) -> None:
    made = bench.prepare()
    assert retired(bench, made) == retired(bench, made)


def test_a_crash_between_the_two_renames_is_finished_by_repeating(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    rename = Path.rename
    with monkeypatch.context() as crash:

        def only_files(self: Path, target: Path) -> Path:
            if self.parent.name == "worktrees":
                raise KeyboardInterrupt
            return rename(self, target)

        crash.setattr(Path, "rename", only_files)
        with pytest.raises(KeyboardInterrupt):
            clean(bench.clean_inputs(made))
    assert not Path(made.worktree).exists()
    assert (bench.repo / ".git" / "worktrees" / "fix-t1").is_dir()
    done = retired(bench, made)
    assert done.trash == in_git(bench)
    assert not (bench.repo / ".git" / "worktrees" / "fix-t1").exists()
    assert not has(bench.repo, "agent/fix-t1")
    assert git(bench.repo, "rev-parse", "refs/toryo/kept/r1/branch") == head


def test_clean_and_untrash_give_the_same_worktree_back(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, {"README.md": "r\n", ".env": "K\n", ".gitignore": "*.log\n"})
    made = bench.prepare(scope=without(".env"))
    path = Path(made.worktree)
    commit_files(path, {"a.txt": "a\n"})
    (path / "README.md").write_text("staged\n")
    git(path, "add", "README.md")
    (path / "left.txt").write_text("left\n")
    (path / "x.log").write_text("log\n")
    before = (git(path, "status", "--porcelain=v2", "--branch", "--ignored"), files_in(path))
    bench.collect(made)
    retired(bench, made)
    back = untrash(bench.repo, "r1")
    assert back.problem is None
    assert back.path == made.worktree
    assert (git(path, "status", "--porcelain=v2", "--branch", "--ignored"), files_in(path)) == before
    assert not (path / ".env").exists()
    assert untrash(bench.repo, "r1").problem
    again = retired(bench, made)
    assert Path(again.trash).is_dir()


def test_untrash_never_overwrites_what_took_the_place(bench: Bench) -> None:
    made = bench.prepare()
    retired(bench, made)
    taken = bench.prepare(run="r2")
    assert taken.worktree == made.worktree
    refused = untrash(bench.repo, "r1")
    assert refused.problem
    assert refused.problem.code == "path_taken"
    retired(bench, taken, run="r2")
    assert untrash(bench.repo, "r1").path == made.worktree


def test_a_worktree_that_a_person_deleted_is_tidied_away(bench: Bench) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    shutil.rmtree(made.worktree)
    retired(bench, made)
    assert git(bench.repo, "rev-parse", "refs/toryo/kept/r1/branch") == head
    assert "fix-t1" not in git(bench.repo, "worktree", "list")


def test_a_branch_that_is_checked_out_elsewhere_stays(bench: Bench) -> None:
    made = bench.prepare()
    git(bench.repo, "checkout", "-q", "--ignore-other-worktrees", made.branch)
    retired(bench, made)
    assert has(bench.repo, made.branch)


def test_neither_the_users_checkout_nor_the_users_worktree_is_ever_retired(bench: Bench) -> None:
    mine = bench.repo.parent / "mine"
    git(bench.repo, "worktree", "add", "-q", "-b", "mine", str(mine))
    for path in (bench.repo, mine, bench.repo / "README.md"):
        made = Prepared(worktree=str(path), branch="mine")
        assert not clean(bench.clean_inputs(made)).trash
    assert (mine / "README.md").exists()
    assert (bench.repo / "README.md").exists()
    assert has(bench.repo, "mine")


def test_only_old_trash_is_deleted_and_the_refs_stay(bench: Bench) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    folder = Path(made.worktree) / "cache"
    folder.mkdir()
    (folder / "f.txt").write_text("f\n")
    bench.collect(made)
    done = retired(bench, made)
    (Path(done.trash) / "cache").chmod(0o500)
    assert empty_trash(bench.repo, 3600) == 0
    assert Path(done.trash).is_dir()
    assert empty_trash(bench.repo, 3600, now=time.time() + 7200) == 1
    assert not Path(done.trash).exists()
    assert not list(trash.entries(layout.common_dir(bench.repo)))
    assert git(bench.repo, "rev-parse", "refs/toryo/kept/r1/branch") == head


def test_the_name_is_free_again_after_retiring(bench: Bench) -> None:
    for run in ("r1", "r2", "r3"):
        made = bench.prepare(run=run)
        assert made.name == "fix-t1"
        retired(bench, made, run=run)


def test_a_repeated_clean_never_retires_the_worktree_of_a_later_attempt(bench: Bench) -> None:
    first = bench.prepare()
    done = retired(bench, first)
    second = bench.prepare(run="r2")
    assert second.worktree == first.worktree
    (Path(second.worktree) / "work.txt").write_text("the second agent works here\n")
    assert retired(bench, first) == done
    assert (Path(second.worktree) / "work.txt").exists()
    assert has(bench.repo, second.branch)
    refused = clean(bench.clean_inputs(second, run="r0"))
    assert not refused.freed
    assert "r2" in refused.refused
    assert retired(bench, second, run="r2").trash != done.trash
    assert retired(bench, first) == done


def test_a_later_run_of_the_same_attempt_retires_the_worktree_that_the_first_made(bench: Bench) -> None:
    made = bench.prepare()
    again = bench.prepare(run="r2", existing=True)
    alone = clean(bench.clean_inputs(again, run="r2"))
    assert not alone.freed
    assert "r1" in alone.refused
    done = clean(bench.clean_inputs(again, run="r2", runs=("r1", "r2")))
    assert done.freed, done.refused
    assert clean(bench.clean_inputs(again, run="r2", runs=("r1", "r2"))) == done
    assert not Path(made.worktree).exists()


def test_a_branch_that_a_later_attempt_made_outlives_the_repeated_clean_of_an_earlier(bench: Bench) -> None:
    first = bench.prepare()
    done = retired(bench, first)
    head = commit_files(bench.repo, {"b.txt": "b\n"})
    git(bench.repo, "branch", first.branch, head)
    assert retired(bench, first) == done
    assert git(bench.repo, "rev-parse", first.branch) == head


def test_trash_is_emptied_in_bounded_steps_and_past_what_cannot_be_deleted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("r1", "r2", "r3"):
        retired(bench, bench.prepare(run=run), run=run)
    later = time.time() + 7200
    assert empty_trash(bench.repo, 3600, now=later, most=1) == 1
    real = trash.delete

    def stubborn(common: Path, entry: trash.Entry) -> None:
        if entry.name == "r2":
            raise PermissionError(entry.files)
        real(common, entry)

    monkeypatch.setattr(trash, "delete", stubborn)
    assert empty_trash(bench.repo, 3600, now=later) == 1
    assert [entry.name for entry in trash.entries(layout.common_dir(bench.repo))] == ["r2"]


def test_a_clock_that_is_set_forward_makes_nothing_old(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    bench.collect(made)
    retired(bench, made, keep=(head,))
    monkeypatch.setattr(clock, "wall", lambda: time.time() + 30 * 24 * 3600)
    assert empty_trash(bench.repo) == 0
    assert empty_trash(bench.repo, now=time.time() + 8 * 24 * 3600) == 1


def test_the_trash_knows_whose_worktrees_it_holds_without_reading_all_of_it(bench: Bench) -> None:
    common = bench.repo / ".git"
    assert trash.holds(common, ["fix-t1"]) == set()
    made = bench.prepare()
    bench.collect(made)
    retired(bench, made)
    old = common / "toryo" / "trash" / "r0.json"
    old.mkdir()  # whoever reads it fails
    os.utime(old, (1, 1))
    assert trash.holds(common, ["fix-t1"]) == {"fix-t1"}
    old.rmdir()
    assert trash.holds(common, ["fix-t1", "never-t2"]) == {"fix-t1"}
