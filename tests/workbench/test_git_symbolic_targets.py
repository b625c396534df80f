"""A target that is another name of a branch: the checkout of that branch is the one to publish into."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import Published, PublishInputs
from toryo.workbench.git.publish import publish


@pytest.mark.parametrize("packed", [False, True])
def test_a_landing_on_another_name_arrives_in_the_checkout_of_the_branch(
    tmp_path: Path, *, packed: bool
) -> None:
    repo = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    old = git(repo, "rev-parse", "main")
    git(repo, "checkout", "-q", "-b", "side")
    new = commit_files(repo, {"a.txt": "landed\n"}, "landing")
    git(repo, "checkout", "-q", "main")
    git(repo, "symbolic-ref", "refs/heads/trunk", "refs/heads/main")
    if packed:
        git(repo, "pack-refs", "--all")
    inputs = PublishInputs(repo=str(repo), target="trunk", old=old, new=new)
    answer = publish.publish(inputs, tmp_path / "journal.json")
    assert isinstance(answer, Published)
    assert answer.published
    assert git(repo, "rev-parse", "main") == new
    assert (repo / "a.txt").read_text() == "landed\n"
    assert git(repo, "status", "--porcelain") == ""
