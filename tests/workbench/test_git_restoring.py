"""Restore: after everything that a user's git can throw away, worktree, branch, index and files come back."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benches import Bench, commit_only, files_in, make_bench, without
from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.work import Collected, Restored, RestoreInputs
from toryo.workbench.git.trash.restore import restore
from toryo.workbench.git.trash.retire import clean, empty_trash

SCOPE = without(".env", "secrets/")
FILES = {"README.md": "r\n", ".env": "K\n", "old.txt": "o\n", ".gitignore": "*.log\nnotes/\n"}


def gc(repo: Path) -> None:
    git(repo, "gc", "-q", "--prune=now")


def prune(repo: Path) -> None:
    git(repo, "worktree", "prune", "--expire=now")


def expire(repo: Path) -> None:
    git(repo, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")


def sweep(repo: Path) -> None:
    git(repo, "clean", "-ffdxq")


def sweep_the_root(repo: Path) -> None:
    """In the directory of the worktrees itself."""
    subprocess.run(["git", "clean", "-ffdxq", "."], cwd=repo / ".worktrees", check=True, timeout=60)


def everything(repo: Path) -> None:
    for one in (sweep_the_root, sweep, prune, expire, gc):
        one(repo)


def grow_old(repo: Path) -> None:
    assert empty_trash(repo, 3600, now=time.time() + 7200) == 1
    everything(repo)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path, FILES)


def a_full_worktree(bench: Bench) -> tuple[Prepared, Collected]:
    """Commits, a stage, a change, a deletion, untracked and ignored files, a repository, no `.env`."""
    made = bench.prepare(scope=SCOPE)
    path = Path(made.worktree)
    commit_files(path, {"a.txt": "a\n", "b.txt": "b\n"})
    (path / "a.txt").write_text("staged\n")
    git(path, "add", "a.txt")
    (path / "a.txt").write_text("staged, then changed\n")
    (path / "b.txt").write_text("changed\n")
    (path / "old.txt").unlink()
    for name in ("left.txt", "deep/er/left.txt", "x.log", "notes/plan.md"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(f"{name}\n")
    make_repository(path / "cloned", {"x.txt": "x\n"})
    return made, bench.collect(made, scope=SCOPE)


def state(path: Path) -> tuple[str, ...]:
    shown = git(path, "status", "--porcelain=v2", "--branch", "--ignored")
    texts = sorted(f"{name}={(path / name).read_text()}" for name in files_in(path) if "/.git/" not in name)
    ignored = [line for line in shown.splitlines() if not line.startswith("! .aiagent")]
    return (*ignored, git(path, "diff", "--cached"), *texts)


def put_back(bench: Bench, made: Prepared, seen: Collected) -> Restored:
    assert seen.snapshot
    return restore(
        RestoreInputs(
            repo=str(bench.repo),
            run="r1",
            snapshot=seen.snapshot.commit,
            worktree=made.worktree,
            branch=made.branch,
            head=seen.head,
            scope=SCOPE,
        )
    )


@pytest.mark.parametrize("act", [None, sweep, sweep_the_root, everything, grow_old])
def test_a_retired_worktree_comes_back_whole(bench: Bench, act: Callable[[Path], None] | None) -> None:
    made, seen = a_full_worktree(bench)
    path = Path(made.worktree)
    before = state(path)
    assert clean(bench.clean_inputs(made, keep=(seen.head,))).freed
    if act:
        act(bench.repo)
    done = put_back(bench, made, seen)
    assert (done.problem, done.path, done.branch) == (None, made.worktree, made.branch)
    assert state(path) == before
    assert git(path, "symbolic-ref", "--short", "HEAD") == made.branch
    assert git(path, "rev-parse", "HEAD") == seen.head
    assert not (path / ".env").exists()
    assert (path / "cloned" / ".git").is_dir()
    assert git(path / "cloned", "log", "--format=%s") == "first"
    assert "locked toryo run r1" in git(bench.repo, "worktree", "list", "--porcelain")
    git(bench.repo, "fsck", "--no-dangling")


@pytest.mark.parametrize("act", [sweep, everything])
def test_one_that_was_never_retired_comes_back_with_its_own_index(
    bench: Bench, act: Callable[[Path], None]
) -> None:
    made, seen = a_full_worktree(bench)
    before = state(Path(made.worktree))
    act(bench.repo)
    assert not Path(made.worktree).exists()
    assert put_back(bench, made, seen).problem is None
    assert state(Path(made.worktree)) == before


def test_without_its_admin_directory_and_branch_it_is_registered_anew(bench: Bench) -> None:
    made, seen = a_full_worktree(bench)
    before = state(Path(made.worktree))
    git(bench.repo, "worktree", "remove", "-f", "-f", made.worktree)
    git(bench.repo, "branch", "-q", "-D", made.branch)
    everything_but_the_root(bench.repo)
    assert put_back(bench, made, seen).problem is None
    assert state(Path(made.worktree)) == before
    assert not (Path(made.worktree) / ".env").exists()


def everything_but_the_root(repo: Path) -> None:
    for one in (sweep, prune, expire, gc):
        one(repo)


def test_what_took_its_place_is_never_overwritten(bench: Bench) -> None:
    made, seen = a_full_worktree(bench)
    shutil.rmtree(made.worktree)
    Path(made.worktree).mkdir()
    (Path(made.worktree) / "mine.txt").write_text("mine\n")
    done = put_back(bench, made, seen)
    assert done.problem
    assert done.problem.code == "path_taken"
    assert files_in(Path(made.worktree)) == {"mine.txt"}


def test_a_branch_that_was_deleted_alone_comes_back_under_its_worktree(bench: Bench) -> None:
    made, seen = a_full_worktree(bench)
    before = state(Path(made.worktree))
    still = put_back(bench, made, seen)
    assert still.problem
    assert still.problem.code == "still_there"
    git(bench.repo, "update-ref", "-d", f"refs/heads/{made.branch}")
    late = bench.collect(made, attempt=2, scope=SCOPE)  # whose branch was gone already
    for collected in (seen, late):
        git(bench.repo, "update-ref", "-d", f"refs/heads/{made.branch}")
        assert put_back(bench, made, collected).problem is None
        assert state(Path(made.worktree)) == before


def test_a_restore_that_failed_half_way_leaves_nothing_that_looks_whole(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, seen = a_full_worktree(bench)
    before = state(Path(made.worktree))
    assert clean(bench.clean_inputs(made)).freed
    grow_old(bench.repo)
    with monkeypatch.context() as full:
        full.setattr("toryo.workbench.git.keep.nested.make_all", no_space)
        done = put_back(bench, made, seen)
    assert done.problem
    assert "is full" in done.problem.message
    assert not Path(made.worktree).exists()
    assert put_back(bench, made, seen).problem is None
    assert state(Path(made.worktree)) == before


def no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_files_restored_elsewhere_are_without_the_secrets_and_with_the_agents_own(bench: Bench) -> None:
    commit_only(bench.repo, {"secrets/key": "k\n"})
    made = bench.prepare(scope=SCOPE)
    (Path(made.worktree) / "secrets").mkdir()
    (Path(made.worktree) / "secrets" / "made").write_text("by the agent\n")
    seen = bench.collect(made, scope=SCOPE)
    assert seen.snapshot
    where = bench.repo.parent / "back"
    inputs = RestoreInputs(
        repo=str(bench.repo), run="r1", snapshot=seen.snapshot.commit, destination=str(where), scope=SCOPE
    )
    assert restore(inputs).problem is None
    assert files_in(where) == {"README.md", "old.txt", ".gitignore", "secrets/made"}


def test_restoring_from_a_repository_that_is_gone_says_how_to_name_another(bench: Bench) -> None:
    made, seen = a_full_worktree(bench)
    bench.repo.rename(bench.repo.parent / "moved")
    done = put_back(bench, made, seen)
    assert done.problem
    assert "toryo project move" in done.problem.hint
