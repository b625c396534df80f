"""Publishing after a crash: what a killed git left is completed, what is the user's stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from publishing import PUBLISHER

from repositories import commit_files, git, make_repository
from toryo import processes
from toryo.protocol.kinds.landing import Published, PublishInputs, PublishWaiting
from toryo.workbench.git.door import batch_git
from toryo.workbench.git.publish import journal, other_gits, publish, recovery

OLD = {"a.txt": "old a\n", "b.txt": "old b\n", "gone.txt": "gone\n", "mine.txt": "m\n", "run.sh": "old\n"}
NEW = {"a.txt": "the new a\n", "b.txt": "the new b\n", "new/n.txt": "the new n\n", "run.sh": "new\n"}
DEAD = 2**22 + 1
"""Above the highest pid of Linux."""


class Crash:
    """A checkout whose publication of `new` was noted in the journal and never came to its end."""

    def __init__(self, folder: Path) -> None:
        self.repo = make_repository(folder / "repo", OLD)
        self.old = git(self.repo, "rev-parse", "main")
        git(self.repo, "rm", "-q", "gone.txt")
        self.new = commit_files(self.repo, NEW)
        git(self.repo, "reset", "-q", "--hard", self.old)
        (self.repo / "mine.txt").write_text("the user's\n")
        self.journal = folder / "publish.json"
        self.note(DEAD)

    def note(self, pid: int, started: str = "1") -> None:
        boot = processes.boot_id()
        entry = journal.Entry(str(self.repo), "refs/heads/main", self.old, self.new, pid, started, boot)
        journal.write(self.journal, entry)

    def write(self, name: str, text: str) -> None:
        (self.repo / name).parent.mkdir(exist_ok=True)
        (self.repo / name).write_text(text)

    def publish(self) -> Published | PublishWaiting:
        inputs = PublishInputs(repo=str(self.repo), target="main", old=self.old, new=self.new)
        return publish.publish(inputs, self.journal)

    def waits(self) -> tuple[str, tuple[str, ...]]:
        answer = self.publish()
        assert isinstance(answer, PublishWaiting), answer
        assert answer.checkout == str(self.repo)
        return answer.why, answer.paths

    def is_completed(self) -> bool:
        answer = self.publish()
        assert isinstance(answer, Published), answer
        assert answer.problem is None
        assert git(self.repo, "rev-parse", "main") == self.new
        assert git(self.repo, "status", "--porcelain") == " M mine.txt"
        assert (self.repo / "mine.txt").read_text() == "the user's\n"
        assert not (self.repo / ".git/index.lock").exists()
        return answer.published and not self.journal.exists()

    def kept(self) -> dict[str, str]:
        """What the snapshots keep, by path."""
        refs = git(self.repo, "for-each-ref", "--format=%(refname)", "refs/toryo/snapshots").split()
        return {
            name: git(self.repo, "show", f"{ref}:{name}")
            for ref in refs
            for name in git(self.repo, "ls-tree", "-r", "--name-only", ref).split()
        }


@pytest.fixture
def crash(tmp_path: Path) -> Crash:
    return Crash(tmp_path)


def test_absent_old_new_and_half_written_paths_are_completed_and_their_bytes_kept(crash):
    (crash.repo / "a.txt").unlink()
    crash.write("b.txt", "the ne")
    crash.write("new/n.txt", "the new n\n")
    (crash.repo / "gone.txt").unlink()
    (crash.repo / ".git/index.lock").write_text("half an index")
    assert crash.is_completed()
    assert crash.kept() == {"b.txt": "the ne", "new/n.txt": "the new n"}


def test_a_path_that_the_user_changed_after_the_crash_is_waited_for_and_nothing_is_touched(crash):
    crash.write("a.txt", "the ne")
    crash.write("b.txt", "the newer b\n")
    for _ in range(2):
        assert crash.waits() == ("dirty", ("b.txt",))
        assert (crash.repo / "a.txt").read_text() == "the ne"
        assert (crash.repo / "b.txt").read_text() == "the newer b\n"
    (crash.repo / "b.txt").unlink()
    assert crash.is_completed()


def test_a_path_that_the_user_staged_after_the_crash_is_waited_for(crash):
    crash.write("b.txt", "staged\n")
    git(crash.repo, "add", "b.txt")
    crash.write("b.txt", "old b\n")
    assert crash.waits() == ("dirty", ("b.txt",))
    assert git(crash.repo, "show", ":b.txt") == "staged"


def test_a_strangers_file_in_the_way_of_a_half_written_directory_is_waited_for(crash):
    crash.write("new", "mine\n")
    assert crash.waits() == ("dirty", ("new",))
    assert (crash.repo / "new").read_text() == "mine\n"


def test_a_git_that_died_between_index_and_ref_is_completed(crash):
    git(crash.repo, "stash", "-q")
    git(crash.repo, "reset", "-q", "--hard", crash.new)
    git(crash.repo, "update-ref", "refs/heads/main", crash.old)
    git(crash.repo, "stash", "pop", "-q")
    crash.write("a.txt", "the")
    (crash.repo / "b.txt").unlink()
    crash.note(DEAD)
    assert crash.is_completed()
    assert (crash.repo / "a.txt").read_text() == "the new a\n"


def test_locks_left_on_head_and_branch_are_cleared(crash):
    for name in ("HEAD.lock", "ORIG_HEAD.lock", "refs/heads/main.lock"):
        (crash.repo / ".git" / name).touch()
    assert crash.is_completed()


def test_a_lock_that_is_older_than_the_attempt_is_not_ours(crash):
    lock = crash.repo / ".git/index.lock"
    lock.touch()
    before = time.time() - 60
    os.utime(lock, (before, before))
    assert crash.waits() == ("index.lock", ())
    assert lock.exists()


def test_a_lock_that_somebody_alive_holds_is_not_ours(crash):
    lock = crash.repo / ".git/index.lock"
    with open(lock, "w"):
        assert crash.waits() == ("index.lock", ())
        assert lock.exists()
    with a_git_at_work_in(crash.repo):
        assert crash.waits() == ("index.lock", ())
        assert lock.exists()
    assert crash.is_completed()


@contextmanager
def a_git_at_work_in(repo: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A git that waits for its input, as one with an open editor does."""
    with subprocess.Popen(["git", "cat-file", "--batch"], cwd=repo, stdin=subprocess.PIPE) as waiting:
        yield waiting


