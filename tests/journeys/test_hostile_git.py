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
