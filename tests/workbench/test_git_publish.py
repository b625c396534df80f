"""Publishing into a branch that is checked out nowhere, or into the user's own checkout."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from user_desk import Desk, changed, files_of, manifest

from repositories import commit_files, git, make_repository
from toryo import processes
from toryo.protocol.kinds.landing import Published


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# ── where the branch is checked out nowhere ───────────────────────────────────────────────────────────


def test_a_branch_that_is_checked_out_nowhere_moves_by_its_ref_alone(desk):
    git(desk.repo, "checkout", "-q", "-b", "other")
    (desk.repo / "a.txt").write_text("mine\n")
    before = files_of(desk.repo)
    assert desk.is_published()
    assert files_of(desk.repo) == before
    assert git(desk.repo, "diff", "HEAD", "--name-only") == "a.txt"
    assert not desk.journal.exists()


def test_a_checkout_that_is_detached_at_the_branch_does_not_hold_it(desk):
    git(desk.repo, "checkout", "-q", "--detach")
    assert desk.is_published()
    assert git(desk.repo, "rev-parse", "HEAD") == desk.old
    assert git(desk.repo, "status", "--porcelain") == ""


def test_a_linked_worktree_that_holds_the_branch_is_the_checkout_to_publish_into(desk, tmp_path):
    git(desk.repo, "checkout", "-q", "-b", "other")
    git(desk.repo, "worktree", "add", "-q", str(tmp_path / "linked ü"), "main")
    desk.checkout = tmp_path / "linked ü"
    (tmp_path / "linked ü" / "a.txt").write_text("mine\n")
    assert desk.waits() == ("dirty", ("a.txt",))
    git(tmp_path / "linked ü", "checkout", "-q", "a.txt")
    assert desk.is_published()
    assert (tmp_path / "linked ü" / "a.txt").read_text() == "landed\n"
    assert (desk.repo / "a.txt").read_text() == "a\n"


@pytest.mark.parametrize("kind", ["separate git directory", "submodule"])
def test_a_checkout_whose_git_directory_is_elsewhere_holds_the_branch_too(desk, tmp_path, kind):
    if kind == "submodule":
        outer = make_repository(tmp_path / "outer")
        git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(desk.repo), "inner")
        git(outer / "inner", "fetch", "-q", str(desk.repo), desk.new)
        desk.repo = desk.checkout = outer / "inner"
    else:
        git(desk.repo, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere.git"))
    (desk.repo / "a.txt").write_text("mine\n")
    assert desk.waits() == ("dirty", ("a.txt",))
    git(desk.repo, "checkout", "-q", "a.txt")
    assert desk.is_published()
    assert git(desk.repo, "status", "--porcelain", "--ignored") == ""
    assert (desk.repo / "a.txt").read_text() == "landed\n"


def test_a_worktree_that_is_gone_holds_nothing_but_a_locked_one_may_come_back(desk, tmp_path):
    git(desk.repo, "checkout", "-q", "-b", "other")
    git(desk.repo, "worktree", "add", "-q", "--lock", str(tmp_path / "drive"), "main")
    (tmp_path / "drive").rename(tmp_path / "unplugged")
    desk.checkout = tmp_path / "drive"
    assert desk.waits() == ("missing checkout", (str(tmp_path / "drive"),))
    git(desk.repo, "worktree", "unlock", str(tmp_path / "drive"))
    assert desk.is_published()


def test_a_branch_checked_out_twice_is_a_problem_and_moves_nowhere(desk, tmp_path):
    git(desk.repo, "worktree", "add", "-q", "--force", str(tmp_path / "second"), "main")
    answer = desk.publish()
    assert isinstance(answer, Published)
    assert answer.problem is not None
    assert (answer.problem.code, desk.branch()) == ("checked_out_twice", desk.old)


# ── into the user's checkout ──────────────────────────────────────────────────────────────────────────


def test_a_clean_checkout_follows_its_branch(desk):
    assert desk.is_published()
    assert git(desk.repo, "status", "--porcelain", "--ignored") == ""
    assert (desk.repo / "new/n.txt").read_text() == "n\n"
    assert not (desk.repo / "gone.txt").exists()
    assert not desk.journal.exists()


def test_what_the_user_has_elsewhere_stays_byte_for_byte(desk):
    (desk.repo / "b.txt").write_bytes(b"half a thought\r\n\xff")
    (desk.repo / "dir/c.txt").write_text("staged\n")
    git(desk.repo, "add", "dir/c.txt")
    (desk.repo / "new").mkdir()
    (desk.repo / "new/untracked").write_text("u\n")
    (desk.repo / "y.ign").write_text("secret\n")
    before = files_of(desk.repo)
    assert desk.is_published()
    after = files_of(desk.repo)
    mine = ("b.txt", "dir/c.txt", "new/untracked", "y.ign")
    assert {name: after[name] for name in mine} == {name: before[name] for name in mine}
    assert git(desk.repo, "diff", "--cached", "--name-only") == "dir/c.txt"
    assert git(desk.repo, "diff", "--name-only") == "b.txt"


def test_it_waits_for_a_dirty_path_of_the_landing(desk):
    (desk.repo / "a.txt").write_text("mine\n")
    (desk.repo / "b.txt").write_text("not in the landing\n")
    assert desk.waits() == ("dirty", ("a.txt",))


def test_it_waits_for_a_staged_path_also_if_the_landing_deletes_it(desk):
    (desk.repo / "gone.txt").write_text("mine\n")
    git(desk.repo, "add", "gone.txt")
    assert desk.waits() == ("dirty", ("gone.txt",))


def test_it_waits_for_an_untracked_file_where_the_landing_adds_one(desk):
    (desk.repo / "new").mkdir()
    (desk.repo / "new/n.txt").write_text("mine\n")
    assert desk.waits() == ("untracked", ("new/n.txt",))


def test_it_waits_for_an_ignored_file_where_the_landing_adds_one(desk):
    (desk.repo / "x.ign").write_text("mine\n")
    assert desk.waits() == ("ignored", ("x.ign",))


def test_it_names_every_path_that_stands_in_the_way(desk):
    (desk.repo / "a.txt").write_text("mine\n")
    (desk.repo / "x.ign").write_text("mine\n")
    assert desk.waits() == ("dirty", ("a.txt", "x.ign"))


@pytest.mark.parametrize("as_link", [False, True])
def test_it_waits_for_a_file_or_link_where_the_landing_needs_a_directory(desk, tmp_path, as_link):
    if as_link:
        (tmp_path / "elsewhere").mkdir()
        (desk.repo / "new").symlink_to(tmp_path / "elsewhere")
    else:
        (desk.repo / "new").write_text("mine\n")
    assert desk.waits() == ("untracked", ("new",))


def test_it_waits_for_what_lies_in_a_directory_that_the_landing_turns_into_a_file(desk):
    desk.new = desk.landing({"dir": "a file now\n"}, delete="dir")
    (desk.repo / "dir/mine.ign").write_text("mine\n")
    assert desk.waits() == ("ignored", ("dir/mine.ign",))
    (desk.repo / "dir/mine.ign").unlink()
    assert desk.is_published()
    assert (desk.repo / "dir").read_text() == "a file now\n"


def test_a_file_may_become_a_directory(desk):
    desk.new = desk.landing({"b.txt/inside": "i\n"})
    assert desk.is_published()
    assert (desk.repo / "b.txt/inside").read_text() == "i\n"


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_the_user_hid_from_git_is_waited_for_too(desk, flag):
    (desk.repo / "a.txt").write_text("hidden\n")
    git(desk.repo, "update-index", flag, "a.txt")
    assert desk.waits() == ("dirty", ("a.txt",))


def test_a_publication_that_waited_goes_through_when_the_path_is_free(desk):
    (desk.repo / "x.ign").write_text("mine\n")
    assert desk.waits()[0] == "ignored"
    (desk.repo / "x.ign").rename(desk.repo / "kept.ign")
    assert desk.is_published()
    assert (desk.repo / "kept.ign").read_text() == "mine\n"


# ── operations in progress ────────────────────────────────────────────────────────────────────────────


def conflict_with(desk: Desk, *verb: str) -> None:
    """Stop the user's own operation in a conflict over b.txt, which no landing touches."""
    git(desk.repo, "checkout", "-q", "-b", "feature")
    commit_files(desk.repo, {"b.txt": "feature\n"})
    git(desk.repo, "checkout", "-q", "main")
    desk.old = commit_files(desk.repo, {"b.txt": "main\n"})
    desk.new = desk.landing({"a.txt": "landed\n"})
    done = subprocess.run(["git", *verb], cwd=desk.repo, capture_output=True, check=False)
    assert done.returncode != 0


