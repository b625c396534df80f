"""A user who commits, switches, rewinds or edits while a publication runs: as if before it, or after it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from pathlib import Path

import pytest
from meddling import DATE, GIT, Meddler, state
from user_desk import Desk, files_of

from repositories import commit_files, git
from toryo.protocol.kinds.landing import Published, PublishInputs, PublishWaiting
from toryo.workbench.git.publish import journal, other_gits, publish
from waiting import eventually

ACTS = {
    "commit": "echo mine > mine.txt && git add mine.txt && git commit -qm mine",
    "commit of a change": "echo mine > b.txt && git commit -qam mine",
    "amend": "git commit -q --amend -m amended",
    "rewind": "git reset -q --hard HEAD~1",
    "rewind of the branch alone": "git reset -q --soft HEAD~1",
    "new branch": "git switch -q -c feature",
    "other branch": "git switch -q other",
    "branch behind": "git switch -q behind",
    "detached": "git switch -q --detach",
    "rename": "git branch -m main trunk",
    "edit": "echo mine > a.txt",
    "stage": "echo mine > a.txt && git add a.txt",
    "untracked": "mkdir -p new && echo mine > new/n.txt",
    "ignored": "echo mine > x.ign",
    "stash": "echo mine > b.txt && git stash -q",
    # git notes a merge as begun even if the index is locked
    "merge": "(git merge --abort || true) && git merge -q --no-commit --no-ff other",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One desk, copied for each order of events: the ids are the same in all of them."""
    desk = Desk(tmp_path_factory.mktemp("template"))
    git(desk.repo, "branch", "other")
    git(desk.repo, "branch", "behind")
    desk.old = commit_files(desk.repo, {"a.txt": "second\n", "b.txt": "second\n"})
    desk.new = desk.landing({"a.txt": "landed\n", "new/n.txt": "n\n", "x.ign": "landed\n"}, delete="gone.txt")
    git(desk.repo, "switch", "-q", "other")
    commit_files(desk.repo, {"o.txt": "o\n"})
    git(desk.repo, "switch", "-q", "main")
    return desk


class Copy:
    def __init__(self, template: Desk, folder: Path, act: str, at: int = 0, before: str = "nothing") -> None:
        self.repo = folder / "repo"
        shutil.copytree(template.repo, self.repo, symlinks=True)
        git(self.repo, "update-index", "-q", "--refresh")
        self.is_done = False
        self.journal = folder / "publish.json"
        self.inputs = PublishInputs(repo=str(self.repo), target="main", old=template.old, new=template.new)
        self.meddler = Meddler(folder / "user", self.repo, act, at, before)

    def publish(self) -> None:
        """Once more, as a coordinator does it, unless the order had its end."""
        if not self.is_done:
            answer = publish.publish(self.inputs, self.journal)
            self.is_done = isinstance(answer, Published) and answer.problem is None

    def seen(self) -> dict[str, object]:
        assert not self.journal.exists()
        return state(self.repo) | {"files": files_of(self.repo)}


def orders_of(template: Desk, folder: Path, act: str) -> list[dict[str, object]]:
    """What the user sees when the act comes before the publication, and when it comes after it."""
    before = Copy(template, folder / "before", act)
    assert before.meddler.act()
    before.publish()
    after = Copy(template, folder / "after", act)
    after.publish()
    assert after.meddler.act()
    after.publish()
    return [before.seen(), after.seen()]


@pytest.mark.parametrize("what", ACTS)
def test_whatever_the_user_does_meanwhile_is_as_if_done_before_or_after(
    template, tmp_path, monkeypatch, what
):
    allowed = orders_of(template, tmp_path, ACTS[what])
    act_before_each_call(template, tmp_path, monkeypatch, ACTS[what], allowed)


