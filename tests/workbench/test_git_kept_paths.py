"""Paths of a mission that its tasks do not change: set back in the candidate, and told."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_git_candidates import branch, build, inputs

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import CandidateBuilt, Head

TASKS = "specs/SPEC-1/tasks.md"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": "a\n", TASKS: "- [ ] T001\n"})


def built_of(repo: Path, tmp_path: Path, *heads: Head) -> CandidateBuilt:
    return build(inputs(repo, *heads).model_copy(update={"restore": (TASKS,)}), tmp_path)


def test_a_kept_file_that_the_branch_changed_is_set_back_and_told(repo, tmp_path):
    head = branch(repo, "one", {TASKS: "- [x] T001\n", "new.txt": "n\n"})
    built = built_of(repo, tmp_path, head)
    assert (built.problem, built.restored) == (None, (TASKS,))
    assert git(repo, "show", f"{built.commit}:{TASKS}") == "- [ ] T001"
    assert git(repo, "show", f"{built.commit}:new.txt") == "n"
    assert built.tree == git(repo, "rev-parse", f"{built.commit}^{{tree}}")


def test_a_kept_file_that_the_branch_deleted_is_there_again(repo, tmp_path):
    git(repo, "checkout", "-q", "-b", "agent/one")
    git(repo, "rm", "-q", TASKS)
    head = Head(task="t1", branch="agent/one", commit=commit_files(repo, {"new.txt": "n\n"}))
    git(repo, "checkout", "-q", "main")
    built = built_of(repo, tmp_path, head)
    assert built.restored == (TASKS,)
    assert git(repo, "show", f"{built.commit}:{TASKS}") == "- [ ] T001"


def test_a_kept_file_that_the_tip_does_not_have_does_not_come(repo, tmp_path):
    git(repo, "rm", "-q", TASKS)
    git(repo, "commit", "-q", "-m", "none yet")
    built = built_of(repo, tmp_path, branch(repo, "one", {TASKS: "mine\n", "new.txt": "n\n"}))
    assert built.restored == (TASKS,)
    assert git(repo, "ls-tree", "-r", "--name-only", built.commit).split() == ["a.txt", "new.txt"]


def test_a_conflict_in_a_kept_file_is_none(repo, tmp_path):
    head = branch(repo, "one", {TASKS: "- [x] T001 by the agent\n", "new.txt": "n\n"})
    commit_files(repo, {TASKS: "- [x] T001 by evidence\n"})
    built = built_of(repo, tmp_path, head)
    assert (built.conflict, built.restored) == (None, (TASKS,))
    assert git(repo, "show", f"{built.commit}:{TASKS}") == "- [x] T001 by evidence"


def test_a_conflict_beside_it_is_one_all_the_same(repo, tmp_path):
    head = branch(repo, "one", {TASKS: "- [x] mine\n", "a.txt": "mine\n"})
    commit_files(repo, {TASKS: "- [x] theirs\n", "a.txt": "theirs\n"})
    built = built_of(repo, tmp_path, head)
    assert built.conflict is not None
    assert "a.txt" in built.conflict.paths


def test_a_branch_that_left_it_alone_is_merged_as_ever(repo, tmp_path):
    head = branch(repo, "one", {"new.txt": "n\n"})
    plain = build(inputs(repo, head), tmp_path)
    assert built_of(repo, tmp_path, head) == plain
    assert plain.restored == ()