@pytest.mark.parametrize(
    ("verb", "why"),
    [
        (("merge", "feature"), "merge"),
        (("rebase", "feature"), "rebase"),
        (("rebase", "--apply", "feature"), "rebase"),
        (("cherry-pick", "feature"), "cherry-pick"),
        (("revert", "--no-edit", "HEAD~1"), "revert"),
    ],
)
def test_it_waits_for_an_operation_in_progress(desk, verb, why):
    if why == "revert":
        commit_files(desk.repo, {"b.txt": "between\n"})
    conflict_with(desk, *verb)
    assert desk.waits() == (why, ())


def test_patches_that_stopped_in_a_conflict_are_told_as_am(desk, tmp_path):
    git(desk.repo, "checkout", "-q", "-b", "feature")
    commit_files(desk.repo, {"b.txt": "feature\n"})
    git(desk.repo, "format-patch", "-q", "-1", "-o", str(tmp_path / "patches"))
    git(desk.repo, "checkout", "-q", "main")
    (patch,) = (tmp_path / "patches").iterdir()
    desk.old = commit_files(desk.repo, {"b.txt": "main\n"})
    desk.new = desk.landing({"a.txt": "landed\n"})
    done = subprocess.run(["git", "am", str(patch)], cwd=desk.repo, capture_output=True, check=False)
    assert done.returncode != 0
    assert desk.waits() == ("am", ())
    git(desk.repo, "am", "--abort")
    assert desk.is_published()


