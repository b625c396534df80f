"""git killed in the middle of a publication, 200 times: completed or taken back, the user's untouched."""

from __future__ import annotations

import random
import time
import uuid
from pathlib import Path

import pytest
from publishing import Publisher, is_git, kill

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import Published, PublishInputs
from toryo.workbench.git.publish import publish
from waiting import eventually

pytestmark = pytest.mark.long

SEEDS = (11, 12, 13, 14)
KILLS = 50
"""Of each seed."""
ODD = ('odd "quoted".txt', "odd new\nline", "-odd", "odd \u00fc", "odd u\u0308", "odd \udcff", "Odd", "oDD")
MINE = {
    "mine.txt": b"\x00mine\r\n",
    "staged.txt": b"staged",
    "many/3/untracked": b"u",
    "many/3/i.ign": b"i",
    "odd/mine": b"m",
}


def landings(repo: Path) -> list[str]:
    """Trees unlike each other: many files, few, large ones, odd names, other kinds at the same paths."""
    trees = [
        {f"many/{n % 20}/{n}.txt": f"x {n}\n" * (n % 300 + 1) for n in range(120)},
        {f"many/{n % 20}/{n}.txt": f"y {n}\n" * (n % 300 + 1) for n in range(50, 170)},
        {"one.txt": "one\n"},
        {"large.bin": "0123456789abcdef" * 60_000, "large.txt": "a line\n" * 50_000, "empty": ""},
        {f"odd/{name}": f"odd {n}\n" * 500 for n, name in enumerate(ODD)} | {"swap/a/b": "deep\n"},
        {f"crlf/{n}.crlf": "line\n" * 200 for n in range(60)} | {"swap": "a file\n"},
    ]
    return [_tree(repo, number, files) for number, files in enumerate(trees)]


def _tree(repo: Path, number: int, files: dict[str, str]) -> str:
    git(
        repo, "rm", "-q", "-r", "--ignore-unmatch", "--", "many", "one.txt", "large.bin", "large.txt", "empty"
    )
    git(repo, "rm", "-q", "-r", "--ignore-unmatch", "--", "odd", "swap", "crlf", "run", "link")
    (repo / "run").write_text("#!/bin/sh\n")
    (repo / "run").chmod(0o755 if number % 2 else 0o644)
    if number % 3 == 0:
        (repo / "link").symlink_to("nowhere" if number else "/etc")
    elif number % 3 == 1:
        (repo / "link").write_text("no link\n")
    return git(repo, "rev-parse", commit_files(repo, files, f"tree {number}") + "^{tree}")


