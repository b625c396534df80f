"""Repositories inside a worktree, submodules and LFS files: a snapshot holds them, and they come back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benches import Bench, files_in, make_bench
from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.work import Collected, RestoreInputs
from toryo.workbench.git.trash.restore import restore
from toryo.workbench.git.trash.retire import clean

ALLOWED = ("-c", "protocol.file.allow=always")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path, {"README.md": "hello\n", ".gitignore": "cache/\nnode_modules/\n"})


def gone_and_back(bench: Bench, made: Prepared, seen: Collected, **more: ScopeInputs) -> Path:
    """What is restored after the worktree was deleted and the user's git threw away all it could."""
    assert seen.snapshot
    assert seen.kept_worktree == ""
    shutil.rmtree(made.worktree)
    git(bench.repo, "worktree", "prune")
    git(bench.repo, "reflog", "expire", "--expire=now", "--all")
    git(bench.repo, "gc", "-q", "--prune=now")
    where = bench.repo.parent / "back"
    inputs = RestoreInputs(
        repo=str(bench.repo), run="r1", snapshot=seen.snapshot.commit, destination=str(where), **more
    )
    done = restore(inputs)
    assert done.problem is None, done.problem
    git(bench.repo, "fsck", "--strict", "--no-dangling")
    return where


def test_a_clone_inside_comes_back_with_branches_tags_stash_index_and_loose_files(bench: Bench) -> None:
    made = bench.prepare()
    top = Path(made.worktree) / "tools" / "cloned"
    make_repository(top, {"x.txt": "x\n", ".gitignore": "*.log\n"})
    git(top, "remote", "add", "origin", "https://example.invalid/x.git")
    lost = commit_files(top, {"lost.txt": "reset away\n"})
    git(top, "reset", "-q", "--hard", "HEAD~1")
    git(top, "tag", "-a", "v1", "-m", "words of a tag")
    for text in ("older", "newer"):
        (top / "x.txt").write_text(f"{text}\n")
        git(top, "stash", "push", "-q")
    git(top, "checkout", "-q", "-b", "topic")
    head = commit_files(top, {"t.txt": "t\n"})
    (top / "staged.txt").write_text("staged\n")
    git(top, "add", "staged.txt")
    (top / "staged.txt").write_text("staged, then changed\n")
    (top / "loose.txt").write_text("loose\n")
    (top / "run.log").write_text("ignored text\n")
    before = (git(top, "status", "--porcelain=v2", "--branch", "--ignored"), git(top, "for-each-ref"))
    own = sorted(path.relative_to(top) for path in top.rglob("*"))
    seen = bench.collect(made)
    assert sorted(path.relative_to(top) for path in top.rglob("*")) == own  # it was only read
    back = gone_and_back(bench, made, seen) / "tools" / "cloned"
    assert (
        git(back, "status", "--porcelain=v2", "--branch", "--ignored"),
        git(back, "for-each-ref"),
    ) == before
    assert (git(back, "rev-parse", "HEAD"), git(back, "show", ":staged.txt")) == (head, "staged")
    assert (back / "staged.txt").read_text() == "staged, then changed\n"
    assert (back / "run.log").read_text() == "ignored text\n"
    assert [git(back, "show", f"stash@{{{n}}}:x.txt") for n in (0, 1)] == ["newer", "older"]
    assert git(back, "tag", "-l", "-n1", "v1").endswith("words of a tag")
    assert git(back, "remote", "get-url", "origin") == "https://example.invalid/x.git"
    assert git(back, "show", f"{lost}:lost.txt") == "reset away"
    git(back, "fsck", "--strict", "--no-dangling")


