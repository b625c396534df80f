"""Gate slots: who holds one, and that a commit's tree is exactly what a gate finds there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.workbench.gates import environment
from toryo.workbench.gates.checkout import Wanted, place, settle
from toryo.workbench.gates.setup import setup_key
from toryo.workbench.gates.slots import NoSlot, Slot, acquire
from toryo.workbench.git.door.git import Git, GitFailed


class Place:
    """A repository and one slot that is set up for the key `k`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo = make_repository(
            root / "repo", {"a.txt": "one\n", "d/b.txt": "two\n", ".gitignore": "made/\n"}
        )
        self.slot = Slot(root / "home" / "gates" / "p1" / "1")
        self.slot.path.mkdir(parents=True)

    def put(self, commit: str = "HEAD", key: str = "k", exclude: tuple[str, ...] = ()) -> Path:
        wanted = Wanted(self.repo, git(self.repo, "rev-parse", commit), key, exclude)
        place(self.slot, wanted)
        if self.slot.setup_key != key:
            settle(self.slot, wanted)
        return self.slot.checkout

    def files(self) -> list[str]:
        found = (path.relative_to(self.slot.checkout) for path in self.slot.checkout.rglob("*"))
        return sorted(str(p) for p in found if p.parts[0] != ".git" and not (self.slot.checkout / p).is_dir())


@pytest.fixture
def there(tmp_path: Path) -> Place:
    return Place(tmp_path)


# ── holding ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_held_slot_is_given_to_nobody_else(tmp_path: Path) -> None:
    with acquire(tmp_path, "p1", 2) as one, acquire(tmp_path, "p1", 2) as two:
        assert one.path != two.path
        with pytest.raises(NoSlot), acquire(tmp_path, "p1", 2, keep_waiting=lambda: False):
            pass
        with acquire(tmp_path, "p2", 1) as other:
            assert other.path.parent != one.path.parent
    with acquire(tmp_path, "p1", 1) as again:
        assert again.path == one.path


def test_a_slot_is_given_back_also_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), acquire(tmp_path, "p1", 1):
        raise ZeroDivisionError
    with acquire(tmp_path, "p1", 1, keep_waiting=lambda: False):
        pass


def test_the_slot_that_was_set_up_for_the_key_is_preferred_and_anothers_is_spared(tmp_path: Path) -> None:
    for number, key in (("1", "old"), ("2", ""), ("3", "wanted")):
        (tmp_path / "p1" / number / "git").mkdir(parents=True)
        (tmp_path / "p1" / number / "git" / "setup-key").write_text(key)
    names = []
    with (
        acquire(tmp_path, "p1", 3, prefer="wanted") as first,
        acquire(tmp_path, "p1", 3, prefer="wanted") as then,
    ):
        names = [first.path.name, then.path.name]
    assert names == ["3", "2"]


def test_what_was_put_aside_is_deleted_when_the_slot_is_given_back_also_read_only_folders(
    tmp_path: Path,
) -> None:
    with acquire(tmp_path, "p1", 1) as slot:
        (slot.path / "home" / "cache").mkdir(parents=True)
        (slot.path / "home" / "cache" / "file").touch()
        (slot.path / "home" / "cache").chmod(0o500)
        slot.set_aside()
        assert not slot.path.exists()
    assert list((tmp_path / "p1" / "trash").iterdir()) == []


# ── the tree ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_slot_is_a_repository_of_its_own_detached_at_the_commit(there: Place) -> None:
    checkout = there.put()
    assert git(checkout, "rev-parse", "--show-toplevel") == str(checkout)
    assert git(checkout, "rev-parse", "HEAD") == git(there.repo, "rev-parse", "HEAD")
    assert git(checkout, "status", "--porcelain", "--branch") == "## HEAD (no branch)"
    assert git(checkout, "remote") + git(checkout, "for-each-ref") == ""
    assert (checkout / ".git/objects/info/alternates").read_text() == f"{there.repo}/.git/objects\n"
    assert there.files() == [".gitignore", "a.txt", "d/b.txt"]


def test_a_slot_is_used_again_without_writing_unchanged_files(there: Place) -> None:
    before = (there.put() / "a.txt").stat()
    commit_files(there.repo, {"d/b.txt": "three\n"})
    checkout = there.put()
    assert (checkout / "a.txt").stat() == before
    assert (checkout / "d/b.txt").read_text() == "three\n"


