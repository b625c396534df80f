"""The head with its real store and use cases, and a simulated world round it."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from simulated_git import ROOT, Repository
from simulated_hands import Hands, Pick, Process, World, honest, settings_text
from sqlalchemy import select

from toryo.engine.context import HeadContext
from toryo.engine.drain import drain
from toryo.engine.facts.projects import take_settings
from toryo.settings import Home
from toryo.store.database import schema
from toryo.store.database.blobs import Blobs
from toryo.store.database.engine import Store
from toryo.store.database.rows import AgentRow
from toryo.store.tables import agents, meta, projects
from toryo.usecases.projects.projects import register
from toryo.usecases.status.recompute import recompute

MACHINE = "m1"
PROJECTS = ("p1", "p2")
AGENTS = {"ann": 1, "bob": 2}
OUTSIDE = "eve"
LONGEST_DRAIN = 200


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Conduct:
    """How orders and agents turn out: here, honestly and well."""

    def pick_for(self, _order: dict[str, Any]) -> Pick:
        return honest

    def end(self, process: Process) -> None:
        process.hands.end(process, honest)


class House:
    def __init__(self, context: HeadContext, clock: Clock) -> None:
        self.context = context
        self.clock = clock
        self.found: dict[str, str] = {}
        """States of orders and outcomes of runs at the last look over the house."""
        self.world = World({name: Repository(name) for name in PROJECTS})
        self.hands = [Hands(context, self.world, MACHINE, name) for name in ("main", "second")]
        for hands in self.hands:
            hands.start()
            hands.poll()

    def drain(self) -> None:
        for _ in range(LONGEST_DRAIN):
            if not drain(self.context):
                return
        raise AssertionError("the drain never comes to an end")

    def checks(self, project: str, which: str, *, flaky: str = "land") -> None:
        """A person puts other checks in force: those of the working copy."""
        text = settings_text(which, flaky)
        with self.context.store.change() as tx:
            row = projects.get(tx, project)
            assert row is not None
            take_settings(tx, row, {"settings_files": {"config.yaml": text}, "settings_from": "working copy"})

    def rows(self, table: str) -> list[dict[str, Any]]:
        with self.context.store.read() as tx:
            return [dict(row._mapping) for row in tx.conn.execute(select(schema.metadata.tables[table]))]

    def ready_pairs(self) -> list[tuple[str, str]]:
        """(agent, project) with something to start."""
        ready = [row for row in self.rows("tasks") if row["status"] == "ready"]
        return sorted({(row["agent"], row["project"]) for row in ready})

    def everything(self) -> dict[str, list[dict[str, Any]]]:
        """All that is stored, but for the marks."""
        return {name: self.rows(name) for name in schema.metadata.tables if name != "marks"}

    def mark_all(self) -> None:
        with self.context.store.change() as tx:
            for kind, table in (("task", "tasks"), ("gate", "gates"), ("coordinator", "coordinators")):
                for row in tx.conn.execute(select(schema.metadata.tables[table])):
                    tx.mark(f"{kind}:{row.id}")
            for row in tx.conn.execute(select(schema.targets)):
                tx.mark(f"queue:{row.project}/{row.name}")
            tx.mark("sessions:all")

    def differences(self) -> list[dict[str, Any]]:
        """What `doctor --recompute` finds, over all pages."""
        found: list[dict[str, Any]] = []
        place = 0
        while True:
            place, _, more = recompute(self.context, place)
            found += more
            if not place:
                return found

    # ── honest work until nothing is left ─────────────────────────────────────────────────────────────

    def settle(self, conduct: Conduct | None = None, rounds: int = 120) -> None:
        """From now on everybody does what is asked and says so; raises if that never comes to an end."""
        for repository in self.world.repositories.values():
            repository.busy = ""
        idle = 0
        for _ in range(rounds):
            idle = 0 if self.round(conduct or Conduct()) else idle + 1
            if idle == 4:
                return
            if idle:  # what waits for a while comes again; at last, sessions of outside agents are over
                self.clock.now += 35 if idle < 3 else 4000
        raise AssertionError("the house never comes to rest")

    def round(self, conduct: Conduct) -> bool:
        """Whether anything happened."""
        moved = False
        self.drain()
        for hands in self.hands:
            hands.beat()
            hands.poll()
            hands.look()
            moved = bool(hands.deliver(list(hands.outbox))) or moved
            self.drain()
        for number, hands in enumerate(self.hands):
            for order in hands.todo():
                moved = True
                hands.carry_out(order, conduct.pick_for(order))
            for agent, project in self.ready_pairs():
                request = f"settle/{self.clock.now}/{number}/{project}/{agent}/{len(self.rows('runs'))}"
                moved = bool(hands.claim(agent, project, request)) or moved
        for process in list(self.world.processes.values()):
            moved = True
            conduct.end(process)
        return moved


@contextmanager
def a_house() -> Iterator[House]:
    """Two projects, two agents and one from outside, two coordinators on one machine; nothing to do yet."""
    # ids by number: the same steps must have the same ids, which break ties
    with _folder() as folder, patch("toryo.engine.ids._some_bytes", random.Random(0).randbytes):
        shutil.copytree(_template(), folder, dirs_exist_ok=True)
        clock = Clock()
        context = _context(folder, clock)
        try:
            yield House(context, clock)
        finally:
            context.store.close()


@contextmanager
def _folder() -> Iterator[Path]:
    # in memory where there is such a place: thousands of durable commits to a disk take minutes
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="toryo-", dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@cache
def _template() -> Path:
    """Made once per process: tables, projects and agents."""
    keep = _folder()
    folder = keep.__enter__()
    _kept.append(keep)
    context = _context(folder, Clock())
    for name in PROJECTS:
        _register(context, name)
    for name, slots in AGENTS.items():
        _agent(context, AgentRow(id=name, name=name, client="command", slots=slots, created_at=1))
    _agent(context, AgentRow(id=OUTSIDE, name=OUTSIDE, client="outside", created_at=1))
    context.store.close()
    return folder


_kept: list[Any] = []
"""Folders that live as long as the process."""


def _context(folder: Path, clock: Clock) -> HeadContext:
    home = Home(folder).make()
    store = Store.open(home.database, backups=home.backups, clock=clock)
    with store.change() as tx:
        secret = meta.secret(tx, "runs")
    return HeadContext(
        store=store,
        blobs=Blobs(home.blobs),
        clock=clock,
        home=home,
        installation="i1",
        secret=secret,
        version="0",
        started_at=clock(),
        pid=1,
    )


def _register(context: HeadContext, name: str) -> None:
    tree = Repository(name).tree(ROOT)
    survey = {
        "root": f"/{name}",
        "base": "main",
        "base_commit": ROOT,
        "base_tree": tree,
        "settings_files": {},
        "settings_from": "working copy",
        "clients": (),
    }
    adopted = {"project": name, "root": f"/{name}", "tip": ROOT, "tip_tree": tree, "wrote": ()}
    register(context, MACHINE, survey, adopted, name)


def _agent(context: HeadContext, row: AgentRow) -> None:
    with context.store.change() as tx:
        agents.insert(tx, row)
        for project in PROJECTS:
            projects.assign(tx, project, row.id)