def test_a_switch_that_began_before_a_publication_takes_nothing_of_it_along(template, tmp_path, monkeypatch):
    """`git switch -c` makes the branch where HEAD was and names it in HEAD later; it looks at no file."""
    end_of_a_switch = (
        f"git update-ref refs/heads/feature {template.old}"
        " && git symbolic-ref -m 'checkout: moving from main to feature' HEAD refs/heads/feature"
    )
    allowed = orders_of(template, tmp_path, ACTS["new branch"])[:1]
    act_before_each_call(template, tmp_path, monkeypatch, end_of_a_switch, allowed)


def test_a_rename_that_fails_over_a_publication_does_not_take_it_back(template, tmp_path, monkeypatch):
    """`git branch -m` that finds the branch moved writes it back to where it was, with no word in its log."""
    end_of_a_rename = f"git update-ref refs/heads/main {template.old}"
    allowed = orders_of(template, tmp_path, end_of_a_rename)[:1]
    act_before_each_call(template, tmp_path, monkeypatch, end_of_a_rename, allowed)


def act_before_each_call(template, tmp_path, monkeypatch, act, allowed):
    with monkeypatch.context() as patch:
        counted = Copy(template, tmp_path / "counted", act)
        counted.meddler.watch(patch)
        counted.publish()
    calls = counted.meddler.calls()
    for at, call in enumerate(calls, 1):
        copy = Copy(template, tmp_path / str(at), act, at)
        with monkeypatch.context() as patch:
            copy.meddler.watch(patch)
            copy.publish()
        if copy.meddler.was_refused():
            assert copy.meddler.act()
        copy.publish()
        assert copy.seen() in allowed, (at, call, copy.seen(), allowed)
        shutil.rmtree(tmp_path / str(at))


ANY_MOMENT = (
    "commit",
    "commit of a change",
    "amend",
    "rewind",
    "new branch",
    "branch behind",
    "rename",
    "stash",
)
ROUNDS = 3
"""Of each act."""


@pytest.mark.parametrize("what", ANY_MOMENT)
def test_a_user_at_work_at_any_moment_is_as_if_before_or_after(template, tmp_path, what):
    allowed = orders_of(template, tmp_path, ACTS[what])
    if what == "stash":
        # it resets the branch to where it began: as if the user had taken the landing back, which is told
        alone = Copy(template, tmp_path / "alone", ACTS[what])
        assert alone.meddler.act()
        allowed.append(alone.seen())
    chance = random.Random(what)
    for number in range(ROUNDS):
        copy = Copy(template, tmp_path / str(number), ACTS[what])
        with ThreadPoolExecutor(1) as beside:
            publishing = beside.submit(copy.publish)
            time.sleep(chance.uniform(0, 0.1))  # the moment is what varies
            done = copy.meddler.act()
            publishing.result(60)
        if not done:
            assert copy.meddler.act()
        copy.publish()
        assert copy.seen() in allowed, (number, copy.seen(), allowed)


# ── while git writes the files ────────────────────────────────────────────────────────────────────────

OPEN_EDITOR = 'touch {folder}/open; while [ ! -e {folder}/close ]; do sleep 0.01; done; echo mine > "$1"'
"""A commit that began before the publication and ends in its middle: no lock keeps one from the other."""
CLOSE_EDITOR = "touch {folder}/close; while [ ! -e {folder}/ended ]; do sleep 0.01; done"
MIDDLE = {
    "new branch": ("", "git switch -q -c feature"),
    "other branch": ("", "git switch -q other"),
    "rename": ("", "git branch -m main trunk"),
    "detached": ("", "git update-ref --no-deref HEAD HEAD~0 && git switch -q --detach"),
    "HEAD on another branch": ("", "git symbolic-ref HEAD refs/heads/other"),
    "commit": ("echo mine > mine.txt && git add mine.txt && git commit -q", CLOSE_EDITOR),
    "amend": ("git commit -q --amend", CLOSE_EDITOR),
    "edit": ("", "echo mine > zz.txt"),
    "commit of a file": ("", "echo mine > mine.txt; git add mine.txt && git commit -qm mine"),
}