def test_whatever_a_check_did_to_the_tree_is_undone(there: Place) -> None:
    checkout = there.put()
    stat = (checkout / "a.txt").stat()
    git(checkout, "update-index", "--assume-unchanged", "a.txt")
    (checkout / "a.txt").write_text("two\n")
    os.utime(checkout / "a.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    (checkout / "d/b.txt").unlink()
    (checkout / "d").rmdir()
    (checkout / "d").symlink_to(there.repo / "d")
    (checkout / "junk/deep").mkdir(parents=True)
    make_repository(checkout / "nested")
    (checkout / ".git/info/exclude").write_text("junk/\n")
    git(checkout, "config", "core.worktree", "/nonexistent")
    there.put()
    assert there.files() == [".gitignore", "a.txt", "d/b.txt"]
    assert ((checkout / "a.txt").read_text(), (checkout / "d/b.txt").read_text()) == ("one\n", "two\n")
    assert (there.repo / "d/b.txt").read_text() == "two\n"
    assert git(checkout, "status", "--porcelain") == ""
    assert not (checkout / "junk").exists()
    assert not (checkout / "nested").exists()


def test_ignored_files_stay_with_the_key_and_go_with_it(there: Place) -> None:
    checkout = there.put()
    (checkout / "made").mkdir()
    (checkout / "made/x").touch()
    (there.slot.home / "cache").touch()
    (there.slot.tmp / "left").touch()
    there.put()
    assert (checkout / "made/x").exists()
    assert (there.slot.home / "cache").exists()
    assert not (there.slot.tmp / "left").exists()
    there.put(key="other")
    assert not (checkout / "made").exists()
    assert not (there.slot.home / "cache").exists()


def test_bytecode_of_the_projects_own_files_does_not_outlive_a_gate(
    there: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python trusts bytecode whose source has the same size and second."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    commit_files(there.repo, {"pkg/m.py": "X = 1\n", ".gitignore": "__pycache__/\n"})
    checkout = there.put()
    shown = ["python3", "-c", "import pkg.m; print(pkg.m.X)"]
    assert subprocess.run(shown, cwd=checkout, capture_output=True, check=True).stdout == b"1\n"
    assert list((checkout / "pkg/__pycache__").iterdir())
    second = (checkout / "pkg/m.py").stat().st_mtime_ns
    commit_files(there.repo, {"pkg/m.py": "X = 2\n"})
    there.put()
    os.utime(checkout / "pkg/m.py", ns=(second, second))
    assert subprocess.run(shown, cwd=checkout, capture_output=True, check=True).stdout == b"2\n"


def test_an_excluded_path_is_not_reached_through_a_link_that_a_check_made(there: Place) -> None:
    commit_files(there.repo, {"secrets/a": "tracked\n"})
    checkout = there.put(exclude=("secrets/",))
    outside = there.root / "outside"
    outside.mkdir()
    (outside / "a").write_text("of the user\n")
    (checkout / "secrets").symlink_to(outside)
    there.put(exclude=("secrets/",))
    assert (outside / "a").read_text() == "of the user\n"
    assert not (checkout / "secrets").exists()


def test_the_exclude_patterns_may_change_between_gates(there: Place) -> None:
    there.put(exclude=("d/*.txt",))
    assert there.files() == [".gitignore", "a.txt"]
    there.put(exclude=("a.txt",))
    assert there.files() == [".gitignore", "d/b.txt"]


@pytest.mark.parametrize("harm", ["index", "HEAD", "objects", "checkout"])
def test_a_damaged_slot_is_made_anew(harm: str, there: Place) -> None:
    checkout = there.put()
    if harm == "index":
        (there.slot.git_dir / "index").write_bytes(b"DIRC nonsense")
    elif harm == "HEAD":
        (there.slot.git_dir / "HEAD").write_text("nonsense\n")
    elif harm == "objects":
        (there.slot.git_dir / "objects" / "info" / "alternates").unlink()
    else:
        checkout.rename(checkout.with_name("elsewhere"))
        checkout.touch()
    there.put()
    assert there.files() == [".gitignore", "a.txt", "d/b.txt"]
    assert git(there.slot.checkout, "status", "--porcelain") == ""


def test_an_index_lock_that_a_dead_holder_left_costs_nothing(there: Place) -> None:
    checkout = there.put()
    (checkout / "made").mkdir()
    (checkout / "made/x").touch()
    (there.slot.git_dir / "index.lock").touch()
    there.put()
    assert (checkout / "made/x").exists()


def test_a_commit_that_does_not_exist_is_an_error_not_an_endless_repair(there: Place) -> None:
    with pytest.raises(GitFailed):
        place(there.slot, Wanted(there.repo, "1" * 40, "k"))


def test_a_linked_worktree_and_another_object_format_are_served(tmp_path: Path) -> None:
    there = Place(tmp_path)
    plain = there.repo
    git(plain, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    there.repo = tmp_path / "linked"
    there.put()
    assert (there.slot.checkout / ".git/objects/info/alternates").read_text() == f"{plain}/.git/objects\n"
    there.repo = tmp_path / "sha256"
    there.repo.mkdir()
    git(there.repo, "init", "-q", "--object-format=sha256")
    make_repository(there.repo, {"x": "y\n"})
    there.put(key="another project's")
    assert there.files() == ["x"]


# ── keys ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_set_up_key_follows_commands_inputs_and_machine_and_nothing_else(there: Place) -> None:
    source, first = Git(there.repo), git(there.repo, "rev-parse", "HEAD")

    def key(commit: str, steps: tuple[str, ...] = ("make",), machine: str = "m") -> str:
        return setup_key(source, commit, steps, ("*.lock", "requirements*.txt"), machine)

    other = commit_files(there.repo, {"a.txt": "changed\n"})
    deep = commit_files(there.repo, {"sub/deps.lock": "1\n"})
    assert key(other) == key(first)
    assert len({key(first), key(deep), key(first, ("cmake",)), key(first, machine="n")}) == 4


def test_the_fingerprint_changes_with_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = environment.fingerprint()
    assert environment.fingerprint() == before
    tool = tmp_path / "bin" / "node"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    assert environment.fingerprint() != before


def test_a_toolchain_that_lives_in_the_real_home_is_named_to_checks(
    tmp_path: Path, unreachable_home: Path
) -> None:
    def env() -> dict[str, str]:
        return environment.check_environment(
            tmp_path / "c", tmp_path / "h", tmp_path / "t", tmp_path / "repo", True
        )

    assert "RUSTUP_HOME" not in env()
    (unreachable_home / ".rustup").mkdir()
    assert env()["RUSTUP_HOME"] == str(unreachable_home / ".rustup")
    assert env()["HOME"] == str(tmp_path / "h")
