"""The planner as a process: its folder, key and logs, the signal to leave, and the wiring of its parts."""

from __future__ import annotations

import gc
import json
import signal
import sys
from dataclasses import dataclass
from typing import Any

from toryo import processes, settings
from toryo.domain.words import PlaceKind
from toryo.files import write_whole
from toryo.place import keys, logs
from toryo.place.daemon_client import Daemon, NextOrders, Registered
from toryo.place.lifecycle import Lifecycle
from toryo.place.parts import parts
from toryo.place.place import Place, insist_on_name
from toryo.place.place_loop import PlaceLoop
from toryo.place.worker import Worker
from toryo.planner.acts import PlannerActs
from toryo.planner.call_log import CallLog
from toryo.planner.model_settings import choice_of
from toryo.planner.models.in_use import Models
from toryo.planner.summaries import Summaries
from toryo.settings import Home
from toryo.shell_environment import written

ENVIRONMENT = "environment.json"
"""With what this process was started: PATH, and of keys the names."""
INTERVAL_S = 10.0
REPLIES, SUMMARIES = "replies", "summaries"


@dataclass
class PlannerLoop(PlaceLoop[Daemon]):
    models: Models
    calls: CallLog

    def is_at_work(self) -> bool:
        """One that is superseded asks nothing more: what was answered is kept for the other."""
        return False

    def close(self) -> None:
        self.lifecycle.end()
        self.models.close()
        super().close()
        self.calls.close()


def run_planner(home: Home, name: str, foreground: bool, *, interval_s: float = INTERVAL_S) -> int:
    """Until told to leave, or superseded."""
    insist_on_name(PlaceKind.PLANNER, name)
    env = settings.environment()
    place = place_of(home, name)
    write_whole(place.folder / ENVIRONMENT, json.dumps(written(env)).encode())
    logs.write_to(
        home.logs / f"planner-{name}.jsonl",
        level=env.get("TORYO_LOG", "info").upper(),
        foreground=foreground,
    )
    lifecycle = Lifecycle()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: lifecycle.end())
    if away := keys.look(home.socket):
        sys.stderr.write(f"{away}\n")
        sys.stderr.flush()
    key = keys.obtain(home, place, home.socket, lifecycle, interval_s)
    if key is not None:
        loop = join(home, name, key, lifecycle, interval_s)
        gc.freeze()
        loop.run()
    return 0


def join(home: Home, name: str, key: str, lifecycle: Lifecycle, interval_s: float) -> PlannerLoop:
    """One planner with its parts, each made of what was made before it."""
    place = place_of(home, name)
    shared = parts(home, place, home.socket, key, lifecycle, Daemon)
    env = settings.environment()
    models = Models(lambda: choice_of(home, settings.environment()), env)
    calls = CallLog(home.logs)
    acts = PlannerActs(
        replies=place.folder / REPLIES,
        summaries=Summaries(place.folder / SUMMARIES),
        log=calls,
        in_use=models.current,
        brief=lambda blob: shared.pool.ask(lambda line: line.fetch_blob(blob)),
    )
    worker = Worker(shared.orders, acts, shared.journal, shared.reporter, lifecycle)

    def take(_: Registered, got: NextOrders, asked_at: float) -> None:
        worker.replace(got.orders, asked_at)

    asking = shared.daemon()
    registration = shared.registration(
        asking, interval_s, take, about=lambda: _about(name, interval_s), state=dict
    )
    return PlannerLoop(shared, asking, registration, worker, models, calls)


def place_of(home: Home, name: str) -> Place:
    place = Place(PlaceKind.PLANNER, name, home.planner(name))
    place.make((REPLIES, SUMMARIES))
    return place


def _about(name: str, interval_s: float) -> dict[str, Any]:
    return {
        "machine": processes.machine_id(),
        "name": name,
        "boot": processes.boot_id(),
        "pid": processes.own_pid(),
        "interval_s": interval_s,
    }