def test_without_a_commit_detached_ignored_and_inside_one_another(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    git(path, "init", "-q", "unborn")
    (path / "unborn" / "y.txt").write_text("y\n")
    outer = make_repository(path / "outer", {"o.txt": "o\n"})
    make_repository(outer / "deep" / "inner", {"i.txt": "i\n"})
    git(outer / "deep" / "inner", "checkout", "-q", "--detach")
    ignored = make_repository(path / "cache" / "kept", {"k.txt": "k\n"})
    make_repository(path / "node_modules" / "dependency", {"d.txt": "d\n"})
    git(path, "worktree", "add", "-q", "-b", "agents-own", "side")
    (path / "side" / "s.txt").write_text("s\n")
    ids = [git(one, "rev-parse", "HEAD") for one in (outer, outer / "deep" / "inner", ignored)]
    seen = bench.collect(made)
    shutil.rmtree(path / "side")
    back = gone_and_back(bench, made, seen)
    assert files_in(back / "unborn") == {"y.txt"}
    restored = (back / "outer", back / "outer" / "deep" / "inner", back / "cache" / "kept")
    assert [git(one, "rev-parse", "HEAD") for one in restored] == ids
    assert git(restored[1], "branch", "--show-current") == ""
    assert (back / "outer" / "deep" / "inner" / "i.txt").read_text() == "i\n"
    assert files_in(back / "side") == {"README.md", ".gitignore", "s.txt"}
    assert not (back / "node_modules").exists()


def test_what_was_kept_once_is_not_brought_over_again(bench: Bench) -> None:
    made = bench.prepare()
    top = make_repository(Path(made.worktree) / "cloned", {"x.txt": "x" * 1000})
    for number in range(5):
        commit_files(top, {f"{number}.txt": f"{number}\n"})
    bench.collect(made)
    before = set(objects_of(bench))
    assert clean(bench.clean_inputs(made)).freed
    assert len(set(objects_of(bench)) - before) < 10


def objects_of(bench: Bench) -> list[str]:
    """Every object in every pack, with its pack."""
    packs = sorted((bench.repo / ".git" / "objects" / "pack").glob("*.idx"))
    return [
        f"{pack.name} {line}"
        for pack in packs
        for line in git(bench.repo, "verify-pack", "-v", str(pack)).split("\n")
        if " commit " in line or " blob " in line or " tree " in line
    ]


def test_one_that_the_agent_committed_as_a_link_is_kept_though_git_status_is_clean(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    make_repository(path / "embedded", {"e.txt": "e\n"})
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "embed it by accident")
    assert git(path, "status", "--porcelain") == ""
    back = gone_and_back(bench, made, bench.collect(made))
    assert (back / "embedded" / "e.txt").read_text() == "e\n"


def with_submodule(tmp_path: Path) -> Bench:
    bench = make_bench(tmp_path)
    inner = make_repository(tmp_path / "inner", {"lib.txt": "lib\n"})
    git(bench.repo, *ALLOWED, "submodule", "--quiet", "add", str(inner), "libs/sub")
    git(bench.repo, "commit", "-q", "-m", "submodule")
    return bench


def test_an_unfilled_submodule_costs_nothing_and_its_folder_is_empty(tmp_path: Path) -> None:
    bench = with_submodule(tmp_path)
    made = bench.prepare()
    assert list((Path(made.worktree) / "libs" / "sub").iterdir()) == []
    seen = bench.collect(made)
    assert (seen.kept_worktree, seen.snapshot and seen.snapshot.left_out) == ("", ())
    assert clean(bench.clean_inputs(made)).freed


def test_a_filled_submodule_comes_back_with_its_own_commits_and_changes(tmp_path: Path) -> None:
    bench = with_submodule(tmp_path)
    made = bench.prepare()
    top = Path(made.worktree) / "libs" / "sub"
    git(Path(made.worktree), *ALLOWED, "submodule", "--quiet", "update", "--init")
    git(top, "config", "user.name", "Agent")
    git(top, "config", "user.email", "agent@localhost")
    head = commit_files(top, {"more.txt": "more\n"})
    (top / "lib.txt").write_text("changed\n")
    (top / "new.txt").write_text("new\n")
    seen = bench.collect(made)
    assert clean(bench.clean_inputs(made)).freed
    shutil.rmtree(bench.repo / ".worktrees")
    shutil.rmtree(bench.repo / ".git" / "toryo" / "trash")
    (bench.repo / ".worktrees" / "fix-t1").mkdir(parents=True)
    back = gone_and_back(bench, made, seen) / "libs" / "sub"
    assert git(back, "rev-parse", "HEAD") == head
    assert (back / "lib.txt").read_text() == "changed\n"
    assert git(back, "status", "--porcelain").split("\n") == [" M lib.txt", "?? new.txt"]


def test_a_shallow_clone_keeps_the_worktree_and_says_which(bench: Bench, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source", {"x.txt": "x\n"})
    commit_files(source, {"x.txt": "y\n"})
    made = bench.prepare()
    git(Path(made.worktree), "clone", "-q", "--depth", "1", f"file://{source}", "cloned")
    (Path(made.worktree) / "left.txt").write_text("left\n")
    seen = bench.collect(made)
    assert "cloned/" in seen.kept_worktree
    assert seen.snapshot
    assert seen.snapshot.left_out == ("cloned/",)
    assert git(bench.repo, "show", f"{seen.snapshot.commit}:left.txt") == "left"
    git(bench.repo, "fsck", "--strict", "--no-dangling")
    git(bench.repo, "gc", "-q", "--prune=now")


def test_changed_lfs_files_are_kept_byte_by_byte_whether_git_lfs_is_there_or_not(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    git(bench.repo, "config", "filter.lfs.clean", "false")
    git(bench.repo, "config", "filter.lfs.required", "true")
    made = bench.prepare()
    (Path(made.worktree) / "a.bin").write_bytes(b"large\0\r\n")
    (Path(made.worktree) / "left.txt").write_text("left\n")
    seen = bench.collect(made)
    assert (seen.kept_worktree, seen.snapshot and seen.snapshot.uncommitted) == ("", ("a.bin", "left.txt"))
    back = gone_and_back(bench, made, seen)
    assert (back / "a.bin").read_bytes() == b"large\0\r\n"
    assert (back / "left.txt").read_text() == "left\n"
