"""The user's own file that holds what a landing brings is no hindrance: it stays and is tracked."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_git_publish_crashes import DEAD, Crash
from user_desk import Desk, files_of

from repositories import commit_files, git
from toryo import processes
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.publish import contents, journal, undo


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def write(desk: Desk, name: str, text: str) -> int:
    """Its inode: a file that was written anew has another one."""
    path = desk.repo / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path.stat().st_ino


def test_an_untracked_file_with_the_landings_content_is_published_over_and_not_touched(desk):
    inode = write(desk, "new/n.txt", "n\n")
    assert desk.is_published()
    assert git(desk.repo, "status", "--porcelain") == ""
    assert (desk.repo / "new/n.txt").stat().st_ino == inode
    assert (desk.repo / "a.txt").read_text() == "landed\n"
    assert not desk.journal.exists()


def test_so_is_an_ignored_one_a_staged_one_and_a_tracked_one_that_was_changed(desk):
    inodes = [write(desk, name, text) for name, text in (("x.ign", "landed\n"), ("a.txt", "landed\n"))]
    write(desk, "new/n.txt", "n\n")
    git(desk.repo, "add", "new/n.txt")
    assert desk.is_published()
    assert git(desk.repo, "status", "--porcelain") == ""
    assert [(desk.repo / name).stat().st_ino for name in ("x.ign", "a.txt")] == inodes
    assert git(desk.repo, "diff", "--cached", "--name-only") == ""


def test_where_one_differs_it_waits_and_names_that_one_alone(desk):
    write(desk, "new/n.txt", "n\n")
    write(desk, "a.txt", "mine\n")
    assert desk.waits() == ("dirty", ("a.txt",))
    git(desk.repo, "checkout", "-q", "a.txt")
    write(desk, "x.ign", "mine\n")
    assert desk.waits() == ("ignored", ("x.ign",))
    (desk.repo / "x.ign").unlink()
    assert desk.is_published()


def test_a_file_that_becomes_the_same_through_the_users_filters_counts_and_keeps_its_bytes(desk):
    git(desk.repo, "config", "core.autocrlf", "true")
    (desk.repo / "new").mkdir()
    (desk.repo / "new/n.txt").write_bytes(b"n\r\n")
    assert desk.is_published()
    assert (desk.repo / "new/n.txt").read_bytes() == b"n\r\n"
    assert git(desk.repo, "status", "--porcelain") == ""


def test_another_mode_or_a_link_is_not_the_same(desk):
    write(desk, "new/n.txt", "n\n")
    (desk.repo / "new/n.txt").chmod(0o755)
    assert desk.waits() == ("untracked", ("new/n.txt",))
    (desk.repo / "new/n.txt").unlink()
    (desk.repo / "elsewhere").write_text("n\n")
    (desk.repo / "new/n.txt").symlink_to("../elsewhere")
    assert desk.waits() == ("untracked", ("new/n.txt",))


def test_what_the_user_staged_beside_the_same_content_on_the_disk_is_waited_for(desk):
    write(desk, "new/n.txt", "half a thought\n")
    git(desk.repo, "add", "new/n.txt")
    write(desk, "new/n.txt", "n\n")
    assert desk.waits() == ("dirty", ("new/n.txt",))


def test_what_the_user_has_elsewhere_stays_beside_it(desk):
    write(desk, "new/n.txt", "n\n")
    write(desk, "new/notes.txt", "mine\n")
    write(desk, "b.txt", "mine\n")
    before = files_of(desk.repo)
    assert desk.is_published()
    after = files_of(desk.repo)
    assert {name: after[name] for name in ("new/notes.txt", "b.txt")} == {
        name: before[name] for name in ("new/notes.txt", "b.txt")
    }
    assert git(desk.repo, "status", "--porcelain").split("\n") == [" M b.txt", "?? new/notes.txt"]


# ── after a crash ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def crash(tmp_path: Path) -> Crash:
    """The user had `new/n.txt`, the same as the landing's, when the publication began."""
    made = Crash(tmp_path)
    made.write("new/n.txt", "the new n\n")
    entry = journal.Entry(
        *(str(made.repo), "refs/heads/main", made.old, made.new, DEAD, "1", processes.boot_id()),
        same=("new/n.txt",),
    )
    journal.write(made.journal, entry)
    return made


def test_an_interrupted_publication_goes_on_and_leaves_that_file_as_it_lies(crash):
    inode = (crash.repo / "new/n.txt").stat().st_ino
    crash.write("b.txt", "the ne")
    assert crash.is_completed()
    assert (crash.repo / "new/n.txt").stat().st_ino == inode
    assert crash.kept() == {"b.txt": "the ne"}


def test_one_that_the_user_changed_after_the_crash_is_waited_for(crash):
    crash.write("new/n.txt", "the ne")
    assert crash.waits() == ("dirty", ("new/n.txt",))
    (crash.repo / "new/n.txt").unlink()
    assert crash.is_completed()
    assert (crash.repo / "new/n.txt").read_text() == "the new n\n"


def test_what_is_undone_is_ours_alone_and_the_users_file_is_untracked_again(crash):
    crash.write("b.txt", "the new b\n")
    crash.write("a.txt", "the new a\n")
    git(crash.repo, "add", "b.txt", "new/n.txt", "a.txt")
    undo.undo(Git(crash.repo), crash.old, crash.new, ("new/n.txt", "a.txt"))
    assert (crash.repo / "new/n.txt").read_text() == "the new n\n"
    assert (crash.repo / "a.txt").read_text() == "the new a\n"
    assert (crash.repo / "b.txt").read_text() == "old b\n"
    told = git(crash.repo, "status", "--porcelain", "-uall").split("\n")
    assert told == [" M a.txt", " M mine.txt", "?? new/n.txt"]


def test_a_file_that_the_user_deletes_in_the_middle_stays_deleted(desk, monkeypatch):
    """Between our look and git's: it is their deletion of what is published now."""
    write(desk, "new/n.txt", "n\n")
    taken = contents.take_up

    def and_deleted(*given: object) -> None:
        taken(*given)  # type: ignore[arg-type]
        (desk.repo / "new/n.txt").unlink()

    monkeypatch.setattr(contents, "take_up", and_deleted)
    assert desk.is_published()
    assert git(desk.repo, "status", "--porcelain") == " D new/n.txt"


def test_a_commit_of_the_same_files_by_the_user_is_followed_as_ever(desk):
    write(desk, "new/n.txt", "n\n")
    mine = commit_files(desk.repo, {"new/n.txt": "n\n"}, "mine")
    assert desk.diverges() == mine
