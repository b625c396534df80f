"""A disk fills up at any order: it is waited for and shown, and when there is room all goes on by itself."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from house import House, build
from many_hands import Hands

from repositories import git
from small_disks import SmallDisk, need_mounts, run_in_a_namespace
from toryo.protocol.wire import call
from toryo.workbench.runs.stop import stop
from waiting import eventually

pytestmark = pytest.mark.long

MakeSmall = Callable[..., "SmallHouse"]
CHECKED = {"README.md": "hello\n", "Makefile": "test:\n\ttrue\n"}
ORDERS = ("prepare", "run", "collect", "candidate", "check", "accept", "publish", "clean")
MIDST = (
    *("launch.written", "prepare.after", "collect.after", "candidate.after", "check.slot_taken"),
    *("check.placed", "check.occupied", "check.launched", "check.ended", "check.after", "accept.after"),
    *("publish.locked", "publish.journalled", "publish.merged", "publish.index", "clean.after"),
)
BEFORE = tuple(f"{kind}.before" for kind in ORDERS)
FILLED = [
    ("home", BEFORE),
    ("repository", tuple(step for step in BEFORE if step != "check.before")),  # a check writes nothing there
    ("home repository", BEFORE),
    ("home repository", MIDST),
]


class SmallHouse:
    """Home and repository on two small disks; coordinators that can be stopped at a step."""

    def __init__(self, root: Path, *, checked: bool = True) -> None:
        self.disks = {"home": SmallDisk(root / "th").mount(), "repository": SmallDisk(root / "repo").mount()}
        self.house: House = build(root, CHECKED if checked else None, branch="main")
        self.hands = Hands(self.house)

    def fill(self, *names: str, leave: int = 0) -> None:
        for name in names:
            self.disks[name].fill(leave)

    def empty(self) -> None:
        for disk in self.disks.values():
            disk.empty()

    def problems(self) -> list[str]:
        """As `toryo status` has them, without a process for each question."""
        key = (self.house.home / "operator.key").read_text().strip()
        told: dict[str, Any] = call(self.house.home / "mcp.sock", "get_status", {}, key)
        return [one["what"] for one in told["problems"]]

    def waits(self) -> bool:
        return any("orders wait" in what and "full" in what for what in self.problems())

    def close(self) -> None:
        self.empty()
        self.hands.end()
        self.house.close()
        for disk in self.disks.values():
            disk.unmount()


@pytest.fixture
def make_small(tmp_path: Path) -> Iterator[MakeSmall]:
    need_mounts(tmp_path)
    root = Path(tempfile.mkdtemp(prefix="tj"))  # not tmp_path: a socket's path must fit
    made: list[SmallHouse] = []

    def make(**wishes: bool) -> SmallHouse:
        made.append(SmallHouse(root, **wishes))
        made[-1].hands.begin()
        made[-1].hands.start_and_wait()
        return made[-1]

    yield make
    for small in made:
        small.close()
    shutil.rmtree(root, ignore_errors=True)


def test_without_root_these_disks_are_filled_in_a_namespace(tmp_path: Path) -> None:
    run_in_a_namespace(__file__, tmp_path)


@pytest.mark.parametrize(("full", "steps"), FILLED)
def test_a_disk_that_fills_up_at_each_order_is_waited_for(
    make_small: MakeSmall, full: str, steps: tuple[str, ...]
) -> None:
    small = make_small()
    house, hands = small.house, small.hands
    house.agent(
        "echo x > x.txt && head -c 300000 /dev/urandom > big.bin && git add -A && git commit -qm work\n"
        "echo draft > notes.txt"
    )
    eventually(lambda: a_spare_waits(house), within_s=30, what="a spare: runs are got ready early")
    hands.arm(f"{steps[0]} stop")
    task = house.add("Wait for room")
    for step, following in pairwise([*steps, ""]):
        stopped = hands.stopped()
        # git gets half way there: with the first part of a file, and no room for the rest
        small.fill(*full.split(), leave=100_000 if step == "publish.journalled" else 0)
        hands.arm(f"{following} stop" if following else "")
        hands.go_on(stopped)
        # a fact that was acknowledged meanwhile gives its page back, and the last order may find room in it
        done = partial(is_cleaned, small) if step == "clean.before" else bool
        eventually(lambda done=done: small.waits() or done(), within_s=30, what=f"it waits at {step}")
        assert house.task(task)["status"] not in ("failed", "needs_review", "blocked"), house.story(task)
        if step == steps[0]:
            told_to_a_person(small, full)
        small.empty()
    landed_once(small, task)


def a_spare_waits(house: House) -> bool:
    mark = str(house.home / "coordinators" / "main" / "spare" / "spare.pyc").encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes():
                return True
        except OSError:
            continue  # it has just ended
    return False


def is_cleaned(small: SmallHouse) -> bool:
    return not git(small.house.repo, "branch", "--list", "agent/*")


def a_run_that_works(small: SmallHouse, script: str) -> tuple[str, Path]:
    """Its agent has begun, and goes on once the file is there."""
    go = small.house.root / "go"
    wait = f"touch {go}.works; while [ ! -e {go} ]; do sleep 0.05; done"
    small.house.agent(f"echo x > x.txt && git add -A && git commit -qm work\n{wait}\n{script}")
    task = small.house.add("Go on")
    eventually(go.with_suffix(".works").exists, within_s=30, what="the agent works")
    return task, go


def _blocks(record: Path) -> int:
    """Of what the shim reserved for it."""
    return sum(half.stat().st_blocks for half in record.parent.glob(f"{record.name}.*"))


def test_the_exit_record_has_its_place_on_a_disk_that_filled_up_meanwhile(make_small: MakeSmall) -> None:
    small = make_small()
    task, go = a_run_that_works(small, "exit 0")
    run = eventually(lambda: small.house.task(task)["runs"][0]["id"])
    record = small.house.home / "coordinators" / "main" / "runs" / run / "exit.json"
    eventually(lambda: _blocks(record) > 0, what="its place is reserved")
    small.fill("home", "repository")
    with pytest.raises(OSError, match="No space left"):
        (record.parent / "nothing more fits").write_bytes(bytes(8192))
    go.touch()
    eventually(record.exists, within_s=30, what="the record is there, on the full disk")
    assert json.loads(record.read_text())["exit_code"] == 0
    assert small.house.task(task)["status"] in ("running", "verifying")
    small.empty()
    assert small.house.rest(task) == 0, small.house.story(task)
    assert [one["outcome"] for one in small.house.task(task)["runs"]] == ["succeeded"]


def test_an_agent_that_fails_on_a_full_disk_is_started_again_when_there_is_room(
    make_small: MakeSmall,
) -> None:
    small = make_small()
    task, go = a_run_that_works(small, "head -c 100000 /dev/zero > big.bin || exit 9\nrm big.bin")
    small.fill("repository")
    go.touch()
    eventually(small.waits, within_s=30, what="what it left waits to be collected")
    shown = small.house.task(task)
    assert (shown["status"], shown["runs"][0]["outcome"]) == ("verifying", "failed"), small.house.story(task)
    assert len(small.house.started()) == 1, "nobody is started on a full disk"
    small.empty()
    assert small.house.rest(task) == 0, small.house.story(task)
    assert [one["outcome"] for one in small.house.task(task)["runs"]] == ["failed", "succeeded"]


def test_a_check_that_failed_for_want_of_room_is_made_again_also_if_there_is_room_by_then(
    make_small: MakeSmall,
) -> None:
    small = make_small(checked=False)
    house, hands = small.house, small.hands
    go = house.root / "go"
    house.agent("echo x > x.txt && git add -A && git commit -qm work")
    hands.arm("check.ended stop")
    waits = f"touch {go}.works; while [ ! -e {go} ]; do sleep 0.05; done; echo fine"
    task = house.add("Have room again", "--check", waits)
    eventually(go.with_suffix(".works").exists, within_s=30, what="the check works")
    small.fill("home")
    go.touch()
    stopped = hands.stopped()
    small.empty()
    hands.arm("")
    hands.go_on(stopped)
    assert house.rest(task) == 0, house.story(task)
    checks = house.evidence(task)["checks"]
    assert [(one["result"], one["output"]) for one in checks] == [("passed", "fine\n")]


def test_a_daemon_that_cannot_start_on_a_full_disk_says_so_and_starts_later(make_small: MakeSmall) -> None:
    small = make_small()
    for pid in small.house.pids():
        small.house.kill(pid)
    small.fill("home")
    refused = small.house.toryo("up")
    assert refused.returncode == 1
    assert f"The disk of {small.house.home}" in refused.stderr
    assert "is full" in refused.stderr
    assert "df -h" in refused.stderr
    assert "Traceback" not in refused.stderr
    small.empty()
    small.house.ok("up")
    assert small.problems() == []


def test_a_run_can_be_stopped_on_a_full_disk(make_small: MakeSmall) -> None:
    small = make_small()
    task, _ = a_run_that_works(small, "")
    small.fill("home", "repository")
    run = small.house.home / "coordinators" / "main" / "runs" / small.house.started()[0]
    assert stop(run, grace_s=1).asked
    eventually((run / "exit.json").exists, within_s=30, what="it has ended")
    small.empty()
    eventually(lambda: small.house.task(task)["runs"][0]["ended_at"], within_s=30, what="its end is told")


def told_to_a_person(small: SmallHouse, full: str) -> None:
    for verb in ("status", "doctor"):
        shown = small.house.toryo(verb).stdout
        assert "is full" in shown, shown
        assert "df -h" in shown, shown
    refused = small.house.toryo("task", "add", "One more") if full == "home" else None
    if refused is not None:
        assert (refused.returncode, "is full" in refused.stderr) == (1, True), refused.stderr
        assert "df -h" in refused.stderr


def landed_once(small: SmallHouse, task: str) -> None:
    house = small.house
    assert house.rest(task) == 0, house.story(task)
    assert [one["outcome"] for one in house.task(task)["runs"]] == ["succeeded"], house.story(task)
    assert house.started() == [house.task(task)["runs"][0]["id"]]
    assert (house.repo / "x.txt").read_text() == "x\n"
    assert len((house.repo / "big.bin").read_bytes()) == 300_000
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"
    eventually(lambda: is_cleaned(small), within_s=30, what="it is cleaned")
    house.ok("restore", task, "--to", str(house.root / "back"))
    assert (house.root / "back" / "notes.txt").read_text() == "draft\n"
    assert house.evidence(task)["verdict"] == "green", house.evidence(task)["checks"]
    eventually(lambda: small.problems() == [], what="nothing is full any more")
    assert house.recomputed() == []
    assert git(house.repo, "fsck", "--connectivity-only", "--no-dangling") == ""