def test_a_git_that_outlived_its_coordinator_is_waited_for(crash, monkeypatch):
    monkeypatch.setattr(recovery, "PATIENCE_S", 0.05)
    with a_git_at_work_in(crash.repo) as alive:
        crash.note(alive.pid, processes.start_time(alive.pid) or "")
        assert crash.waits() == ("index.lock", ())
        assert git(crash.repo, "rev-parse", "main") == crash.old
    assert crash.is_completed()


def test_a_program_that_a_dead_git_had_started_is_waited_for_and_its_lock_is_ours(crash):
    """A hook or a filter lives on for a moment, with the lock that it was born with."""
    lock = crash.repo / ".git/index.lock"
    orphan = f"exec 9>{lock}; sleep 1 >/dev/null & echo $$"
    leader = subprocess.run(
        ["setsid", "sh", "-c", orphan], cwd=crash.repo, stdout=subprocess.PIPE, check=True
    )
    crash.note(int(leader.stdout))
    assert crash.is_completed()


def test_a_reused_pid_is_not_taken_for_our_git(crash):
    crash.note(os.getpid(), "another start")
    assert crash.is_completed()


def test_half_written_files_are_compared_as_filters_write_them(crash):
    git(crash.repo, "config", "core.autocrlf", "true")
    (crash.repo / "mine.txt").write_text("the user's\n")
    (crash.repo / "a.txt").write_bytes(b"the new a\r")
    (crash.repo / "b.txt").write_bytes(b"old b\r\n")
    assert crash.is_completed()
    assert (crash.repo / "b.txt").read_bytes() == b"the new b\r\n"


def test_files_directories_and_links_may_change_places(tmp_path):
    crash = Crash(tmp_path)
    git(crash.repo, "stash", "-q")
    crash.repo.joinpath("link").symlink_to("a.txt")
    crash.old = commit_files(crash.repo, {"d/f": "f\n"})
    for name in ("link", "a.txt", "d/f"):
        (crash.repo / name).unlink()
    (crash.repo / "d").rmdir()
    (crash.repo / "b.txt").unlink()
    (crash.repo / "b.txt").symlink_to("elsewhere")
    crash.new = commit_files(crash.repo, {"link/inside": "i\n", "a.txt/inside": "i\n", "d": "a file\n"})
    git(crash.repo, "reset", "-q", "--hard", crash.old)
    git(crash.repo, "stash", "pop", "-q")
    crash.note(DEAD)
    for name in ("link", "a.txt", "b.txt", "d/f"):
        (crash.repo / name).unlink()
    (crash.repo / "d").rmdir()
    crash.write("d", "a f")
    crash.write("a.txt/inside", "")
    crash.write("link/inside", "i")
    (crash.repo / "b.txt").symlink_to("elsewhere")
    assert crash.is_completed()
    assert crash.kept() == {"a.txt/inside": "", "b.txt": "elsewhere", "d": "a f", "link/inside": "i"}


@pytest.mark.parametrize("forward", [True, False])
def test_empty_folders_that_a_killed_git_left_in_the_place_of_a_file_are_no_ones(tmp_path, forward):
    """A file becomes a folder, or a folder a file, and git died between the two."""
    sides = [{"swap": "a file\n"}, {"swap/a/b": "deep\n"}]
    before, after = sides if forward else sides[::-1]
    crash = Crash.__new__(Crash)
    crash.repo = make_repository(tmp_path / "repo", before | {"mine.txt": "m\n"})
    crash.old = git(crash.repo, "rev-parse", "main")
    git(crash.repo, "rm", "-q", "-r", "swap")
    crash.new = commit_files(crash.repo, after)
    git(crash.repo, "reset", "-q", "--hard", crash.old)
    crash.write("mine.txt", "the user's\n")
    crash.journal = tmp_path / "publish.json"
    crash.note(DEAD)
    (crash.repo / next(iter(before))).unlink()
    (crash.repo / "swap" / "a").mkdir(parents=True, exist_ok=True)
    assert crash.is_completed()