class Paused(Copy):
    """A filter of the user's stops git between two files of the landing."""

    def __init__(self, template: Desk, folder: Path, before: str, act: str) -> None:
        user = folder / "user"
        super().__init__(template, folder, act.format(folder=user))
        pause = f"cat; [ -e {user}/paused ] || {{ touch {user}/paused; env -i sh {user}/act; }}"
        (user / "pause").write_text(pause)
        (user / "editor").write_text(OPEN_EDITOR.format(folder=user))
        (user / "first").write_text(f"cd {self.repo}; {before}\ntouch {user}/ended\n")
        (self.repo / ".git/info/attributes").write_text("a.txt filter=pause\n")
        git(self.repo, "config", "filter.pause.smudge", f"sh {user}/pause")

    def begin(self) -> subprocess.Popen[bytes]:
        """What the user began before, whose editor stays open."""
        env = {**os.environ, **DATE, "GIT_EDITOR": f"sh {self.meddler.folder}/editor"}
        begun = subprocess.Popen(["sh", str(self.meddler.folder / "first")], env=env)
        eventually((self.meddler.folder / "open").exists, what="the user's editor")
        return begun


@pytest.mark.parametrize("what", MIDDLE)
def test_what_the_user_does_in_the_middle_of_the_files_is_as_if_done_before_or_after(
    template, tmp_path, what
):
    before, act = MIDDLE[what]
    allowed = []
    for name in ("before", "after"):
        one = Paused(template, tmp_path / name, before, act)
        (one.meddler.folder / "paused").touch()
        if name == "after":
            one.publish()
        with one.begin() if before else nullcontext():
            one.meddler.act()
        one.publish()
        allowed.append(one.seen())
    paused = Paused(template, tmp_path / "paused", before, act)
    with paused.begin() if before else nullcontext():
        paused.publish()
    assert (paused.meddler.folder / "paused").exists()
    if paused.meddler.was_refused():
        paused.meddler.act()
    paused.publish()
    assert paused.seen() in allowed, (paused.seen(), allowed)


# ── a switch that outlasts our merge ──────────────────────────────────────────────────────────────────

HOLD_REFS = """#!/bin/sh
[ "$1" = prepared ] || exit 0
touch {user}/held
while [ ! -e {user}/free ]; do sleep 0.01; done
"""
BEGIN = "({act}) < /dev/null > {user}/told 2>&1 &\nwhile [ ! -e {user}/held ]; do sleep 0.01; done\n"


class Held(Copy):
    """A hook of the user's holds a switch, begun before our merge: it has read HEAD and not written it."""

    def __init__(self, template: Desk, folder: Path, act: str) -> None:
        begin = BEGIN.format(act=act, user=folder / "user")
        super().__init__(template, folder, begin, before="--ff-only")
        self.user = self.meddler.folder
        hook = self.repo / ".git/hooks/reference-transaction"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(HOLD_REFS.format(user=self.user))
        hook.chmod(0o755)

    def release(self) -> None:
        (self.user / "free").touch()

    def has_switched(self) -> bool:
        return git(self.repo, "symbolic-ref", "HEAD") == "refs/heads/feature"


SWITCHES = {
    "switch": "git switch -q -c feature",
    "alias": "git -c alias.mine='switch -q -c feature' mine",
    "from below": "cd dir && git switch -q -c feature",
}


@pytest.mark.parametrize("what", SWITCHES)
def test_a_switch_that_ends_after_our_merge_is_waited_for(template, tmp_path, monkeypatch, what):
    allowed = orders_of(template, tmp_path, ACTS["new branch"])[:1]
    held = Held(template, tmp_path / "held", SWITCHES[what])
    held.meddler.watch(monkeypatch)
    with ThreadPoolExecutor(1) as beside:
        publishing = beside.submit(held.publish)
        try:
            eventually(
                lambda: git(held.repo, "rev-parse", "main") == template.new, what="the target on the landing"
            )
        finally:
            held.release()
        publishing.result(60)
    assert held.is_done
    assert held.seen() in allowed, (held.seen(), allowed)


