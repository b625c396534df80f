"""A person's own work in a task's worktree, and the reverse of a landing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benches import Bench, make_bench
from repositories import commit_files, git
from toryo.protocol.asks import LeftRead
from toryo.protocol.kinds.landing import CandidateInputs, Head, RevertInputs
from toryo.workbench.git.keep.hand_work import made_since
from toryo.workbench.git.landing import candidates
from toryo.workbench.git.landing.reverts import revert

DATE = "2026-01-02T03:04:05+00:00"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path, {"a.txt": "one\ntwo\nthree\n", ".gitignore": "out/\n"})


def test_what_a_person_did_not_commit_is_committed_as_theirs_after_a_snapshot(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"agents.txt": "a\n"}, "the agent's")
    (path / "a.txt").write_text("mine\n")
    (path / "new file.txt").write_text("new\n")
    (path / "out").mkdir()
    (path / "out" / "x.log").write_text("noise\n")
    seen = bench.collect(made, run="r2", commit="Finish t1 by hand")
    assert seen.problem is None
    assert [line.subject for line in seen.log] == ["Finish t1 by hand", "the agent's"]
    assert seen.changed_files == ("a.txt", "agents.txt", "new file.txt")
    assert git(path, "log", "-1", "--format=%an") == git(bench.repo, "config", "user.name")
    assert git(path, "status", "--porcelain") == ""
    assert seen.snapshot
    assert set(seen.snapshot.uncommitted) == {"a.txt", "new file.txt"}
    again = bench.collect(made, run="r2", commit="Finish t1 by hand")
    assert again.head == seen.head


def test_files_in_conflict_are_left_as_they_are(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"a.txt": "theirs\n"})
    git(path, "checkout", "-q", "-b", "other", made.base)
    commit_files(path, {"a.txt": "mine\n"})
    git(path, "checkout", "-q", made.branch)
    subprocess.run(["git", "merge", "-q", "other"], cwd=path, capture_output=True, check=False)
    seen = bench.collect(made, run="r2", commit="Finish t1 by hand")
    assert seen.unmerged == ("a.txt",)
    assert seen.commits == 1


def since(bench: Bench, made, collected) -> dict[str, object]:
    inputs = LeftRead(
        repo=str(bench.repo),
        run="r1",
        worktree=made.worktree,
        branch=made.branch,
        head=collected.head,
        snapshot=collected.snapshot.commit,
    )
    return made_since(inputs)


def test_only_what_was_made_after_the_collect_counts_as_a_persons(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"agents.txt": "a\n"})
    (path / "left.txt").write_text("left by the agent\n")
    collected = bench.collect(made)
    before = since(bench, made, collected)
    assert (before["there"], before["commits"], before["files"]) == (True, 0, [])
    (path / "out").mkdir()
    (path / "out" / "x.log").write_text("noise\n")
    (path / "left.txt").write_text("mine now\n")
    assert since(bench, made, collected)["files"] == ["left.txt"]
    commit_files(path, {"b.txt": "b\n"})
    after = since(bench, made, collected)
    assert after["commits"] == 1
    assert "b.txt" in after["files"]


def landed(bench: Bench, name: str, files: dict[str, str], message: str = "work") -> tuple[str, str]:
    """(landing, head) of a task's work on the tip."""
    made = bench.prepare(name, run=f"r-{name}", base=git(bench.repo, "rev-parse", "refs/toryo/tips/main"))
    head = commit_files(Path(made.worktree), files, message)
    tip = git(bench.repo, "rev-parse", "refs/toryo/tips/main")
    heads = (Head(task=name, branch=made.branch, commit=head),)
    inputs = CandidateInputs(
        repo=str(bench.repo), target="main", tip=tip, heads=heads, message="Land", date=DATE
    )
    built = candidates.build(inputs, bench.runs / "bench")
    git(bench.repo, "update-ref", "refs/toryo/tips/main", built.commit)
    return built.commit, head


def reverse(bench: Bench, landing: tuple[str, str], run: str = "r9"):
    inputs = RevertInputs(
        repo=str(bench.repo),
        run=run,
        target="main",
        commit=landing[0],
        head=landing[1],
        base=landing[1] + "~1",
        message="Revert it\n",
        date=DATE,
    )
    return revert(inputs, bench.runs / "bench")


def test_a_landing_is_taken_back_and_later_work_stays(bench: Bench) -> None:
    first = landed(bench, "first", {"a.txt": "ONE\ntwo\nthree\n", "added.txt": "x\n"})
    landed(bench, "second", {"a.txt": "ONE\ntwo\nthree\nfour\n", "b.txt": "b\n"})
    made = reverse(bench, first)
    assert made.problem is None
    assert made.changed_files == ("a.txt", "added.txt")
    assert git(bench.repo, "show", f"{made.head}:a.txt") == "one\ntwo\nthree\nfour"
    assert git(bench.repo, "ls-tree", "--name-only", made.head).split() == [".gitignore", "a.txt", "b.txt"]
    assert git(bench.repo, "rev-parse", f"{made.head}^") == git(
        bench.repo, "rev-parse", "refs/toryo/tips/main"
    )
    assert reverse(bench, first).head == made.head


def test_later_work_on_the_same_lines_is_named(bench: Bench) -> None:
    first = landed(bench, "first", {"a.txt": "ONE\ntwo\nthree\n"})
    landed(bench, "second", {"a.txt": "One!\ntwo\nthree\n"})
    made = reverse(bench, first)
    assert made.problem
    assert (made.problem.code, made.head) == ("revert_conflict", "")
    assert "a.txt" in made.problem.message


def test_what_is_not_on_the_target_any_more_is_not_taken_back(bench: Bench) -> None:
    before = git(bench.repo, "rev-parse", "refs/toryo/tips/main")
    first = landed(bench, "first", {"a.txt": "ONE\n"})
    git(bench.repo, "update-ref", "refs/toryo/tips/main", before)
    made = reverse(bench, first)
    assert made.problem
    assert made.problem.code == "not_on_target"


def test_work_that_somebody_else_merged_is_taken_back_alone(bench: Bench) -> None:
    first = landed(bench, "first", {"mine.txt": "x\n"})
    other = landed(bench, "second", {"b.txt": "b\n"})
    made = reverse(bench, (other[0], first[1]))  # the landing is a commit that does not merge its branch
    assert made.problem is None
    assert made.changed_files == ("mine.txt",)