def test_it_waits_for_a_bisect_that_will_come_back_to_the_branch(desk):
    for number in range(4):
        desk.old = commit_files(desk.repo, {"b.txt": f"{number}\n"})
    desk.new = desk.landing({"a.txt": "landed\n"})
    git(desk.repo, "bisect", "start", "HEAD", "HEAD~4")
    assert git(desk.repo, "branch", "--show-current") == ""
    assert desk.waits() == ("bisect", ())
    git(desk.repo, "bisect", "reset")
    assert desk.is_published()


def test_it_waits_for_a_rebase_in_another_worktree_that_moves_the_branch_along(desk, tmp_path):
    git(desk.repo, "checkout", "-q", "-b", "base")
    commit_files(desk.repo, {"u.txt": "base\n"})
    git(desk.repo, "checkout", "-q", "main")
    desk.old = commit_files(desk.repo, {"u.txt": "main\n"})
    desk.new = desk.landing({"a.txt": "landed\n"})
    git(desk.repo, "checkout", "-q", "-b", "upper")
    commit_files(desk.repo, {"v.txt": "v\n"})
    git(desk.repo, "checkout", "-q", "base")
    linked = tmp_path / "linked"
    git(desk.repo, "worktree", "add", "-q", str(linked), "upper")
    argv = ["git", "rebase", "--update-refs", "base"]
    assert subprocess.run(argv, cwd=linked, capture_output=True, check=False).returncode != 0
    desk.checkout = linked
    assert desk.waits() == ("rebase", ())
    git(linked, "rebase", "--abort")
    assert desk.is_published()


def test_a_lock_says_whose_it_is_and_is_removed_once_that_process_is_dead(desk):
    lock = desk.repo / ".git/index.lock"
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        lock.write_text(f"toryo {other.pid} {processes.start_time(other.pid)} {processes.boot_id()}\n")
        assert desk.waits() == ("index.lock", ())
        assert lock.exists()
    assert desk.is_published()
    assert not lock.exists()


def test_a_lock_of_another_boot_is_removed(desk):
    pid = os.getpid()
    (desk.repo / ".git/index.lock").write_text(f"toryo {pid} {processes.start_time(pid)} another-boot\n")
    assert desk.is_published()


def test_it_waits_for_an_index_lock_that_is_not_ours(desk):
    lock = desk.repo / ".git/index.lock"
    lock.touch()
    assert desk.waits() == ("index.lock", ())
    assert lock.exists()
    lock.unlink()
    assert desk.is_published()


# ── moved targets ─────────────────────────────────────────────────────────────────────────────────────


def test_a_target_that_a_person_moved_ahead_is_never_forced(desk):
    theirs = commit_files(desk.repo, {"b.txt": "theirs\n"})
    assert desk.diverges() == theirs
    git(desk.repo, "checkout", "-q", "--detach")
    assert desk.diverges() == theirs


def test_a_target_that_a_person_rewound_stays_rewound(desk):
    desk.old = commit_files(desk.repo, {"b.txt": "landed before\n"})
    desk.new = desk.landing({"a.txt": "landed\n"})
    git(desk.repo, "reset", "-q", "--hard", "HEAD~1")
    assert desk.diverges() == git(desk.repo, "rev-parse", "main")


def test_a_target_behind_what_was_accepted_meanwhile_is_fast_forwarded_from_where_it_is(desk):
    desk.old = desk.new
    desk.new = desk.landing({"b.txt": "second\n"}, onto=desk.old)
    assert desk.is_published()
    assert (desk.repo / "a.txt").read_text() == "landed\n"


