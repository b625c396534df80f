"""A user's checkout with a landing beside it, not yet published; and a manifest of all that is theirs."""

from __future__ import annotations

import os
from pathlib import Path

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import Published, PublishInputs, PublishWaiting
from toryo.workbench.git.publish import publish

FIRST = {"a.txt": "a\n", "b.txt": "b\n", "gone.txt": "gone\n", "dir/c.txt": "c\n", ".gitignore": "*.ign\n"}
OURS = ("objects", "toryo", "index")
"""In the git directory: what we may add, and the index, whose entries are compared instead of its bytes."""

Manifest = dict[str, tuple[str, bytes]]


class Desk:
    """A user's repository with `main` checked out, and a landing beside it that is not yet published."""

    def __init__(self, folder: Path) -> None:
        self.repo = make_repository(folder / "repo", FIRST)
        self.checkout = self.repo
        self.journal = folder / "home" / "publish.json"
        self.old = git(self.repo, "rev-parse", "main")
        self.new = self.landing(
            {"a.txt": "landed\n", "new/n.txt": "n\n", "x.ign": "landed\n"}, delete="gone.txt"
        )

    def landing(self, files: dict[str, str], delete: str = "", onto: str = "main") -> str:
        """A commit that changes these files, made without touching the checkout."""
        side = self.repo.parent / "side"
        git(self.repo, "worktree", "add", "-q", "--detach", str(side), onto)
        for name in files:
            for above in (side / name).parents:
                if above.is_file():
                    above.unlink()
        if delete:
            git(side, "rm", "-q", "-r", delete)
        commit = commit_files(side, files, "landing")
        git(self.repo, "worktree", "remove", "--force", str(side))
        return commit

    def publish(self, old: str = "", new: str = "") -> Published | PublishWaiting:
        inputs = PublishInputs(repo=str(self.repo), target="main", old=old or self.old, new=new or self.new)
        return publish.publish(inputs, self.journal)

    def branch(self) -> str:
        return git(self.repo, "rev-parse", "refs/heads/main")

    def is_published(self) -> bool:
        answer = self.publish()
        return isinstance(answer, Published) and answer.published and self.branch() == self.new

    def waits(self) -> tuple[str, tuple[str, ...]]:
        """Why it waits; a waiting publication has moved and written nothing, and names the right checkout."""
        before = manifest(self.repo)
        answer = self.publish()
        assert isinstance(answer, PublishWaiting), answer
        assert changed(before, manifest(self.repo)) == set()
        assert answer.checkout == str(self.checkout)
        assert not self.journal.exists()
        return answer.why, answer.paths

    def diverges(self) -> str:
        """Where a person moved the target; it is told, and nothing is written."""
        before = manifest(self.repo)
        answer = self.publish()
        assert isinstance(answer, Published)
        assert answer.diverged
        assert not answer.published
        assert changed(before, manifest(self.repo)) == set()
        return answer.found


def files_of(root: Path) -> dict[str, bytes | str]:
    """Every file of a checkout, links by what they name."""
    return {
        name: f"-> {os.fsdecode(content)}" if kind == "link" else content
        for name, (kind, content) in _below(root).items()
        if not name.startswith(".git/")
    }


def manifest(repo: Path) -> Manifest:
    """All that is the user's: every file with its mode, every ref, reflog, setting and state of an operation,
    every entry of the index with its flags, the stash."""
    found = {
        name: seen
        for name, seen in _below(repo).items()
        if not (name.startswith(".git/") and name.split("/")[1] in OURS)
        and not name.startswith((".git/refs/toryo/", ".git/logs/refs/toryo/"))
    }
    for question in (
        ("ls-files", "-s", "-v", "-z"),
        ("stash", "list"),
        ("for-each-ref", "refs/heads", "refs/tags"),
    ):
        found["? " + " ".join(question)] = ("answer", git(repo, *question).encode("utf-8", "surrogateescape"))
    return found


def changed(before: Manifest, after: Manifest) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def _below(root: Path) -> Manifest:
    found: Manifest = {}
    for folder, folders, files in os.walk(root):
        for name in (*files, *folders):
            path = Path(folder) / name
            inside = str(path.relative_to(root))
            if path.is_symlink():
                found[inside] = ("link", os.fsencode(path.readlink()))
            elif path.is_file():
                found[inside] = (oct(path.stat().st_mode), path.read_bytes())
    return found
