"""Where retired worktrees lie: out of the user's sight, whatever filesystem their root is on."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benches import Bench, files_in, make_bench
from repositories import git
from toryo.protocol.kinds.run import Prepared
from toryo.workbench.git.keep import trash
from toryo.workbench.git.trash.restore import untrash
from toryo.workbench.git.trash.retire import clean, empty_trash

Status = os.stat_result


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def another_filesystem(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    """As if `root` were mounted: no rename leads out of it or into it."""
    rename: Callable[[Path, Path], Path] = Path.rename

    def strict(self: Path, target: Path) -> Path:
        if self.is_relative_to(root) != Path(target).is_relative_to(root):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", strict)
    monkeypatch.setattr(trash, "_filesystem", lambda folder: int(folder.is_relative_to(root)))


def put_away(bench: Bench, made: Prepared) -> Path:
    (Path(made.worktree) / "left.txt").write_text("left\n")
    (Path(made.worktree) / "cache").mkdir(0o500)
    os.mkfifo(Path(made.worktree) / "pipe")
    assert bench.collect(made).snapshot
    done = clean(bench.clean_inputs(made))
    assert done.freed, done.refused
    assert not Path(made.worktree).exists()
    return Path(done.trash)


def brought_back(bench: Bench, made: Prepared) -> bool:
    back = untrash(bench.repo, "r1")
    assert back.problem is None
    return git(Path(made.worktree), "status", "--porcelain") == "?? left.txt"


def test_a_root_outside_on_another_filesystem_keeps_its_trash_beside_the_worktrees(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    another_filesystem(monkeypatch, tmp_path / "far")
    made = bench.prepare(worktree_root=str(tmp_path / "far"))
    assert put_away(bench, made) == tmp_path / "far" / ".trash" / "r1"
    assert brought_back(bench, made)


def test_a_root_mounted_inside_the_repository_has_its_files_copied_out_of_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = bench.repo / ".worktrees"
    another_filesystem(monkeypatch, root)
    made = bench.prepare()
    where = put_away(bench, made)
    assert where == bench.repo / ".git" / "toryo" / "trash" / "node_modules" / "r1"
    assert files_in(where) == {"README.md", "left.txt"}
    assert not list(root.iterdir())
    assert brought_back(bench, made)
    assert not list(where.parent.iterdir())


def test_what_an_earlier_version_put_beside_the_worktrees_comes_back_and_is_emptied(bench: Bench) -> None:
    made = bench.prepare()
    old = bench.repo / ".worktrees" / ".trash" / "r1"
    for is_last in (False, True):
        where = put_away(bench, made)
        old.parent.mkdir(exist_ok=True)
        where.rename(old)
        record = bench.repo / ".git" / "toryo" / "trash" / "r1.json"
        record.write_text(json.dumps({**json.loads(record.read_text()), "files": str(old)}))
        if not is_last:
            assert brought_back(bench, made)
            (Path(made.worktree) / "cache").rmdir()
            (Path(made.worktree) / "pipe").unlink()
    assert empty_trash(bench.repo, 0, now=9e12) == 1
    assert not old.exists()
