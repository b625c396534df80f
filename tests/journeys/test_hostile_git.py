"""The whole way of a task in a repository whose user has everything that makes git behave otherwise."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from hostile import BYPASS, ODD_NAMES, make_hostile
from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]
HERE = Path(__file__).parent
FILES = {
    "a.txt": "old\n",
    "Makefile": "test:\n\ttest -x run.sh\n\ttest ! -L a.txt\n",
    "run.sh": "#!/bin/sh\n",
    "scripts/git.orderfile": "*.h\n",
}
WRITE_ODD = f"""{sys.executable} -c '
import sys
sys.path[:0] = ["{HERE}", "{HERE.parent}"]
import hostile, pathlib
hostile.write_odd(pathlib.Path("odd"))'"""
WORK = f"""
if [ "$TORYO_PURPOSE" = resolve ]; then
    grep -q '<<<<<<<' a.txt || exit 9
    echo both > a.txt; {BYPASS} add -A && {BYPASS} commit -qm resolved; exit
fi
if [ -e {{second}} ]; then
    while [ ! -e {{go}} ]; do sleep 0.05; done
    echo second > a.txt; {BYPASS} commit -qam second; exit
fi
touch {{second}}
{WRITE_ODD} && ln -s /etc outside && ln -s nowhere dangling && ln -s a.txt link
chmod +x a.txt && echo new > a.txt
{BYPASS} add -A && {BYPASS} commit -qm 'work ü'
echo draft > draft.txt && echo more >> a.txt
"""


LFS = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n"
MISSING = '[filter "lfs"]\n\tsmudge = no-such-lfs smudge\n\tclean = no-such-lfs clean\n\trequired = true\n'


def test_lfs_attributes_without_lfs_are_plain_files(make_house: MakeHouse) -> None:
    house = make_house({".gitattributes": LFS, "x.bin": POINTER.format("1" * 64)}, branch="main", init=False)
    assert "Git LFS: files that a run did not commit are snapshotted" in house.ok("init", "--yes")
    house.agent(f"cp {house.root}/new x.bin; cp x.bin y.bin; git add -A; git commit -qm work; echo >> x.bin")
    (house.root / "new").write_text(POINTER.format("2" * 64))
    task = house.add("Another pointer")
    assert house.rest(task) == 0, house.story(task)
    assert (
        (house.repo / "y.bin").read_text() == (house.repo / "x.bin").read_text() == POINTER.format("2" * 64)
    )
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"
    run = house.task(task)["runs"][0]
    assert (run["uncommitted"], run["kept_worktree"]) == (["x.bin"], "")


def test_a_filter_that_fails_is_told_in_words_and_leaves_the_checkout_whole(make_house: MakeHouse) -> None:
    house = make_house(
        {".gitattributes": LFS, "a.txt": "a\n", "x.bin": POINTER.format("1" * 64)}, branch="main"
    )
    house.agent(f"cp {house.root}/new x.bin; echo new > a.txt; git add -A; git commit -qm work")
    (house.root / "new").write_text(POINTER.format("2" * 64))
    config = Path(house.env["HOME"]) / ".gitconfig"
    task = house.add("Another pointer", "--hold")
    config.write_text(MISSING)
    house.ok("task", "approve", task)
    assert house.rest(task) == 1
    assert "no-such-lfs" in house.task(task)["detail"], house.story(task)
    config.unlink()
    # once more, and the filter vanishes when everything but publishing is done
    (house.repo / "x.bin").write_text("mine\n")
    house.ok("task", "retry", task)
    eventually(
        lambda: house.state(task) == "landing waiting_for_checkout", within_s=60, what=house.story(task)
    )
    config.write_text(MISSING)
    (house.repo / "x.bin").write_text(POINTER.format("1" * 64))
    eventually(lambda: house.state(task) == "landing publish_failed", within_s=60, what=house.story(task))
    assert "no-such-lfs" in house.task(task)["detail"]
    assert (house.repo / "a.txt").read_text() == "a\n"
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"
    config.unlink()
    assert house.rest(task, limit_s=80) == 0, house.story(task)
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"


def names_in(folder: Path) -> set[bytes]:
    """Every file and link below, as bytes."""
    found = [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]
    return {os.fsencode(path.relative_to(folder)) for path in found}


def test_tasks_go_the_whole_way_in_a_hostile_repository(make_house: MakeHouse) -> None:
    house = make_house(FILES, branch="main", init=False)
    (house.repo / "run.sh").chmod(0o755)
    git(house.repo, "commit", "-qam", "executable")
    ran = make_hostile(house)
    house.ok("init", "--yes", "--base", "main")
    go = house.root / "go"
    house.agent(WORK.format(second=house.root / "second", go=go), slots="2")
    (house.repo / "mine.txt").write_text("mine\n")
    first = house.add("Odd names")
    eventually((house.root / "second").exists, within_s=30)
    second = house.add("In its way")
    assert house.rest(first, limit_s=60) == 1, house.story(first)
    assert house.evidence(first)["violations"] == [{"path": "outside", "rule": "link"}]
    house.ok("task", "approve", first)
    assert house.rest(first, limit_s=60) == 0, house.story(first)
    go.touch()
    assert house.rest(second, limit_s=60) == 0, house.story(second)

    back = house.root / "back"
    house.ok("restore", first, "--to", str(back))
    assert not ran.exists(), ran.read_text()  # from here on git is the user's own

    odd = {b"odd/" + name for name in ODD_NAMES}
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/\n?? mine.txt"
    assert odd <= names_in(house.repo)
    assert (house.repo / "a.txt").read_text() == "both\n"
    assert os.access(house.repo / "a.txt", os.X_OK)
    links = [str((house.repo / name).readlink()) for name in ("outside", "dangling", "link")]
    assert links == ["/etc", "nowhere", "a.txt"]
    assert [len(house.task(task)["runs"]) for task in (first, second)] == [1, 2]
    assert house.task(first)["runs"][0]["commits"] == 1

    assert ((back / "draft.txt").read_text(), (back / "a.txt").read_text()) == ("draft\n", "new\nmore\n")
    assert odd <= names_in(back)
    assert house.recomputed() == []