class Campaign:
    """Landings on a checkout in which the user has files of every kind; each one's git is killed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        files = {"mine.txt": "m\n", "staged.txt": "s\n", ".gitignore": "*.ign\n"}
        self.repo = make_repository(folder / "repo", files | {".gitattributes": "*.crlf text eol=crlf\n"})
        self.trees = landings(self.repo)
        (self.repo / "mine.txt").write_text("stashed\n")
        git(self.repo, "stash", "-q")
        self.lay_out()
        self.publisher = Publisher(folder / "publish.json")
        self.tip = git(self.repo, "rev-parse", "main")
        self.tree = self.trees[-1]
        self.theirs = self.seen()
        self.lasts_s = 0.03
        self.kills = {"git": 0, "before the branch moved": 0, "with its lock held": 0}

    def lay_out(self) -> None:
        """The user's own files."""
        for name, content in MINE.items():
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / name).write_bytes(content)
        git(self.repo, "add", "staged.txt")

    def dirty(self) -> set[str]:
        return set(git(self.repo, "status", "--porcelain", "--untracked-files=all").splitlines())

    def seen(self) -> tuple[object, ...]:
        """All that is the user's."""
        mine = [((self.repo / name).read_bytes(), (self.repo / name).stat().st_mode) for name in MINE]
        status = git(self.repo, "status", "--porcelain=v2", "--ignored", "--untracked-files=all")
        return mine, status, git(self.repo, "stash", "list"), git(self.repo, "symbolic-ref", "HEAD")

    def next_landing(self) -> PublishInputs:
        self.tree = self.chance.choice([tree for tree in self.trees if tree != self.tree])
        # never the same commit twice: one on which the branch stood before was taken back by a person
        words = f"landing {uuid.uuid4()}"
        new = git(self.repo, "commit-tree", self.tree, "-p", self.tip, "-m", words)
        return PublishInputs(repo=str(self.repo), target="main", old=self.tip, new=new)

    def kill_in_the_middle(self, inputs: PublishInputs, alone: bool = True) -> None:
        """Both git and the publisher, or git alone, at any moment of what they do."""
        child, entry = self.publisher.begin(inputs)
        time.sleep(self.chance.uniform(0, self.lasts_s))  # the moment of the kill is what varies
        victims = [entry.pid] if alone and self.chance.random() < 0.3 else [child, entry.pid]
        is_real = is_git(entry.pid)
        locked = (self.repo / ".git/index.lock").exists()
        for pid in victims:
            kill(pid)
        self.publisher.end()
        eventually(lambda: not entry.git_lives(), what="git's end")
        # too late too often: aim earlier; under load everything takes longer
        self.lasts_s = min(self.lasts_s * 1.05, 0.5) if is_real else max(self.lasts_s * 0.8, 0.002)
        self.kills["git"] += is_real
        self.kills["with its lock held"] += is_real and locked
        self.kills["before the branch moved"] += is_real and self.branch() == inputs.old

    def remove_locks(self) -> None:
        """As git itself tells a user who finds one that was left behind."""
        for name in ("index", "HEAD", "ORIG_HEAD", "refs/heads/main"):
            (self.repo / f".git/{name}.lock").unlink(missing_ok=True)

    def branch(self) -> str:
        return (self.repo / ".git/refs/heads/main").read_text().strip()


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_publication_killed_at_any_moment_ends_published_with_every_byte_of_the_user(tmp_path, seed):
    campaign = Campaign(tmp_path, seed)
    with campaign.publisher.process as process:
        for number in range(4 * KILLS):
            inputs = campaign.next_landing()
            campaign.kill_in_the_middle(inputs)
            answer = publish.publish(inputs, campaign.publisher.journal)
            assert isinstance(answer, Published), (number, answer)
            assert answer.published, (number, answer)
            assert campaign.branch() == inputs.new
            assert campaign.seen() == campaign.theirs, number
            campaign.tip = inputs.new
            if campaign.kills["git"] == KILLS:
                break
        process.stdin.close()
    assert campaign.kills["git"] == KILLS
    # how many of the kills come so early depends on what else the machine does
    assert campaign.kills["before the branch moved"] >= KILLS // 4, campaign.kills
    assert campaign.kills["with its lock held"] >= KILLS // 5, campaign.kills


ACTS = {
    "commits": ("commit", "-q", "-m", "mine", "--only", "--", "staged.txt"),
    "switches": ("switch", "-q", "-c", "feature"),
    "resets": ("reset", "-q", "--hard"),
}
WIPED = {"commits": {"staged.txt"}, "switches": set(), "resets": {"staged.txt", "mine.txt"}}
"""What the act itself takes out of the user's status."""
ROUNDS = 6


@pytest.mark.slow
@pytest.mark.parametrize("what", ACTS)
def test_a_user_who_goes_on_after_a_kill_finds_nothing_half_done(tmp_path, what):
    campaign = Campaign(tmp_path, 15)
    begin, mine, rounds = campaign.tip, campaign.dirty(), 0
    with campaign.publisher.process as process:
        while rounds < ROUNDS and campaign.kills["git"] < 10 * ROUNDS:
            inputs = campaign.next_landing()
            campaign.kill_in_the_middle(inputs, alone=False)
            is_half = campaign.branch() == begin and campaign.dirty() != mine
            if is_half:
                campaign.remove_locks()
                git(campaign.repo, *ACTS[what])
            answer = publish.publish(inputs, campaign.publisher.journal)
            if is_half:
                rounds += 1
                assert isinstance(answer, Published), answer
                assert (answer.published, answer.diverged) == (what != "commits", what == "commits")
                assert campaign.dirty() == {line for line in mine if line[3:] not in WIPED[what]}
            git(campaign.repo, "checkout", "-q", "-f", "-B", "main", begin)
            git(campaign.repo, "branch", "-q", "-f", "feature")
            git(campaign.repo, "branch", "-q", "-D", "feature")
            campaign.lay_out()
        process.stdin.close()
    assert rounds == ROUNDS