def test_a_switch_that_hangs_is_told_as_at_work_and_looked_at_again(template, tmp_path, monkeypatch):
    monkeypatch.setattr(other_gits, "PATIENCE_S", 0.1)
    allowed = orders_of(template, tmp_path, ACTS["new branch"])[:1]
    held = Held(template, tmp_path / "held", ACTS["new branch"])
    held.meddler.watch(monkeypatch)
    try:
        for why in ("switch", "git"):
            answer = publish.publish(held.inputs, held.journal)
            assert isinstance(answer, PublishWaiting)
            assert answer.why == why
            assert git(held.repo, "rev-parse", "main") == template.new
    finally:
        held.release()
    eventually(held.has_switched, what="the user's switch")
    eventually(lambda: not other_gits.at_work(held.repo), what="its end")
    held.publish()
    assert held.is_done
    assert held.seen() in allowed, (held.seen(), allowed)


def test_what_was_written_in_the_middle_of_a_rename_is_taken_back(template, tmp_path, monkeypatch):
    allowed = orders_of(template, tmp_path, ACTS["rename"])[:1]
    held = Held(template, tmp_path / "held", ACTS["rename"])
    held.meddler.watch(monkeypatch)

    def merge_has_failed() -> bool:
        entry = journal.read(held.journal)
        return entry is not None and not entry.git_lives()

    with ThreadPoolExecutor(1) as beside:
        publishing = beside.submit(held.publish)
        try:
            eventually(merge_has_failed, what="a merge that met the lock of the rename")
            assert not wait([publishing], timeout=0.3).done
        finally:
            held.release()
        publishing.result(60)
    assert held.is_done
    assert held.seen() in allowed, (held.seen(), allowed)


def test_a_rename_that_has_begun_is_told_as_at_work_and_comes_first(template, tmp_path, monkeypatch):
    monkeypatch.setattr(other_gits, "PATIENCE_S", 0.1)
    allowed = orders_of(template, tmp_path, ACTS["rename"])[:1]
    held = Held(template, tmp_path / "held", ACTS["rename"])
    try:
        assert held.meddler.act()
        answer = publish.publish(held.inputs, held.journal)
        assert isinstance(answer, PublishWaiting)
        assert (answer.why, answer.paths) == ("git", ("branch",))
    finally:
        held.release()
    eventually(lambda: not other_gits.at_work(held.repo), what="the end of the rename")
    held.publish()
    assert held.is_done
    assert held.seen() in allowed, (held.seen(), allowed)


READING = [
    "branch --merged main",
    "log -- checkout",
    "diff HEAD~1 -- merge b.txt",
    "stash list",
    "-c x.y=switch log",
]


@pytest.mark.parametrize("words", READING)
def test_a_git_that_only_reads_holds_up_nobody(template, tmp_path, monkeypatch, words):
    monkeypatch.setattr(other_gits, "PATIENCE_S", 0)
    copy = Copy(template, tmp_path / "copy", "")
    (copy.repo / "b.txt").write_text("mine\n")
    git(copy.repo, "stash", "-q")
    stays = {"GIT_PAGER": f"touch {tmp_path}/paged; cat > /dev/null; cat {tmp_path}/more", "TERM": "dumb"}
    os.mkfifo(tmp_path / "more")
    here, there = os.openpty()
    reading = subprocess.Popen(
        [GIT, *words.split()],
        cwd=copy.repo,
        stdin=there,
        stdout=there,
        stderr=there,
        env={**os.environ, **stays},
    )
    try:
        eventually((tmp_path / "paged").exists, what="the pager")
        copy.publish()
        assert copy.is_done
    finally:
        (tmp_path / "more").write_text("")
        reading.wait(60)
        os.close(here)
        os.close(there)


