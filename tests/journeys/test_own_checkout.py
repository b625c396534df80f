"""The user works on in their own checkout, in every state that git knows, while tasks land on its branch."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from house import House

from repositories import commit_files, git
from waiting import eventually

MakeHouse = Callable[..., House]
FILES = {"a.txt": "old\n", "b.txt": "b\n", "c.txt": "c\n", ".gitignore": "*.ign\n"}
WORK = "cp -R $0.files/. . && git add -A -f && git commit -qm work"
OURS = ("! .aiagent/", "! .worktrees/")
"""Directories of Toryo's own, which git is told to ignore."""
WAITS = "landing waiting_for_checkout"


class Checkout:
    """A house whose user has the target checked out; the agent brings the files that a test laid out."""

    def __init__(self, make_house: MakeHouse) -> None:
        self.house = make_house(FILES, branch="main")
        self.repo = self.house.repo
        script = self.house.agent(WORK)
        self.files = Path(f"{script}.files")
        git(self.repo, "add", ".toryo")
        git(self.repo, "commit", "-qm", "settings")

    def land(self, **files: str) -> str:
        """A task that brings these files (a double underscore stands for the dot)."""
        subprocess.run(["rm", "-rf", str(self.files)], check=True)
        for name, text in files.items():
            path = self.files / name.replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return self.house.add("Land " + ", ".join(files))

    def seen(self) -> set[object]:
        """All that is the user's: files with their modes, index, refs, stash, HEAD, what is in progress."""
        theirs = [
            place for place in self.repo.iterdir() if place.name not in (".git", ".worktrees", ".aiagent")
        ]
        files = {
            str(path.relative_to(self.repo)): (path.lstat().st_mode, path.read_bytes())
            for place in theirs
            for path in (place, *place.rglob("*"))
            if path.is_file()
        }
        status = ("status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored=matching")
        questions = (
            ("ls-files", "-s", "-v"),
            ("for-each-ref", "refs/heads/main", "refs/heads/side", "refs/stash"),
            status,
        )
        told = [git(self.repo, *question) for question in questions]
        # for a moment there whenever we let one of our own refs go
        passing = {"worktrees", "packed-refs.lock"}
        states = {path.name for path in (self.repo / ".git").iterdir()} - passing
        lines = [line for text in told for line in text.splitlines()]
        return {line for line in lines if not line.startswith(OURS)} | states | set(files.items())

    @contextmanager
    def waiting(self, task: str, *words: str) -> Iterator[None]:
        """It waits with these words, wherever a person looks, and nothing of the user's is touched."""
        before = self.seen()
        eventually(lambda: self.house.state(task) == WAITS, within_s=60, what=f"{task} waits")
        told = [self.house.ok("status"), self.house.ok("task", "show", task)]
        needs = self.house.read("status")["needs_you"][0]
        assert needs["task"] == task
        for word in words:
            assert word in needs["why"], needs
        assert str(self.repo) in needs["why"]
        assert all(f"git -C {self.repo}" in text for text in told), told
        assert self.seen() ^ before == set()
        yield
        assert self.house.rest(task) == 0, self.house.story(task)


@pytest.fixture
def checkout(make_house: MakeHouse) -> Checkout:
    return Checkout(make_house)


def test_dirty_untracked_and_ignored_paths_are_waited_for_inside_the_landing_only(checkout: Checkout) -> None:
    repo = checkout.repo
    for name in ("b.txt", "loose.txt", "kept.ign"):
        (repo / name).write_text(f"mine: {name}\n")
    (repo / "c.txt").write_text("staged\n")
    git(repo, "add", "c.txt")
    (repo / "new.txt").write_text("mine\n")
    (repo / "x.ign").write_text("mine\n")
    (repo / "a.txt").write_text("mine\n")
    task = checkout.land(a__txt="new\n", new__txt="new\n", x__ign="new\n")
    with checkout.waiting(task, "commit or stash", "a.txt, new.txt, x.ign"):
        git(repo, "checkout", "-q", "a.txt")
        (repo / "new.txt").rename(repo / "mine-new.txt")
        (repo / "x.ign").rename(repo / "mine-x.ign")
    assert [(repo / name).read_text() for name in ("a.txt", "new.txt", "x.ign")] == ["new\n"] * 3
    assert [(repo / name).read_text() for name in ("mine-new.txt", "mine-x.ign")] == ["mine\n"] * 2
    mine = {
        "b.txt": "mine: b.txt\n",
        "loose.txt": "mine: loose.txt\n",
        "kept.ign": "mine: kept.ign\n",
        "c.txt": "staged\n",
    }
    assert {name: (repo / name).read_text() for name in mine} == mine
    assert git(repo, "diff", "--cached", "--name-only") == "c.txt"


def test_operations_in_progress_are_waited_for_one_after_the_other(checkout: Checkout) -> None:
    repo = checkout.repo
    git(repo, "checkout", "-q", "-b", "side")
    commit_files(repo, {"b.txt": "side\n"})
    git(repo, "checkout", "-q", "main")
    for number, (word, verb, end) in enumerate(
        (
            ("merge", ("merge", "-q", "side"), ("merge", "--abort")),
            ("cherry-pick", ("cherry-pick", "side"), ("cherry-pick", "--abort")),
            ("rebase", ("rebase", "-q", "side"), ("rebase", "--abort")),
        )
    ):
        commit_files(repo, {"b.txt": f"main {number}\n"})
        assert subprocess.run(["git", *verb], cwd=repo, capture_output=True, check=False).returncode != 0
        with checkout.waiting(checkout.land(a__txt=f"{word}\n"), f"finish the {word} in"):
            git(repo, *end)
        assert (repo / "a.txt").read_text() == f"{word}\n"
    git(repo, "bisect", "start", "HEAD", "HEAD~3")
    with checkout.waiting(checkout.land(a__txt="bisect\n"), "finish the bisect in"):
        git(repo, "bisect", "reset")
    (repo / ".git/index.lock").touch()
    with checkout.waiting(checkout.land(a__txt="lock\n"), "index.lock"):
        (repo / ".git/index.lock").unlink()
    assert (repo / "a.txt").read_text() == "lock\n"
    assert git(repo, "status", "--porcelain") == ""
    assert checkout.house.recomputed() == []


