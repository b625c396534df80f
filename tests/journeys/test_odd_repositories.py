"""Repositories of another format, of another owner, with settings that cannot be read, long and wide ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House

from repositories import commit_files, git
from waiting import eventually

pytestmark = pytest.mark.long

MakeHouse = Callable[..., House]
WORK = "echo new > a.txt; echo draft > draft.txt; git add a.txt; git commit -qm work"


def goes_the_whole_way(house: House) -> str:
    """A task lands in the user's own checkout, and what its agent left can be had back."""
    house.agent(WORK)
    task = house.add("Change a")
    assert house.rest(task) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"
    house.ok("restore", task, "--to", str(house.root / "back"))
    assert (house.root / "back" / "draft.txt").read_text() == "draft\n"
    eventually(lambda: not list((house.repo / ".worktrees").glob("change-a*")), within_s=30, what="cleaned")
    assert house.recomputed() == []
    return task


def test_a_repository_with_sha256_ids_goes_the_whole_way(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n", "Makefile": "test:\n\tgit log -1\n"}, branch="main", init=False)
    shutil.rmtree(house.repo / ".git")
    git(house.repo, "init", "-q", "-b", "main", "--object-format=sha256")
    git(house.repo, "config", "user.name", "Some One")
    git(house.repo, "config", "user.email", "some.one@localhost")
    commit_files(house.repo, {})
    house.ok("init", "--yes", "--base", "main")
    task = goes_the_whole_way(house)
    assert len(house.task(task)["landed_commit"]) == 64


def test_a_repository_whose_refs_toryo_cannot_read_is_refused_in_words(make_house: MakeHouse) -> None:
    house = make_house(init=False)
    git(house.repo, "config", "core.repositoryFormatVersion", "1")
    git(house.repo, "config", "extensions.refStorage", "reftable")
    done = house.toryo("init", "--yes")
    assert done.returncode == 1
    assert "unknown repository extension" in done.stderr or "reftable" in done.stderr
    assert "git init" not in done.stderr
    assert not (house.repo / ".toryo").exists()


def test_settings_that_git_cannot_read_are_told_with_their_file_and_line(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    broken = Path(house.env["HOME"]) / "more"
    (Path(house.env["HOME"]) / ".gitconfig").write_text("[include]\n\tpath = more\n")
    broken.write_text("[core\n")
    done = house.toryo("init", "--yes")
    assert done.returncode == 1
    assert f"bad config line 1 in file {broken}" in done.stderr
    assert "git init" not in done.stderr
    broken.write_text("")
    house.ok("init", "--yes", "--base", "main")
    house.agent(WORK)
    task = house.add("Change a", "--hold")
    broken.write_text("[core\n")
    house.ok("task", "approve", task)
    assert house.rest(task) == 1
    assert "bad config line 1" in house.task(task)["detail"], house.story(task)
    broken.write_text("")
    house.ok("task", "retry", task)
    assert house.rest(task) == 0, house.story(task)
    assert "target_missing" not in house.ok("events", "--json")


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_is_refused_until_it_is_trusted(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    for path in (house.repo, *house.repo.rglob("*")):
        os.chown(path, 12345, 12345, follow_symlinks=False)
    done = house.toryo("init", "--yes")
    assert done.returncode == 1
    assert f"git config --global --add safe.directory {house.repo}" in done.stderr
    line = ["git", "config", "--global", "--add", "safe.directory", str(house.repo)]
    subprocess.run(line, env=house.env, check=True)
    house.ok("init", "--yes", "--base", "main")
    trusted = ["git", "config", "--global", "--add", "safe.directory", str(house.repo)]
    subprocess.run(trusted, check=True)  # for this test's own git
    goes_the_whole_way(house)


def test_a_history_of_a_thousand_commits_goes_the_whole_way(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    stream = [
        f"commit refs/heads/main\ncommitter A <a@localhost> {10**9 + n} +0000\ndata 1\n{n % 10}\n"
        for n in range(1000)
    ]
    stream[0] += f"from {git(house.repo, 'rev-parse', 'main')}\n"
    text = "".join(one + f"M 644 inline f{n % 50}\ndata 5\n{n:05d}\n" for n, one in enumerate(stream))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=house.repo, input=text.encode(), check=True)
    git(house.repo, "reset", "-q", "--hard")
    began = time.monotonic()
    house.ok("init", "--yes", "--base", "main")
    goes_the_whole_way(house)
    print(f"1,000 commits: {time.monotonic() - began:.1f} s")
    assert git(house.repo, "rev-list", "--count", "main") == "1003"


@pytest.mark.slow
def test_a_tree_of_twenty_thousand_files_goes_the_whole_way(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    text = "commit refs/heads/main\ncommitter A <a@localhost> 1000000000 +0000\ndata 1\nx\n"
    text += f"from {git(house.repo, 'rev-parse', 'main')}\n"
    text += "".join(f"M 644 inline d{n % 200}/f{n}\ndata 5\n{n:05d}\n" for n in range(20_000))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=house.repo, input=text.encode(), check=True)
    git(house.repo, "reset", "-q", "--hard")
    began = time.monotonic()
    house.ok("init", "--yes", "--base", "main")
    goes_the_whole_way(house)
    print(f"20,000 files: {time.monotonic() - began:.1f} s")
    assert len(house.files_on()) == 20_001
