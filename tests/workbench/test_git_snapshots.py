"""Snapshots: everything a worktree held is in one commit, and comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benches import Bench, commit_only, files_in, make_bench, without
from repositories import commit_files, git
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.work import Restored, RestoreInputs, Snapshot
from toryo.workbench.git.keep import snapshot_ignored
from toryo.workbench.git.trash.restore import restore


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(
        tmp_path, {"README.md": "hello\n", ".gitignore": "*.log\nnotes/\nnode_modules/\n.cfg\n"}
    )


def snapshot(bench: Bench, made: Prepared, **more: int) -> Snapshot:
    taken = bench.collect(made, **more).snapshot
    assert taken
    return taken


def put_back(bench: Bench, commit: str, where: Path) -> Restored:
    return restore(RestoreInputs(repo=str(bench.repo), run="r1", snapshot=commit, destination=str(where)))


def is_kept(bench: Bench, commit: str, taken: Snapshot) -> bool:
    missing = git(bench.repo, "rev-list", commit, "--not", taken.commit)
    return not missing


def test_uncommitted_untracked_and_ignored_text_files_come_back(bench: Bench, tmp_path: Path) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    (path / "README.md").write_text("changed\n")
    (path / "名前 と 空白.txt").write_text("untracked\n")
    (path / "debug.log").write_text("a log\n")
    (path / ".cfg").write_text("ignored\n")
    for name in (
        "notes/deep/plan.md",
        "notes/node_modules/x.js",
        "node_modules/y.js",
        ".aiagent/agents/worker/z",
    ):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("text\n")
    (path / "binary.log").write_bytes(b"\0\1\2")
    (path / "large.log").write_text("x" * 1_000_001)
    index = git(path, "ls-files", "-s")
    taken = snapshot(bench, made)
    assert taken.uncommitted == ("README.md", "名前 と 空白.txt")
    assert taken.ref == "refs/toryo/snapshots/r1/1"
    assert git(bench.repo, "rev-parse", taken.ref) == taken.commit
    assert git(path, "ls-files", "-s") == index  # the agent's own index is as it was
    restored = put_back(bench, taken.commit, tmp_path / "a" / "b")
    expected = {".gitignore", "README.md", "名前 と 空白.txt", "debug.log", ".cfg", "notes/deep/plan.md"}
    assert files_in(tmp_path / "a" / "b") == expected
    assert (restored.problem, restored.files) == (None, len(expected))
    assert (tmp_path / "a" / "b" / "README.md").read_text() == "changed\n"


@pytest.mark.parametrize("setting", ["autocrlf", "attribute"])
def test_line_ends_are_kept_as_the_agent_left_them(bench: Bench, tmp_path: Path, setting: str) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    if setting == "autocrlf":
        git(bench.repo, "config", "core.autocrlf", "input")
    else:
        (path / ".gitattributes").write_text("* text=auto\n")
    held = {
        "README.md": b"one\r\ntwo\r\n",
        "new.txt": b"mixed\r\nline\n",
        "debug.log": b"a\r\n",
        "x.sh": b"b\r\n",
    }
    for name, data in held.items():
        (path / name).write_bytes(data)
    (path / "x.sh").chmod(0o755)
    (path / "link").symlink_to("new.txt")
    taken = snapshot(bench, made)
    assert put_back(bench, taken.commit, tmp_path / "back").problem is None
    assert {name: (tmp_path / "back" / name).read_bytes() for name in held} == held
    assert os.access(tmp_path / "back" / "x.sh", os.X_OK)
    assert (tmp_path / "back" / "link").readlink() == Path("new.txt")


def test_a_change_of_equal_size_in_the_second_of_the_last_commit_is_not_overlooked(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    git(bench.repo, "config", "core.trustctime", "false")
    index = bench.repo / ".git" / "worktrees" / "fix-t1" / "index"
    moment = (1_700_000_000, 1_700_000_000)
    os.utime(path / "README.md", moment)
    git(path, "update-index", "--refresh")
    os.utime(index, moment)
    (path / "README.md").write_text("HELLO\n")
    os.utime(path / "README.md", moment)
    (path / "other.txt").write_text("o\n")
    taken = snapshot(bench, made)
    assert git(bench.repo, "show", f"{taken.commit}:README.md") == "HELLO"


def test_a_deleted_file_and_a_file_that_became_a_folder_are_kept_as_they_are(bench: Bench) -> None:
    commit_only(bench.repo, {"gone.txt": "g\n", "turned": "t\n"})
    made = bench.prepare()
    path = Path(made.worktree)
    (path / "gone.txt").unlink()
    (path / "turned").unlink()
    (path / "turned").mkdir()
    (path / "turned" / "in.txt").write_text("in\n")
    taken = snapshot(bench, made)
    listed = git(bench.repo, "ls-tree", "-r", "--name-only", taken.commit).split("\n")
    assert listed == [".gitignore", "README.md", "turned/in.txt"]


def test_new_files_outside_a_sparse_worktrees_patterns_are_kept_and_absent_ones_not_deleted(
    tmp_path: Path,
) -> None:
    bench = make_bench(tmp_path, {"README.md": "r\n", "secrets/old": "o\n"})
    made = bench.prepare(scope=without("secrets/"))
    path = Path(made.worktree)
    assert not (path / "secrets").exists()
    (path / "secrets").mkdir()
    (path / "secrets" / "new").write_text("n\n")
    taken = snapshot(bench, made)
    listed = git(bench.repo, "ls-tree", "-r", "--name-only", taken.commit).split("\n")
    assert listed == ["README.md", "secrets/new", "secrets/old"]


def test_what_was_staged_and_then_changed_again_is_kept(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    (path / "README.md").write_text("staged\n")
    git(path, "add", "README.md")
    (path / "README.md").write_text("later\n")
    taken = snapshot(bench, made)
    kept = [
        git(bench.repo, "show", f"{parent}:README.md")
        for parent in git(bench.repo, "rev-parse", f"{taken.commit}^@").split("\n")
    ]
    assert git(bench.repo, "show", f"{taken.commit}:README.md") == "later"
    assert "staged" in kept


def test_a_commit_that_was_reset_away_or_amended_is_reachable(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    first = commit_files(path, {"a.txt": "a\n"})
    second = commit_files(path, {"b.txt": "b\n"})
    git(path, "reset", "-q", "--hard", "HEAD~2")
    third = commit_files(path, {"c.txt": "c\n"})
    git(path, "commit", "-q", "--amend", "-m", "other")
    taken = snapshot(bench, made)
    assert all(is_kept(bench, commit, taken) for commit in (first, second, third))


def test_a_stash_made_meanwhile_is_kept_and_the_users_older_one_is_not_taken(bench: Bench) -> None:
    (bench.repo / "README.md").write_text("the user's\n")
    git(bench.repo, "stash", "push", "-q")
    users = git(bench.repo, "rev-parse", "refs/stash")
    made = bench.prepare()
    path = Path(made.worktree)
    (path / "README.md").write_text("the agent's\n")
    (path / "new.txt").write_text("new\n")
    git(path, "stash", "push", "-q", "-u")
    agents = git(path, "rev-parse", "refs/stash")
    git(path, "stash", "drop", "-q", "stash@{1}")
    seen = bench.collect(made)
    assert seen.snapshot
    assert is_kept(bench, agents, seen.snapshot)
    assert not is_kept(bench, users, seen.snapshot)
    assert [change.what for change in seen.foreign] == ["stash"]


def test_commits_of_an_unfinished_rebase_are_kept(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"README.md": "one\n"})
    top = commit_files(path, {"b.txt": "b\n"})
    other = commit_only(bench.repo, {"README.md": "two\n"})
    with pytest.raises(AssertionError):
        git(path, "rebase", "-q", other)
    taken = snapshot(bench, made)
    assert is_kept(bench, top, taken)
    assert is_kept(bench, other, taken)


def test_a_repeated_snapshot_reports_the_first_and_another_attempt_makes_its_own(bench: Bench) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "left.txt").write_text("left\n")
    first = snapshot(bench, made)
    assert snapshot(bench, made) == first
    assert snapshot(bench, made, attempt=2).ref == "refs/toryo/snapshots/r1/2"


def test_more_than_the_limit_keeps_the_worktree_and_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_ignored, "LARGEST_SNAPSHOT", 1000)
    made = bench.prepare()
    path = Path(made.worktree)
    head = commit_files(path, {"a.txt": "a\n"})
    (path / "big.txt").write_text("x" * 2000)
    seen = bench.collect(made)
    assert "200 MB" in seen.kept_worktree
    assert seen.snapshot
    assert seen.snapshot.left_out == ("big.txt",)
    assert is_kept(bench, head, seen.snapshot)


def test_restore_refuses_to_overwrite_and_fills_an_empty_folder(bench: Bench, tmp_path: Path) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "left.txt").write_text("left\n")
    taken = snapshot(bench, made)
    full, empty = tmp_path / "full", tmp_path / "empty"
    full.mkdir()
    empty.mkdir()
    (full / "mine.txt").write_text("mine\n")
    refused = put_back(bench, taken.commit, full)
    assert refused.problem
    assert refused.problem.code == "destination_taken"
    assert files_in(full) == {"mine.txt"}
    assert put_back(bench, taken.commit, empty).files == 3
    assert files_in(empty) == {".gitignore", "README.md", "left.txt"}
    assert git(bench.repo, "status", "--porcelain") == ""


def test_restoring_what_is_no_snapshot_is_a_problem(bench: Bench, tmp_path: Path) -> None:
    refused = put_back(bench, "1" * 40, tmp_path / "new")
    assert refused.problem
    assert refused.problem.code == "snapshot_missing"
    assert not (tmp_path / "new").exists()
