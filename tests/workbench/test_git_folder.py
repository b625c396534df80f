"""A folder of a branch is read as its commit has it; what a person has not committed is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.protocol.asks import FolderRead
from toryo.workbench.git.inspect.folder import Folder, read

SPEC, TASKS = "specs/001-x/spec.md", "specs/001-x/tasks.md"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {SPEC: "# X\n", TASKS: "- [ ] T001 a\n", "a.txt": "a\n"})


def folder(repo: Path, branch: str = "main", path: str = "specs/001-x") -> Folder:
    names = ("spec.md", "plan.md", "tasks.md")
    return read(FolderRead(repo=str(repo), branch=branch, folder=path, names=names))


def test_the_files_are_those_of_the_branch_and_no_others(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "other")
    commit_files(repo, {SPEC: "# Other\n"})
    assert folder(repo) == Folder({"spec.md": "# X\n", "tasks.md": "- [ ] T001 a\n"})
    assert folder(repo, "other").files["spec.md"] == "# Other\n"


@pytest.mark.parametrize("staged", [False, True])
def test_a_changed_or_new_file_is_named_as_not_committed(repo: Path, staged: bool) -> None:
    (repo / TASKS).write_text("- [x] T001 a\n")
    (repo / "specs/001-x/plan.md").write_text("# Plan\n")
    (repo / "a.txt").write_text("somebody else's matter\n")
    if staged:
        git(repo, "add", "-A")
    found = folder(repo)
    assert set(found.uncommitted) == {"plan.md", "tasks.md"}
    assert found.files["tasks.md"] == "- [ ] T001 a\n"


def test_a_folder_or_branch_that_is_not_there_holds_nothing(repo: Path) -> None:
    assert folder(repo, path="specs/nowhere") == folder(repo, "nobranch", "specs/no") == Folder({})
