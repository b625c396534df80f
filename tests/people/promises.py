"""What holds whatever a person does: the model of their commits and edits, and what does not hold, in words.

The reflog of main tells every move of it in order, and by whom: what a person removed follows from theirs.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ground import Ground

ZERO = "0" * 40
MAIN = "refs/heads/main"


class Promises:
    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.removed: set[str] = set()
        """Commits that the person took off main."""
        self.made: set[str] = set()
        """Commits of the person's."""
        self.dropped: set[str] = set()
        """Of those: what they took off every branch themselves."""
        self.edits: dict[str, str] = {}
        """Word → where the person wrote it without a commit."""
        self.asked_at: dict[str, str] = {}
        """Task → where main was when it was added."""
        self.accepted: set[str] = set()
        """Every commit that Toryo took over or accepted: from then on it is kept."""
        self.was_on_main: set[str] = set()
        self._waiting: set[str] = set()
        """Tasks that had not begun at the last look, and waited for others of which nothing was accepted."""
        self.with_it: dict[str, set[str]] = {}
        """Task → what the person committed on main while its checks stood still: it is accepted with that."""
        self._lines = 0
        self._last = ZERO
        self._reached: dict[str, frozenset[str]] = {ZERO: frozenset()}

    # ── what a person did ──

    def before_act(self) -> None:
        self._on_branches = self._mine("--branches", "HEAD")

    def after_act(self) -> None:
        now = self._mine("--branches", "HEAD")
        self._note_checked()
        self.made |= now
        self.dropped = (self.dropped | (self._on_branches - now)) - now
        for word, where in list(self.edits.items()):
            there = Path(where)
            if there.is_dir() and self.ground.git("grep", "-q", word, "HEAD", where=there).returncode == 0:
                del self.edits[word]  # a commit holds it now

    def _note_checked(self) -> None:
        if not self.ground.checks_held.exists():
            return
        here = self.ground.git("rev-parse", "-q", "--verify", MAIN).stdout.strip()
        for task in self.ground.tasks():
            if here and task["status"] in ("running", "verifying"):
                self.with_it.setdefault(task["id"], set()).add(here)

    def in_tracked_files(self) -> set[str]:
        """The edits in the checkout that `reset --hard` throws away."""
        files = [self.ground.repo / name for name in self.ground.git("ls-files").stdout.split()]
        text = "".join(file.read_text() for file in files if file.exists())
        here = str(self.ground.repo)
        return {word for word, where in self.edits.items() if where == here and word in text}

    def threw_away(self, words: set[str]) -> None:
        for word in words:
            del self.edits[word]

    # ── what does not hold ──

    def broken(self, *, at_rest: bool = False) -> list[str]:
        tasks = [
            self.ground.task(one["id"]) for one in self.ground.tasks()
        ]  # before git: they only follow it
        told = [*self._come_back(), *self._lost_commits(), *self._lost_edits()]
        return [*told, *self._wrong_statuses(tasks, at_rest=at_rest), *self._too_early(tasks)]

    def _come_back(self) -> Iterable[str]:
        """Follows main's reflog: Toryo moves it forward, and to nothing that the person removed."""
        log = self.ground.repo / ".git" / "logs" / MAIN
        lines = log.read_text().splitlines() if log.exists() else []
        if len(lines) < self._lines or not lines:  # the branch was deleted, and its log with it
            self.removed |= self.reach(self._last)
            self._lines, self._last = 0, ZERO
        for line in lines[self._lines :]:
            old, new = line.split()[:2]
            before, after = self.reach(old), self.reach(new)
            if " Toryo <" in line:
                if old != ZERO and old not in after:
                    yield f"Toryo moved main back from {old[:9]} to {new[:9]}"
                for back in sorted(after & self.removed):
                    why = line.partition("\t")[2]
                    yield f"{back[:9]} was removed by the person and is on main again: {why}"
            self.removed = (self.removed | (before - after)) - after
            self.was_on_main |= after
            self._last = new
        self._lines = len(lines)

    def _lost_commits(self) -> Iterable[str]:
        git = self.ground.git
        self.accepted |= self.reach(
            git("rev-parse", "-q", "--verify", "refs/toryo/tips/main").stdout.strip() or ZERO
        )
        kept = set(git("rev-list", "--all", *self._stashes()).stdout.split())
        for commit in sorted((self.made - self.dropped) - kept):
            yield f"the person's commit {commit[:9]} is on no ref any more"
        for commit in sorted(self.accepted - kept):
            yield f"{commit[:9]} was accepted and is on no ref any more"

    def _lost_edits(self) -> Iterable[str]:
        missing = set(self.edits)
        missing -= _words_below(self.ground.repo, missing)
        if not missing:
            return
        objects = self.ground.git("rev-list", "--objects", "--all", *self._stashes()).stdout
        for line in objects.splitlines():
            id, _, name = line.partition(" ")
            if missing and name:
                text = self.ground.git("cat-file", "blob", id).stdout
                missing -= {word for word in missing if word in text}
        for word in sorted(missing):
            yield f"the person's edit {word} in {self.edits[word]} is nowhere any more"

    def _wrong_statuses(self, tasks: Iterable[dict[str, Any]], *, at_rest: bool) -> Iterable[str]:
        """`done` says that it is on its target, or is not there any more; nothing else claims it."""
        here = self.ground.git("rev-parse", "-q", "--verify", MAIN).stdout.strip()
        on_main = self.reach(here or ZERO)
        for task in tasks:
            yield from self._wrong_status(task, on_main, at_rest=at_rest and bool(here))
            begun = self.asked_at.get(task["id"], "")
            if begun and task["base_commit"] and begun not in self.removed | self.reach(task["base_commit"]):
                yield f"{_named(task)} began without {begun[:9]}, which the person had committed before"
            accepted = self.reach(task["accepted_commit"] or ZERO)
            for late in self.with_it.get(task["id"], set()) - self.removed - accepted if accepted else ():
                yield f"{_named(task)} was accepted without {late[:9]}, which the person had committed before"

    def _wrong_status(self, task: dict[str, Any], on_main: frozenset[str], *, at_rest: bool) -> Iterable[str]:
        landed, is_done = task["landed_commit"], task["status"] == "done"
        if not is_done:
            if landed:
                yield f"{_named(task)} claims {landed[:9]} to have landed"
            return
        if not landed:
            yield f"{_named(task)} names no commit"
            return
        if landed not in self.was_on_main:
            yield f"{_named(task)}, and {landed[:9]} was never on main"
        if at_rest and (landed in on_main) is (task["reason"] == "removed"):
            is_there = "is" if landed in on_main else "is not"
            yield f"{_named(task)}, and {landed[:9]} {is_there} on main"

    def _too_early(self, tasks: Iterable[dict[str, Any]]) -> Iterable[str]:
        """A task stands on the accepted work of those that it waits for."""
        lacking = {one["id"] for one in tasks if not one["accepted_commit"]}
        waiting = {one["id"] for one in tasks if not one["base_commit"] and lacking & {*one["dependencies"]}}
        for task in tasks:
            if task["id"] in self._waiting and task["base_commit"] and lacking & {*task["dependencies"]}:
                yield f"{_named(task)} began without what it waits for: {task['dependencies']}"
        self._waiting = waiting

    # ── git ──

    def reach(self, commit: str) -> frozenset[str]:
        if commit not in self._reached:
            found = self.ground.git("rev-list", commit)
            self._reached[commit] = frozenset(found.stdout.split())
        return self._reached[commit]

    def _mine(self, *which: str) -> set[str]:
        return set(
            self.ground.git("log", "--format=%H", "--committer=person@localhost", *which).stdout.split()
        )

    def _stashes(self) -> list[str]:
        return self.ground.git("stash", "list", "--format=%H").stdout.split()


def _words_below(where: Path, words: set[str]) -> set[str]:
    """In the checkout and in the worktrees below it, which may go meanwhile."""
    found: set[str] = set()
    for folder, inner, names in os.walk(where):
        inner[:] = [name for name in inner if name != ".git"]
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                found |= (
                    set(re.findall(r"edit\d+x", (Path(folder) / name).read_text(errors="replace"))) & words
                )
    return found


def _named(task: dict[str, Any]) -> str:
    return f"{task['id']} ({task['title']}) is {task['status']} {task['reason']}".rstrip()
