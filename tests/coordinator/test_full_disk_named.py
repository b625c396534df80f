"""An order that finds no room names the disk that is full: the repository's or worktrees', or the home's."""

from __future__ import annotations

from pathlib import Path

import pytest
from crew import Crew

from repositories import git, make_repository
from small_disks import PAGE, SmallDisk, need_mounts, run_in_a_namespace
from toryo import disks
from toryo.domain.errors import DiskFull
from waiting import eventually


def test_without_root_these_disks_are_filled_in_a_namespace(tmp_path: Path) -> None:
    run_in_a_namespace(__file__, tmp_path)


@pytest.mark.parametrize("pages", [0, 3, 6, 9])
def test_an_order_names_the_disk_of_the_repository_it_writes_to(
    crew: Crew, tmp_path: Path, caplog: pytest.LogCaptureFixture, pages: int
) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk", 2).mount()
    try:
        repo = make_repository(disk.path / "repo", {"a.txt": "one\n"})
        prepare = {"repo": str(repo), "run": "r1", "task": "t1", "agent": "dev", "client": "command"}
        prepare |= {"purpose": "implement", "name": "t1", "base": git(repo, "rev-parse", "main")}
        prepare |= {"target": "main", "prompt": "f" * 64}
        crew.daemon.start()
        crew.start()
        disk.fill(pages * PAGE)
        crew.daemon.give(crew.order("o1", "prepare", prepare, run="r1"))
        eventually(lambda: "Order waits: The disk of " in caplog.text)
        assert f"Order waits: The disk of {disk.path}" in caplog.text
        assert f"The disk of {crew.home.path}" not in caplog.text
        disk.empty()
        assert not eventually(lambda: crew.daemon.about("prepared", "o1"))[0]["problem"]
    finally:
        disk.unmount()


def test_a_write_without_a_name_is_told_by_the_disk_that_is_full(tmp_path: Path) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk", 2).mount()
    try:
        disk.fill()
        with pytest.raises(OSError, match="No space left") as unwritten, open(disk.path / "x", "wb") as file:
            file.write(b"x" * PAGE)
        assert unwritten.value.filename is None
        with pytest.raises(DiskFull, match=f"The disk of {disk.path}/below is full"):
            disks.insist_on_space(unwritten.value, tmp_path, tmp_path / "here", disk.path / "below")
        with pytest.raises(DiskFull, match=f"The disk of {tmp_path} is full"):
            disks.insist_on_space(unwritten.value, tmp_path)
    finally:
        disk.unmount()