@pytest.mark.parametrize("deleted", [False, True])
def test_an_index_that_our_git_wrote_over_the_users_commit_is_theirs_again(crash, deleted):
    """It had read the index before that commit, and moved no branch after it."""
    log = crash.repo / ".git" / "logs" / "refs" / "heads" / "main"  # the branch never stood on what is new
    log.write_text("".join(line for line in log.read_text().splitlines(True) if crash.new not in line))
    read = (crash.repo / ".git" / "index").read_bytes()
    if deleted:
        (crash.repo / "mine.txt").unlink()
    git(crash.repo, "commit", "-qam", "mine")
    (crash.repo / ".git" / "index").write_bytes(read)
    assert git(crash.repo, "status", "--porcelain") != ""
    answer = crash.publish()
    assert isinstance(answer, Published)
    assert answer.diverged
    assert git(crash.repo, "status", "--porcelain") == ""


def test_what_the_user_staged_after_their_commit_stays_staged(crash):
    git(crash.repo, "commit", "-qam", "mine")
    crash.write("mine.txt", "another\n")
    git(crash.repo, "add", "mine.txt")
    crash.publish()
    assert git(crash.repo, "status", "--porcelain") == "M  mine.txt"


def test_a_checkout_that_went_to_another_branch_is_no_longer_half_way(crash):
    git(crash.repo, "checkout", "-q", "-b", "other")
    answer = crash.publish()
    assert isinstance(answer, Published)
    assert answer.published
    assert not crash.journal.exists()
    assert (crash.repo / "a.txt").read_text() == "old a\n"


def test_a_checkout_that_is_gone_leaves_nothing_to_mend(crash, tmp_path):
    git(crash.repo, "checkout", "-q", "--detach")
    crash.note(DEAD)
    text = crash.journal.read_text().replace(str(crash.repo), str(tmp_path / "gone"))
    crash.journal.write_text(text)
    answer = crash.publish()
    assert isinstance(answer, Published)
    assert answer.published


def test_a_later_landing_completes_the_interrupted_one_first(crash):
    git(crash.repo, "stash", "-q")
    git(crash.repo, "checkout", "-q", "--detach", crash.new)
    later = commit_files(crash.repo, {"b.txt": "later\n"})
    git(crash.repo, "checkout", "-q", "main")
    git(crash.repo, "stash", "pop", "-q")
    crash.write("a.txt", "the n")
    crash.new = later
    assert crash.is_completed()


def test_without_a_journal_git_does_not_begin(crash):
    crash.journal.unlink()
    crash.journal = crash.repo / "mine.txt" / "publish.json"
    with pytest.raises(OSError, match=r"mine\.txt"):
        crash.publish()
    assert git(crash.repo, "rev-parse", "main") == crash.old
    assert (crash.repo / "a.txt").read_text() == "old a\n"


# ── a coordinator that dies while it mends ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("moment", ["snapshotted", "put_away", "journalled", "merged"])
def test_a_coordinator_that_dies_while_it_mends_leaves_what_can_be_mended_again(crash, tmp_path, moment):
    crash.write("a.txt", "the ne")
    crash.write("new/n.txt", "the new n\n")
    (crash.repo / ".git/index.lock").touch()
    die_at(crash, tmp_path, moment)
    assert crash.is_completed()
    assert crash.kept()["a.txt"] == "the ne"


def die_at(crash, tmp_path, moment):
    (tmp_path / "crash").write_text(f"publish.{moment}\n")
    inputs = PublishInputs(repo=str(crash.repo), target="main", old=crash.old, new=crash.new)
    done = subprocess.run(
        [sys.executable, "-c", PUBLISHER, str(crash.journal)],
        input=json.dumps(inputs.model_dump()) + "\n",
        env={**os.environ, "TORYO_CRASH_FILE": str(tmp_path / "crash")},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split()[-1] == str(-signal.SIGKILL)


def test_an_index_that_was_not_replaced_is_remembered_while_a_git_of_the_users_is_waited_for(
    crash, tmp_path, monkeypatch
):
    monkeypatch.setattr(other_gits, "PATIENCE_S", 0)
    crash.journal.unlink()
    die_at(crash, tmp_path, "merged")
    reads = ["git", "reset", "-q", "--pathspec-from-file=-"]
    with subprocess.Popen(reads, cwd=crash.repo, stdin=subprocess.PIPE) as theirs:
        assert crash.waits() == ("git", ("reset",))
        theirs.kill()
    assert crash.is_completed()


@pytest.mark.parametrize("words", [batch_git.WORDS, batch_git.MOVES])
def test_the_git_that_stays_does_not_hold_the_lock_of_a_dead_one(crash, words):
    crash.write("a.txt", "the ne")
    (crash.repo / ".git/index.lock").touch()
    argv = ["git", *words]
    with subprocess.Popen(argv, cwd=crash.repo, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL):
        assert crash.is_completed()
