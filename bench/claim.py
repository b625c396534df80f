"""Finding the next ready task among very many and claiming it: the use case itself, and as a tool call.

The floor is what any store must do: find one row, write two, commit with synchronous=FULL. Both are taken
in turns without a pause: after one, core and disk wake up, which is the machine's time and not the store's.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from installation import Installation, put_away
from many_tasks import AGENT, MACHINE, PROJECT, SHAPES, fill
from table import Figure, Samples

from toryo import processes
from toryo.daemon.process import open_context
from toryo.domain.words import PlaceKind
from toryo.engine.context import HeadContext
from toryo.protocol.wire import Connection
from toryo.settings import Home
from toryo.usecases.coordinators import coordinators
from toryo.usecases.runs import claim as claim_run

_numbers = itertools.count(1)


def measure(number: int, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    figures = []
    for shape in SHAPES:
        samples, floor = _direct(shape, number, rounds)
        figures.append(_figure(f"ready + claim, {number:,} tasks, {shape}", 1.5, samples, floor))
        say(f"claim: {shape}")
    samples, floor = _as_tool(next(iter(SHAPES)), number, rounds)
    figures.append(_figure(f"the same as a tool call, {next(iter(SHAPES))}", 3, samples, floor))
    return figures


def _figure(name: str, most: float, samples: list[float], floor: list[float]) -> Figure:
    taken = Samples.of_seconds(samples)
    return Figure(
        name=name,
        goal=f"≤ {most} ms",
        met=taken.median <= most,
        samples=taken,
        floor_name="bare sqlite3 claim, FULL",
        floor=Samples.of_seconds(floor),
    )


def _direct(shape: str, number: int, rounds: int) -> tuple[list[float], list[float]]:
    root = Path(tempfile.mkdtemp(prefix="tb"))
    try:
        context = open_context(Home(root).make(), root / "toryo.db")
        with contextlib.closing(context.store):
            fill(context.store, shape, number, path=str(root), machine=MACHINE)
            os.sync()  # else the disk is still busy with it while claims wait for theirs
            place, incarnation = _registered(context)

            def claim() -> None:
                request = f"request{next(_numbers)}"
                answer = claim_run.claim_run(context, AGENT, PROJECT, place, incarnation, request)
                assert answer["claimed"], answer

            with _bare(root / "floor.db", number) as bare:
                return _in_turns(rounds, claim, bare, lambda: _end_runs(root / "toryo.db"))
    finally:
        put_away(root)


def _as_tool(shape: str, number: int, rounds: int) -> tuple[list[float], list[float]]:
    place = Installation()
    try:
        place.repo.mkdir()
        context = open_context(place.home, place.home.database)
        fill(context.store, shape, number, path=str(place.repo), machine=processes.machine_id())
        context.store.close()
        os.sync()
        place.start_daemon()
        about = {"machine": processes.machine_id(), "name": "bench"}
        key = place.call("issue_coordinator_key", **about)["key"]
        with Connection(place.home.socket_in_use(), key) as wire:
            us = wire.call(
                "register_coordinator", {**about, "boot": processes.boot_id(), "pid": processes.own_pid()}
            )
            who = {"coordinator": us["coordinator"], "incarnation": us["incarnation"]}

            def claim() -> None:
                asked = {"agent_id": AGENT, "project_id": PROJECT, "request_id": f"request{next(_numbers)}"}
                answer = wire.call("claim_run", {**asked, **who})
                assert answer["claimed"], answer

            def between() -> None:
                # through the writer, so behind the drain that follows a claim: nobody waits for that
                wire.call("list_active_projects_with_agents", {})
                _end_runs(place.home.database)
                wire.call("list_active_projects_with_agents", {})

            with _bare(place.root / "floor.db", number) as bare:
                return _in_turns(rounds, claim, bare, between)
    finally:
        place.close()


def _registered(context: HeadContext) -> tuple[str, int]:
    coordinators.issue_key(context, PlaceKind.COORDINATOR, MACHINE, "bench")
    about = {"boot": "b", "pid": processes.own_pid(), "clients": {}, "fingerprint": "", "interval_s": 10}
    answer = coordinators.register(context, f"{MACHINE}/bench", **about)
    return str(answer["coordinator"]), int(answer["incarnation"])


def _end_runs(database: Path) -> None:
    """All but three: as many live runs as a coordinator has by default stand in the claim's way."""
    with contextlib.closing(sqlite3.connect(database, timeout=30)) as conn:
        conn.execute(
            "UPDATE runs SET live = 0 WHERE live = 1 AND seq NOT IN"
            " (SELECT seq FROM runs WHERE live = 1 ORDER BY seq DESC LIMIT 3)"
        )
        # as the drain does: a claimed task is not ready any more
        conn.execute(
            # by id: reading a hundred thousand ready ones here would leave no cache to the claim
            "UPDATE tasks SET status = 'running' WHERE +status = 'ready' AND id IN"
            " (SELECT task FROM runs ORDER BY seq DESC LIMIT 20)"
        )
        conn.commit()


def _in_turns(
    rounds: int, claim: Callable[[], None], bare: Callable[[], None], between: Callable[[], None]
) -> tuple[list[float], list[float]]:
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 10):
        for act, times in zip((claim, bare), taken, strict=True):
            begun = time.perf_counter()
            act()
            if number >= 10:
                times.append(time.perf_counter() - begun)
        between()
    return taken


@contextlib.contextmanager
def _bare(path: Path, number: int) -> Iterator[Callable[[], None]]:
    conn = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        conn.execute(f"PRAGMA {pragma}")
    conn.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY, agent TEXT, status TEXT, nblock INTEGER)")
    conn.execute("CREATE INDEX ready ON tasks (agent, status, nblock, id)")
    conn.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY, task INTEGER)")
    conn.execute("BEGIN")
    conn.executemany("INSERT INTO tasks VALUES (?, 'ann', 'ready', 0)", ((i,) for i in range(number)))
    conn.execute("COMMIT")

    def claim() -> None:
        conn.execute("BEGIN IMMEDIATE")
        wanted = "SELECT id FROM tasks WHERE agent='ann' AND status='ready' AND nblock=0 ORDER BY id LIMIT 1"
        (task,) = conn.execute(wanted).fetchone()
        conn.execute("UPDATE tasks SET status='running' WHERE id=?", (task,))
        conn.execute("INSERT INTO runs (task) VALUES (?)", (task,))
        conn.execute("COMMIT")

    yield claim
    conn.close()
