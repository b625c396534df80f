"""What Toryo exported into a checkout and nobody changed gives way to a newer version; the rest waits."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from user_desk import Desk, files_of

from repositories import git
from toryo.protocol.kinds.landing import Exported, Published, PublishInputs, PublishWaiting
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.publish import exported, landing_paths, publish

OLD, OLDER = "n, version 1\n", "n, version 0\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def known(path: str = "new/n.txt") -> Exported:
    return Exported(path=path, hashes=tuple(hashlib.sha256(one.encode()).hexdigest() for one in (OLD, OLDER)))


def published(desk: Desk, *exports: Exported) -> Published | PublishWaiting:
    inputs = PublishInputs(repo=str(desk.repo), target="main", old=desk.old, new=desk.new, exported=exports)
    return publish.publish(inputs, desk.journal)


def write(desk: Desk, text: str, name: str = "new/n.txt") -> Path:
    path: Path = desk.repo / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [OLD, OLDER])
def test_an_earlier_export_that_nobody_changed_is_kept_in_a_snapshot_and_replaced(desk, text):
    path = write(desk, text)
    path.chmod(0o664)
    answer = published(desk, known())
    assert isinstance(answer, Published)
    assert answer.published
    assert path.read_text() == "n\n"
    assert path.stat().st_mode & 0o777 == 0o664
    assert git(desk.repo, "status", "--porcelain") == ""
    assert git(desk.repo, "show", f"{answer.snapshot}:new/n.txt") == text.strip()
    assert git(desk.repo, "for-each-ref", "--contains", answer.snapshot, "refs/toryo/snapshots/publish/")


def test_one_letter_of_a_persons_and_it_waits_and_stays(desk):
    path = write(desk, OLD + ".")
    before = files_of(desk.repo)
    assert published(desk, known()).why == "untracked"
    assert files_of(desk.repo) == before
    path.write_text(OLD)
    git(desk.repo, "add", "new/n.txt")
    assert published(desk, known()).why == "dirty", "staged: the person has plans with it"
    git(desk.repo, "reset", "-q")
    path.unlink()
    path.symlink_to("../a.txt")
    (desk.repo / "a.txt").write_text(OLD)
    assert published(desk, known()).why == "dirty"


def test_while_anything_else_hinders_nothing_is_rewritten(desk):
    path = write(desk, OLD)
    write(desk, "mine\n", "a.txt")
    answer = published(desk, known())
    assert (answer.why, answer.paths) == ("dirty", ("a.txt",))
    assert path.read_text() == OLD


def test_an_export_over_what_the_branch_has_gives_way_too(desk):
    write(desk, OLD, "a.txt")
    answer = published(desk, known("a.txt"))
    assert answer.published
    assert (desk.repo / "a.txt").read_text() == "landed\n"
    assert git(desk.repo, "status", "--porcelain") == ""


def test_killed_between_the_two_it_is_the_landings_own_text_that_lies_there(desk):
    path = write(desk, OLD)
    landing = landing_paths.changes(Git(desk.repo), desk.old, desk.new)
    found = exported.unchanged(Git(desk.repo), landing, (known(),))
    assert [one.path for one in found] == ["new/n.txt"]
    exported.renew(Git(desk.repo), desk.repo / ".git", desk.old, found)
    assert path.read_text() == "n\n"
    assert published(desk, known()).published
