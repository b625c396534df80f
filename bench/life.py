"""The life of a task through the real processes, with its floors taken between: launch, exit, landing.

One tiny agent writes a clock value as its first and as its last act; commits are timed by `watched_daemon`.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from installation import Event, Installation, calm, command, make_repository
from table import Figure, Samples, number

AGENT = """\
begun=$EPOCHREALTIME
rm -f made-*.txt
echo "$TORYO_RUN" > "made-$TORYO_RUN.txt"
git add -A
git commit -q -m work
sleep 0.05
echo "$begun $EPOCHREALTIME" > "$1/$TORYO_RUN"
"""
"""It ends after its start was told, as agents do. The last line is a builtin: after its clock value comes
nothing but the end. What earlier ones made is removed, so that the floor checks out as many files."""

LOOKS_AWAY_S = 0.15
"""A task takes longer than that: looking for its end sooner would take a core from what is measured."""

BARE_AGENT = 'echo "$EPOCHREALTIME" > "$1"\n'


@dataclass
class Lives:
    """What was measured, in seconds, and what was measured beside it."""

    launch: list[float] = field(default_factory=list)
    raw_launch: list[float] = field(default_factory=list)
    launch_after_retiring: list[float] = field(default_factory=list)
    exit: list[float] = field(default_factory=list)
    wake_up: list[float] = field(default_factory=list)
    unblock: list[float] = field(default_factory=list)
    commit: list[float] = field(default_factory=list)
    landing: list[float] = field(default_factory=list)
    raw_landing: list[float] = field(default_factory=list)


class Ground:
    """An installation with one repository, one agent that works and one whose tasks nobody takes."""

    def __init__(self, files: int, folders: int) -> None:
        self.place = Installation(coordinator="agents: {worker: {}}\n")
        self.times = self.place.root / "times"
        self.times.mkdir()
        make_repository(self.place.repo, files, folders)
        self.agent = self._script("agent.sh", AGENT)
        self.bare_agent = self._script("bare.sh", BARE_AGENT)
        self.base = command(["git", "rev-parse", "main"], cwd=self.place.repo).strip()
        self._raw = 0

    def __enter__(self) -> Ground:
        try:
            self._open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        self.place.start_daemon()
        self.place.start_coordinator()
        self.place.add_project()
        self.place.add_agent("worker", f"bash {self.agent} {self.times}", slots=3)
        self.place.add_agent("nobody", "true")

    def _script(self, name: str, text: str) -> Path:
        path = self.place.root / name
        path.write_text(text)
        return path

    def live(self, title: str, *, with_dependant: bool = False) -> Life:
        """One task from added to retired."""
        since = len(self.place.events())
        task = self.place.add_task(title, agent="worker")
        dependant = ""
        if with_dependant:
            dependant = self.place.add_task(f"{title} then", agent="nobody", after=[task])
        time.sleep(LOOKS_AWAY_S)
        cleaned = self.place.wait_for("run_cleaned", task=task, since=since)
        begun, ended = map(float, (self.times / cleaned.run).read_text().split())
        return Life(self.place.events()[since:], task, dependant, begun, ended)

    def retire_three(self) -> None:
        """Three tasks at once, until the last one's worktree is in the trash."""
        since = len(self.place.events())
        for task in [self.place.add_task(f"aside {turn}", agent="worker") for turn in range(3)]:
            self.place.wait_for("run_cleaned", task=task, since=since)

    def raw_launch(self) -> float:
        """`git worktree add` and the same program, as a script of a few lines would do it."""
        self._raw += 1
        path, out = self.place.root / "raw" / f"w{self._raw}", self.times / "raw"
        begun = time.time()
        subprocess.run(
            ["git", "worktree", "add", "-q", "-b", f"raw{self._raw}", str(path), self.base],
            cwd=self.place.repo,
            check=True,
            capture_output=True,
        )
        child = subprocess.Popen(["bash", str(self.bare_agent), str(out)], cwd=path)
        child.wait()
        took = float(out.read_text()) - begun
        self._put_away(path)
        return took

    def _put_away(self, worktree: Path) -> None:
        """As Toryo retires: by renaming. Deleting would slow down whatever comes next, ours or raw."""
        trash = self.place.root / "trash"
        trash.mkdir(exist_ok=True)
        worktree.rename(trash / worktree.name)
        (self.place.repo / ".git" / "worktrees" / worktree.name).rename(trash / f"{worktree.name}.git")

    def wake_up(self) -> float:
        """From a child's last act to the return of a poll on its pidfd."""
        out = self.times / "child"
        child = subprocess.Popen(["bash", str(self.bare_agent), str(out)])
        handle = os.pidfd_open(child.pid)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll()
        woken = time.time()
        os.close(handle)
        child.wait()
        return woken - float(out.read_text())

    def raw_landing(self, branch: str) -> float:
        """A merge without a worktree, and the branch moved: three git processes."""
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
        begun = time.perf_counter()
        tree = command([*git, "merge-tree", "--write-tree", self.base, branch], cwd=self.place.repo).strip()
        merge = ["commit-tree", tree, "-p", self.base, "-p", branch, "-m", "land"]
        commit = command([*git, *merge], cwd=self.place.repo).strip()
        command([*git, "update-ref", "refs/raw/landing", commit], cwd=self.place.repo)
        return time.perf_counter() - begun

    def raw_commit(self) -> float:
        """One small durable write."""
        path = self.place.root / "durable"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        begun = time.perf_counter()
        os.write(handle, b"x" * 200)
        os.fsync(handle)
        took = time.perf_counter() - begun
        os.close(handle)
        return took

    def close(self) -> None:
        self.place.close()


