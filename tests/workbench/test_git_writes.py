"""Commits of files that no agent makes: on the tip, the same each time, and nothing of anybody's lost."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.files import WriteInputs, Written, WrittenFile
from toryo.protocol.kinds.landing import CandidateInputs, Head
from toryo.workbench.git.landing import candidates, writes

SPEC = "specs/SPEC-1/spec.md"
TASKS = "specs/SPEC-1/tasks.md"
TEXTS: dict[str, str] = {}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": "a\n", SPEC: "old\n"})


def blob(text: str) -> str:
    name = hashlib.sha256(text.encode()).hexdigest()
    TEXTS[name] = text
    return name


def inputs(repo: Path, files: dict[str, str | None]) -> WriteInputs:
    return WriteInputs(
        repo=str(repo),
        base=git(repo, "rev-parse", "main"),
        files=tuple(
            WrittenFile(path=path, blob="" if text is None else blob(text)) for path, text in files.items()
        ),
        message="docs: the spec\n\nToryo-Mission: n1\n",
        date="2031-02-03T04:05:06Z",
        landing="l1",
    )


def write(repo: Path, files: dict[str, str | None], tmp_path: Path) -> Written:
    return writes.write(inputs(repo, files), tmp_path / "benches", TEXTS.__getitem__)


def test_files_are_written_onto_the_tip_by_one_commit_and_nothing_is_checked_out(repo, tmp_path):
    made = write(repo, {SPEC: "new\n", TASKS: "- [ ] T001 é\n"}, tmp_path)
    assert (made.problem, made.changed) == (None, True)
    assert git(repo, "show", f"{made.commit}:{SPEC}") == "new"
    assert git(repo, "show", f"{made.commit}:{TASKS}") == "- [ ] T001 é"
    assert git(repo, "show", f"{made.commit}:a.txt") == "a"
    told = git(repo, "show", "-s", "--format=%P %an %ct", made.commit)
    assert told == f"{git(repo, 'rev-parse', 'main')} Toryo 1927857906"
    assert git(repo, "rev-parse", f"refs/toryo/candidates/{made.commit}") == made.commit
    assert git(repo, "status", "--porcelain") == ""


def test_the_same_order_makes_the_same_commit_and_a_moved_tip_another_one(repo, tmp_path):
    first = write(repo, {SPEC: "new\n"}, tmp_path)
    assert write(repo, {SPEC: "new\n"}, tmp_path) == first
    commit_files(repo, {"b.txt": "b\n"})
    again = write(repo, {SPEC: "new\n"}, tmp_path)
    assert again.commit != first.commit
    assert git(repo, "show", f"{again.commit}:b.txt") == "b"


def test_a_base_that_holds_just_these_files_needs_no_commit(repo, tmp_path):
    made = write(repo, {SPEC: "old\n", "gone.md": None}, tmp_path)
    tip, tree = git(repo, "rev-parse", "main"), git(repo, "rev-parse", "main^{tree}")
    assert made == Written(commit=tip, tree=tree, changed=False)


def test_an_empty_blob_takes_the_file_away(repo, tmp_path):
    made = write(repo, {SPEC: None}, tmp_path)
    assert git(repo, "ls-tree", "-r", "--name-only", made.commit).split() == ["a.txt"]


def test_the_bases_filters_are_honoured_and_an_executable_file_stays_one(repo, tmp_path):
    git(repo, "config", "filter.loud.clean", "tr a-z A-Z")
    commit_files(repo, {"specs/.gitattributes": "*.md filter=loud\n"})
    git(repo, "update-index", "--chmod=+x", "a.txt")
    git(repo, "commit", "-q", "-m", "mode")
    made = write(repo, {SPEC: "quiet\n", "a.txt": "b\n"}, tmp_path)
    assert git(repo, "show", f"{made.commit}:{SPEC}") == "QUIET"
    assert git(repo, "ls-tree", made.commit, "a.txt").split()[0] == "100755"


@pytest.mark.parametrize(
    "path", ["../out.md", "/etc/x", "a//b", ".git/config", "sub/.GIT/hooks/x", ".toryo/config.yaml", ""]
)
def test_a_path_outside_the_repository_or_in_its_settings_is_refused(repo, tmp_path, path):
    made = write(repo, {path: "x"}, tmp_path)
    assert made.problem is not None
    assert made.problem.code == "bad_path"


@pytest.mark.parametrize("path", ["a.txt/spec.md", "specs/SPEC-1"])
def test_another_file_in_the_way_is_named_and_never_taken_away(repo, tmp_path, path):
    made = write(repo, {path: "x"}, tmp_path)
    assert made.problem is not None
    assert made.problem.code == "path_taken"


def test_what_is_not_in_the_hub_is_a_problem_never_an_exception(repo, tmp_path):
    order = inputs(repo, {SPEC: "x"})
    for changed, code in (
        ({"base": "f" * 40}, "unknown_commit"),
        ({"repo": str(tmp_path / "nowhere")}, "no_repository"),
    ):
        told = writes.write(order.model_copy(update=changed), tmp_path / "benches", TEXTS.__getitem__)
        assert told.problem is not None
        assert told.problem.code == code


def test_what_was_written_on_the_tip_is_the_candidate_itself_and_elsewhere_is_stale(repo, tmp_path):
    made = write(repo, {SPEC: "new\n"}, tmp_path)
    tip = git(repo, "rev-parse", "main")
    git(repo, "update-ref", "refs/toryo/tips/main", tip)
    order = CandidateInputs(
        repo=str(repo),
        target="main",
        tip=tip,
        heads=(Head(task="", branch="main", commit=made.commit),),
        message="unused",
        date="2031-02-03T04:05:06Z",
        linear=True,
    )
    built = candidates.build(order, tmp_path / "benches")
    assert (built.problem, built.commit, built.tree) == (None, made.commit, made.tree)
    moved = commit_files(repo, {"b.txt": "b\n"})
    git(repo, "update-ref", "refs/toryo/tips/main", moved)
    assert candidates.build(order.model_copy(update={"tip": moved}), tmp_path / "benches").stale == moved
