"""A repository on a full disk: adopt says so, leaves no half file, and goes through once there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import make_repository
from small_disks import PAGE, SmallDisk, need_mounts, run_in_a_namespace
from toryo.protocol.kinds.repository import AdoptInputs
from toryo.workbench.git.worktrees.adopt import adopt


def test_without_root_this_disk_is_filled_in_a_namespace(tmp_path: Path) -> None:
    run_in_a_namespace(__file__, tmp_path)


@pytest.mark.parametrize("pages", [0, 1, 2])
def test_adopt_without_room_names_the_repositorys_disk_and_leaves_no_half_file(
    tmp_path: Path, pages: int
) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk", 2).mount()
    try:
        repo = make_repository(disk.path / "repo")
        inputs = AdoptInputs(path=str(repo), project="p1", installation="i1", base="main")
        disk.fill(pages * PAGE)
        told = adopt(inputs)
        assert told.problem is not None
        assert told.problem.code == "disk_full"
        assert told.problem.message == f"The disk of {repo} is full."
        assert told.problem.hint == f"df -h {repo}"
        assert [path for path in (repo / ".git").rglob(".*") if path.is_file()] == []
        disk.empty()
        assert adopt(inputs).problem is None
        assert "worktreeConfig = true" in (repo / ".git" / "config").read_text()
    finally:
        disk.unmount()