@dataclass(frozen=True)
class Life:
    events: list[Event]
    task: str
    dependant: str
    begun: float
    ended: float

    def at(self, kind: str, task: str | None = None, **body: object) -> float:
        wanted = self.task if task is None else task
        for event in self.events:
            fits = all(event.body.get(key) == value for key, value in body.items())
            if event.kind == kind and fits and wanted in ("", event.task):
                return event.at
        raise LookupError(f"{kind} of {wanted}")

    @property
    def launch(self) -> float:
        return self.begun - self.at("task_status", status="ready")

    @property
    def exit(self) -> float:
        return self.at("run_exited") - self.ended

    @property
    def unblock(self) -> float:
        return self.at("task_status", self.dependant, status="ready") - self.at("tip_moved", "")

    @property
    def landing(self) -> float:
        return self.at("target_published", "") - self.at("landing_queued")


def measure_small(rounds: int, say: Callable[[str], None]) -> list[Figure]:
    lives = Lives()
    with Ground(files=20, folders=4) as ground:
        ground.live("warm up")
        ground.raw_launch()
        for turn in range(rounds):
            calm()
            life = ground.live(f"task {turn}")
            lives.launch.append(life.launch)
            lives.exit.append(life.exit)
            lives.landing.append(life.landing)
            calm()
            # another one: adding its dependant is work beside its launch
            life = ground.live(f"task {turn} first", with_dependant=True)
            lives.exit.append(life.exit)
            lives.unblock.append(life.unblock)
            lives.landing.append(life.landing)
            _rest()
            lives.raw_launch.append(ground.raw_launch())
            lives.wake_up.append(ground.wake_up())
            lives.raw_landing.append(ground.raw_landing(ground.base))
            lives.commit.append(ground.raw_commit())
            if turn % 10 == 9:
                say(f"small repository: {turn + 1} of {rounds}")
        for _ in range(max(3, rounds // 4)):
            ground.retire_three()
            lives.launch_after_retiring.append(ground.live("after retiring").launch)
            _rest()
            lives.raw_launch.append(ground.raw_launch())
    return [
        exit_figure(lives),
        *launch_figures(lives, "small repository (20 files)", 1.2),
        unblock_figure(lives),
        landing_figure(lives),
    ]


def measure_large(rounds: int, files: int, say: Callable[[str], None]) -> list[Figure]:
    lives = Lives()
    with Ground(files=files, folders=max(1, files // 20)) as ground:
        ground.live("warm up")
        ground.raw_launch()
        for turn in range(rounds):
            _rest()
            lives.launch.append(ground.live(f"task {turn}").launch)
            _rest()
            lives.raw_launch.append(ground.raw_launch())
        say(f"large repository: {rounds} of {rounds}")
        for _ in range(2):
            _rest()
            ground.retire_three()
            lives.launch_after_retiring.append(ground.live("after retiring").launch)
            _rest()
            lives.raw_launch.append(ground.raw_launch())
    return launch_figures(lives, f"large repository ({files} files)", 1.05)


def _rest() -> None:
    """What the processes do after the last event must not fall into the floor's time."""
    time.sleep(0.05)
    calm()


def exit_figure(lives: Lives) -> Figure:
    """Its goal is a p99, so those of the machine itself are told beside it."""
    samples = Samples.of_seconds(lives.exit)
    wake_up, write = Samples.of_seconds(lives.wake_up), Samples.of_seconds(lives.commit)
    return Figure(
        name="exit → recorded",
        goal="p99 ≤ 5 ms",
        met=samples.p99 <= 5,
        samples=samples,
        floor_name="pidfd wake-up",
        floor=wake_up,
        note=f"p99 in the same run of a wake-up alone {number(wake_up.p99)} ms, of a durable write alone "
        f"{number(write.p99)} ms.",
    )


def launch_figures(lives: Lives, where: str, most: float) -> list[Figure]:
    floor = Samples.of_seconds(lives.raw_launch)
    made = []
    for name, seconds in (
        (f"cold launch, {where}", lives.launch),
        (f"cold launch right after 3 were retired, {where}", lives.launch_after_retiring),
    ):
        samples = Samples.of_seconds(seconds)
        made.append(
            Figure(
                name=name,
                goal=f"≤ {most} × floor",
                met=samples.median <= most * floor.median,
                samples=samples,
                floor_name="git worktree add + exec",
                floor=floor,
            )
        )
    return made


def unblock_figure(lives: Lives) -> Figure:
    samples = Samples.of_seconds(lives.unblock)
    return Figure(
        name="accepted → dependants unblocked",
        goal="≤ 5 ms",
        met=samples.median <= 5,
        samples=samples,
        floor_name="durable write",
        floor=Samples.of_seconds(lives.commit),
    )


def landing_figure(lives: Lives) -> Figure:
    samples, floor = Samples.of_seconds(lives.landing), Samples.of_seconds(lives.raw_landing)
    return Figure(
        name="landing: candidate, accept, publish",
        goal="≤ 15 ms, ≤ 2 × floor",
        met=samples.median <= 15 and samples.median <= 2 * floor.median,
        samples=samples,
        floor_name="merge-tree + commit-tree + update-ref",
        floor=floor,
    )