def test_a_switch_in_another_worktree_holds_up_nobody(template, tmp_path, monkeypatch):
    monkeypatch.setattr(other_gits, "PATIENCE_S", 0)
    held = Held(template, tmp_path / "held", f"cd inside && {ACTS['new branch']}")
    held.release()
    git(held.repo, "worktree", "add", "-q", "--detach", "inside")
    for mark in ("free", "held"):
        (held.user / mark).unlink()
    held.meddler.watch(monkeypatch)
    try:
        held.publish()
        assert held.is_done
    finally:
        held.release()


# ── between the index that git reads and the index that it locks ──────────────────────────────────────

WHILE_MERGING = """#!/bin/sh
case "$(tr '\\0' ' ' < /proc/$PPID/cmdline)" in
*" merge "*) [ -e {user}/acted ] || {{ touch {user}/acted; env -i sh {user}/act; }} ;;
esac
exec cat
"""
STAGING = {
    "add": "echo mine > mine.txt && git add mine.txt && echo later > mine.txt",
    "rm": "git rm -q --cached b.txt",
    "restore": "git restore --staged --source=HEAD~1 b.txt",
}


@pytest.mark.parametrize("what", STAGING)
def test_what_the_user_stages_while_git_merges_is_not_written_over(template, tmp_path, what):
    """A clean filter runs while git refreshes the index that it has read."""

    def slow(name: str, act: str) -> Copy:
        copy = Copy(template, tmp_path / name, act)
        clean = copy.meddler.folder / "clean"
        clean.write_text(WHILE_MERGING.format(user=copy.meddler.folder))
        clean.chmod(0o755)
        (copy.repo / ".git/info/attributes").write_text("dir/c.txt filter=slow\n")
        git(copy.repo, "config", "filter.slow.clean", str(clean))
        (copy.repo / "dir/c.txt").write_text("d\n")  # as long as it was: only its content tells
        return copy

    allowed = []
    for name in ("before", "after"):
        one = slow(name, STAGING[what])
        (one.meddler.folder / "acted").touch()
        if name == "after":
            one.publish()
        assert one.meddler.act()
        one.publish()
        allowed.append(one.seen())
    copy = slow("meanwhile", STAGING[what])
    copy.publish()
    assert (copy.meddler.folder / "acted").exists()
    if copy.meddler.was_refused():
        assert copy.meddler.act()
    copy.publish()
    assert copy.seen() in allowed, (copy.seen(), allowed)


STANDING = [
    "new branch",
    "other branch",
    "branch behind",
    "detached",
    "rewind of the branch alone",
    "merge",
    "stash",
]


@pytest.mark.parametrize("what", STANDING)
def test_a_git_that_stood_still_at_any_moment_acts_before_or_after(template, tmp_path, monkeypatch, what):
    monkeypatch.setattr(other_gits, "PATIENCE_S", 0.1)
    allowed = orders_of(template, tmp_path, ACTS[what])
    first, _, last = ACTS[what].rpartition(" && ")
    words, env = [GIT, *last.split()[1:]], {**os.environ, **DATE}
    chance = random.Random(what)
    for number in range(ROUNDS):
        copy = Copy(template, tmp_path / str(number), "")
        subprocess.run(["sh", "-c", first], cwd=copy.repo, check=True)
        with subprocess.Popen(words, cwd=copy.repo, stderr=subprocess.PIPE, env=env) as theirs:
            time.sleep(chance.uniform(0, 0.006))  # the moment is what varies
            theirs.send_signal(signal.SIGSTOP)
            copy.publish()
            theirs.send_signal(signal.SIGCONT)
            done = theirs.wait(60) == 0
        if not done:  # the lock or the landing stood in its way: the user's own git said so
            subprocess.run(words, cwd=copy.repo, check=True, env=env)
        copy.publish()
        assert copy.seen() in allowed, (number, copy.seen(), allowed)