HOLD = """#!/bin/sh
[ $1 = prepared ] || exit 0
case $(cat) in *refs/heads/mine*) touch {marks}/held; while [ ! -e {marks}/free ]; do sleep 0.02; done;; esac
"""


def test_a_switch_that_hangs_is_named_and_takes_nothing_of_the_landing_along(
    checkout: Checkout, tmp_path: Path
) -> None:
    repo, house = checkout.repo, checkout.house
    before = git(repo, "rev-parse", "main")
    hook = repo / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOLD.format(marks=tmp_path))
    hook.chmod(0o755)
    with subprocess.Popen(["git", "switch", "-q", "-c", "mine"], cwd=repo) as switch:
        try:
            eventually((tmp_path / "held").exists, what="the user's switch")
            task = checkout.land(a__txt="landed\n")
            eventually(lambda: house.state(task) == WAITS, within_s=60, what=f"{task} waits")
            assert "git switch is at work in" in house.read("status")["needs_you"][0]["why"]
        finally:
            (tmp_path / "free").touch()
        assert switch.wait(60) == 0
    assert house.rest(task) == 0, house.story(task)
    assert git(repo, "symbolic-ref", "HEAD") == "refs/heads/mine"
    assert git(repo, "rev-parse", "HEAD") == before != git(repo, "rev-parse", "main")
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / "a.txt").read_text() == "old\n"


def test_another_branch_and_a_detached_head_are_left_alone(checkout: Checkout) -> None:
    repo, house = checkout.repo, checkout.house
    for argv in (("checkout", "-q", "-b", "side"), ("checkout", "-q", "--detach", "side")):
        git(repo, *argv)
        (repo / "a.txt").write_text("mine\n")
        main, before = git(repo, "for-each-ref", "refs/heads/main"), checkout.seen()
        task = checkout.land(a__txt=f"{argv}\n")
        assert house.rest(task) == 0, house.story(task)
        assert house.text_on("a.txt") == f"{argv}"
        assert checkout.seen() ^ before == {main, git(repo, "for-each-ref", "refs/heads/main")}


def test_a_linked_worktree_that_holds_the_target_is_the_directory_that_people_are_told(
    checkout: Checkout,
) -> None:
    house, linked = checkout.house, checkout.house.root / "linked one"
    git(checkout.repo, "checkout", "-q", "-b", "side")
    git(checkout.repo, "worktree", "add", "-q", str(linked), "main")
    (linked / "a.txt").write_text("mine\n")
    task = checkout.land(a__txt="new\n")
    eventually(lambda: house.state(task) == WAITS, within_s=60, what=f"{task} waits")
    line = f"git -C '{linked}' stash push -- a.txt"
    assert line in house.ok("task", "show", task)
    assert line in house.ok("status")
    assert line in house.toryo("task", "wait", task, "--timeout", "1").stderr
    assert (linked / "a.txt").read_text() == "mine\n"
    subprocess.run(["sh", "-c", line], check=True, capture_output=True)
    assert house.rest(task) == 0, house.story(task)
    assert ((linked / "a.txt").read_text(), (checkout.repo / "a.txt").read_text()) == ("new\n", "old\n")


def rested(house: House, task: str) -> str:
    """Its state once only a person can move it on."""
    states = ("needs_review", "blocked", "failed", "done")
    return eventually(
        lambda: (seen := house.state(task)).startswith(states) and "gate" not in seen and seen, within_s=60
    )


def test_an_amended_a_rewound_and_an_advanced_target_keep_what_the_person_did(checkout: Checkout) -> None:
    repo, house = checkout.repo, checkout.house
    (repo / "a.txt").write_text("mine\n")
    task = checkout.land(a__txt="ahead\n")
    eventually(lambda: house.state(task) == WAITS, within_s=60, what="it waits")
    (repo / "mine.txt").write_text("mine\n")
    git(repo, "add", "mine.txt")
    git(repo, "commit", "-qm", "mine")  # ahead of what was published
    git(repo, "checkout", "-q", "a.txt")
    assert house.rest(task) == 0, house.story(task)
    assert ((repo / "a.txt").read_text(), (repo / "mine.txt").read_text()) == ("ahead\n", "mine\n")
    for what in (("reset", "-q", "--hard", "HEAD~1"), ("commit", "-q", "--amend", "-m", "amended")):
        git(repo, *what)
        before = checkout.seen()
        task = checkout.land(b__txt=f"{what[0]}\n")
        assert "target_rewound" in rested(house, task), house.story(task)
        assert checkout.seen() ^ before == set()
        house.ok("task", "approve", task)
        assert house.rest(task) == 0, house.story(task)
        assert (repo / "b.txt").read_text() == f"{what[0]}\n"
        assert git(repo, "status", "--porcelain") == ""
    assert house.recomputed() == []
