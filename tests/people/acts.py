"""What a person does: with git in their checkout and in a task's worktree, and what they type.

Each act takes a number, by which it chooses among what there is; one that is not possible now does nothing.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from pathlib import Path

from ground import FILES, KINDS, SETTINGS, Ground, Stuck
from promises import Promises

MORE = SETTINGS + "    - {type: test, command: test -e a.txt}\n"
SETTINGS_EDITS = (SETTINGS, MORE, "dod: [\n")
CHECKS = "select 1 from orders where kind = 'check' and state in ('open', 'taken')"
TRIES = 50
UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "REVERT_HEAD": "revert",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


class Person:
    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.promises = Promises(ground)
        self._number = 0
        self.ground.git("branch", "side")

    def do(self, name: str, number: int) -> None:
        self.ground.said.append(f"── {name} {number}")
        self.promises.before_act()
        ACTS[name](self, number)
        self._give_up()
        self.promises.after_act()

    def git(self, *argv: str, where: Path | None = None) -> bool:
        done = self.ground.git(*argv, where=where)
        for _ in range(TRIES):  # as the person would: Toryo is publishing just then
            if done.returncode == 0 or ".lock': File exists" not in done.stderr:
                break
            done = self.ground.git(*argv, where=where)
        told = "" if done.returncode == 0 else f" → {(done.stderr or done.stdout).strip()[:160]}"
        self.ground.said.append(f"git {shlex.join(argv)}{told}")
        return done.returncode == 0

    def _give_up(self) -> None:
        """What git could not finish."""
        for mark, verb in UNDER_WAY.items():
            if (self.ground.repo / ".git" / mark).exists():
                for name in self.ground.git("diff", "--name-only", "--diff-filter=U").stdout.splitlines():
                    self._overwrite(self.ground.repo / name)  # git resets what is in conflict, edits included
                self.git(verb, "--abort")
        if self.ground.git("ls-files", "-u").stdout:
            self.git("reset", "-q")

    # ── git ──

    def word(self) -> str:
        self._number += 1
        return f"edit{self._number}x"

    def _overwrite(self, path: Path) -> None:
        """What a person wrote there and now writes over is gone by their own hand."""
        text = path.read_text() if path.exists() else ""
        for word in [one for one in self.promises.edits if one in text]:
            del self.promises.edits[word]

    def _write(self, path: Path, *, whole: bool) -> str:
        word = self.word()
        if whole:
            self._overwrite(path)
        before = "" if whole or not path.exists() else path.read_text()
        path.write_text(f"{before}{word}\n")
        return word

    def commit(self, number: int) -> None:
        """Of one file, beside what is edited elsewhere; some conflict with everybody."""
        path = FILES[number % 2]
        self._write(self.ground.repo / path, whole=number % 4 > 1)
        self.git("commit", "-q", "-m", f"mine {self._number}", "-o", path)

    def commit_all(self, number: int) -> None:
        self._write(self.ground.repo / FILES[number % 2], whole=False)
        self.git("commit", "-q", "-a", "-m", f"mine {self._number}")

    def edit(self, number: int) -> None:
        path = (*FILES, f"untracked-{number}")[number % 3]
        word = self._write(self.ground.repo / path, whole=False)
        self.promises.edits[word] = str(self.ground.repo)

    def edit_settings(self, number: int) -> None:
        (self.ground.repo / ".toryo" / "config.yaml").write_text(SETTINGS_EDITS[number % 3])
        if number % 4:
            self.git("commit", "-q", "-m", "settings", "-o", ".toryo/config.yaml")

    def break_base(self, number: int) -> None:
        """Or mend it."""
        broken = self.ground.repo / "BROKEN"
        if broken.exists():
            broken.unlink()
        else:
            broken.write_text("red\n")
        self.git("add", "-A", "BROKEN")
        self.git("commit", "-q", "-m", "the base", "-o", "BROKEN")

    def amend(self, number: int) -> None:
        path = FILES[number % 2]
        self._write(self.ground.repo / path, whole=False)
        self.git("commit", "-q", "--amend", "-m", f"mine {self._number}", "-o", path)

    def reset(self, number: int) -> None:
        self._throw_away(f"HEAD~{1 + number % 2}")

    def _throw_away(self, to: str) -> None:
        lost = self.promises.in_tracked_files()
        if self.git("reset", "-q", "--hard", to):
            self.promises.threw_away(lost)

    def reset_softly(self, number: int) -> None:
        self.git("reset", "-q", ("--soft", "--mixed")[number % 2], "HEAD~1")
        if number % 3:
            self.git("commit", "-q", "-a", "-m", "once more")

    def bring_back(self, number: int) -> None:
        """What they removed, after all."""
        listed = sorted(self.promises.removed)
        if not listed:
            return
        it = listed[number % len(listed)]
        if number % 3 == 0:
            self._throw_away(it)
        else:
            self.git("merge", "-q", "-m", "I want it after all", it)

    def rebase(self, number: int) -> None:
        """Without the commit before the last."""
        self.git("rebase", "-q", "--onto", "HEAD~2", "HEAD~1")

    def revert(self, number: int) -> None:
        where = f"HEAD~{number % 2}"
        self.git("revert", "--no-edit", where) or self.git("revert", "--no-edit", "-m", "1", where)

    def merge(self, number: int) -> None:
        """A commit made on the side."""
        self.git("switch", "-q", "side") or self.git("switch", "-q", "-c", "side")
        path = FILES[number % 2]
        self._write(self.ground.repo / path, whole=False)
        self.git("commit", "-q", "-m", f"side {self._number}", "-o", path)
        self.git("switch", "-q", "main")
        self.git("merge", "-q", "-m", "join", "side")

    def stash(self, number: int) -> None:
        self.git("stash", "push", "-q", *(("-u",) if number % 2 else ()))

    def unstash(self, number: int) -> None:
        self.git("stash", "pop", "-q")

    def switch(self, number: int) -> None:
        self.git("switch", "-q", "main" if number % 2 else "side")

    def delete_branch(self, number: int) -> None:
        listed = self.ground.git("for-each-ref", "--format=%(refname:short)", "refs/heads").stdout.split()
        self.git("branch", "-q", "-D", listed[number % len(listed)])

    def work_in_worktree(self, number: int) -> None:
        """Where no agent is at work: a commit of theirs, and an edit."""
        found = [
            Path(task["worktree"])
            for one in self.ground.tasks()
            if one["status"] in ("failed", "needs_review", "cancelled")
            and (task := self.ground.task(one["id"]))["worktree"]
            and Path(task["worktree"]).is_dir()
        ]
        if not found:
            return
        where = found[number % len(found)]
        if number % 3:
            self._write(where / FILES[number % 2], whole=False)
            self.git("commit", "-q", "-a", "-m", f"finished {self._number}", where=where)
        if number % 2:
            word = self._write(where / f"draft-{number}", whole=False)
            self.promises.edits[word] = str(where)

    # ── typed ──

    def add(self, number: int) -> None:
        kind, path = KINDS[number % len(KINDS)], FILES[number % 3 % 2]
        known = [one["id"] for one in self.ground.tasks()]
        more = ["--hold"] if number % 7 == 6 else []
        if known and number % 5 == 4:
            more += ["--after", known[number % len(known)]]
        here = self.ground.git("rev-parse", "-q", "--verify", "refs/heads/main").stdout.strip()
        made = self.ground.read("task", "add", f"{kind} {path}", *more)
        self.ground.said.append(f"toryo task add '{kind} {path}' {' '.join(more)} → {made['id']}")
        self.promises.asked_at[made["id"]] = here

    def _say(self, verb: str, number: int, *more: str, likely: tuple[str, ...]) -> None:
        known = self.ground.tasks()
        chosen = [one for one in known if one["status"] in likely] or known
        if chosen:
            self.ground.typed("task", verb, chosen[number % len(chosen)]["id"], *more)

    def approve(self, number: int) -> None:
        self._say("approve", number, likely=("blocked", "needs_review", "open"))

    def retry(self, number: int) -> None:
        more = ("--discard",) if number % 2 else ()
        self._say("retry", number, *more, likely=("failed", "needs_review", "cancelled"))

    def reject(self, number: int) -> None:
        self._say("reject", number, likely=("needs_review", "landing"))

    def cancel(self, number: int) -> None:
        self._say("cancel", number, likely=("running", "landing", "blocked", "ready", "needs_review"))

    def submit(self, number: int) -> None:
        self._say("submit", number, likely=("failed", "needs_review", "blocked"))

    def take_back(self, number: int) -> None:
        self._say("revert", number, likely=("done",))

    # ── time ──

    def hold(self, number: int) -> None:
        """From now on agents that begin stand still."""
        self.ground.held.touch()

    def hold_checks(self, number: int) -> None:
        self.ground.checks_held.touch()

    def let_checks_go(self, number: int) -> None:
        """Before anybody looks at the branch again."""
        self.ground.checks_held.unlink(missing_ok=True)
        self.ground.until(lambda: not self.ground.rows(CHECKS), "the checks end")

    def look_on(self, number: int) -> None:
        """Until an agent is at work, or a check; or nobody will be, because others stand still."""
        works = CHECKS if number % 2 else "select 1 from runs where live = 1 and started_at is not null"
        with contextlib.suppress(Stuck):
            self.ground.until(lambda: self.ground.rows(works) or self.ground.rests(), "somebody works", 1.0)

    def wait(self, number: int) -> None:
        self.ground.settle()


NO_ACTS = ("do", "git", "word")
ACTS: dict[str, Callable[[Person, int], None]] = {
    name: act
    for name, act in vars(Person).items()
    if callable(act) and not name.startswith("_") and name not in NO_ACTS
}
OFTEN = {
    "add": 6,
    "wait": 5,
    "commit": 3,
    "approve": 3,
    **dict.fromkeys(("edit", "reset", "work_in_worktree", "submit", "retry", "hold"), 2),
}
"""Acts that come more often than once."""