def test_a_target_that_contains_the_landing_is_published(desk):
    git(desk.repo, "merge", "-q", "--ff-only", desk.new)
    assert desk.is_published()
    beyond = commit_files(desk.repo, {"b.txt": "beyond\n"})
    answer = desk.publish()
    assert isinstance(answer, Published)
    assert (answer.published, answer.commit, desk.branch()) == (True, desk.new, beyond)


def test_a_deleted_target_and_an_unknown_commit_are_told(desk, tmp_path):
    answer = desk.publish(new="1" * 40)
    assert isinstance(answer, Published)
    assert answer.problem is not None
    assert answer.problem.code == "unknown_commit"
    git(desk.repo, "checkout", "-q", "--detach")
    git(desk.repo, "branch", "-q", "-D", "main")
    assert desk.publish() == Published(diverged=True)
    desk.repo = tmp_path / "moved away"
    answer = desk.publish()
    assert isinstance(answer, Published)
    assert answer.problem is not None
    assert answer.problem.code == "no_repository"


def test_a_landing_that_brings_a_submodule_is_published_without_looking_into_it(desk):
    side = desk.repo.parent / "side"
    git(desk.repo, "worktree", "add", "-q", "--detach", str(side), "main")
    git(side, "update-index", "--add", "--cacheinfo", f"160000,{desk.old},vendor/lib")
    git(side, "commit", "-q", "-m", "submodule")
    desk.new = git(side, "rev-parse", "HEAD")
    (desk.repo / "vendor/lib").mkdir(parents=True)
    assert desk.is_published()


# ── settings of the user ──────────────────────────────────────────────────────────────────────────────


def test_hooks_neither_veto_nor_run(desk, tmp_path):
    for name in (
        "post-merge",
        "reference-transaction",
        "pre-merge-commit",
        "post-checkout",
        "post-index-change",
    ):
        hook = desk.repo / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\necho noise\necho ran >> {tmp_path}/ran\nexit 1\n")
        hook.chmod(0o755)
    assert desk.is_published()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("commit.gpgSign", "true"),
        ("merge.verifySignatures", "true"),
        ("merge.ff", "false"),
        ("merge.autoStash", "true"),
        ("branch.main.mergeOptions", "--no-ff --squash --no-commit --edit"),
        ("branch.main.mergeOptions", "-s ours"),
        ("branch.main.mergeOptions", "--no-such-option"),
        ("core.fsmonitor", "/bin/false"),
        ("core.safecrlf", "true"),
        ("diff.orderFile", "not/there"),
        ("color.ui", "always"),
        ("log.showSignature", "true"),
        ("status.showUntrackedFiles", "all"),
    ],
)
def test_a_setting_of_the_user_changes_nothing(desk, key, value):
    git(desk.repo, "config", key, value)
    (desk.repo / "b.txt").write_text("mine\n")
    assert desk.is_published()
    assert (desk.repo / "b.txt").read_text() == "mine\n"
    assert git(desk.repo, "stash", "list") == ""


def test_files_are_written_through_the_users_filters(desk):
    git(desk.repo, "config", "core.autocrlf", "true")
    assert desk.is_published()
    assert (desk.repo / "a.txt").read_bytes() == b"landed\r\n"


@pytest.mark.parametrize("required", ["true", "false"])
def test_a_filter_that_cannot_write_the_new_content_is_told_before_a_file_is_touched(desk, required):
    """As Git LFS without its program, or without the network."""
    (desk.repo / ".git/info/attributes").write_text("*.bin filter=lfs\n")
    desk.old = commit_files(desk.repo, {"z.bin": "old\n"})
    desk.new = desk.landing({"a.txt": "landed\n", "z.bin": "new\n"})
    git(desk.repo, "config", "filter.lfs.clean", "cat")
    git(desk.repo, "config", "filter.lfs.smudge", "no-such-program %f")
    git(desk.repo, "config", "filter.lfs.required", required)
    before = manifest(desk.repo)
    answer = desk.publish()
    assert isinstance(answer, Published)
    if required == "false":
        assert answer.published
        return
    assert answer.problem is not None
    assert answer.problem.code == "filter_failed"
    assert "z.bin" in answer.problem.message
    assert changed(before, manifest(desk.repo)) == set()
    git(desk.repo, "config", "filter.lfs.smudge", "cat")
    assert desk.is_published()
    assert git(desk.repo, "status", "--porcelain") == ""


@pytest.mark.skipif(os.name != "posix", reason="names of bytes")
def test_names_of_every_kind_are_published_and_waited_for(desk):
    name = 'dir/日本 "語"\n.txt'
    desk.new = desk.landing({name: "one\n"})
    (desk.repo / name).write_text("mine\n")
    assert desk.waits() == ("untracked", (name,))
    (desk.repo / name).unlink()
    assert desk.is_published()
