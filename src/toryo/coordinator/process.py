"""The coordinator as a process: its folder, key and log, the signal to leave, and the wiring of its parts."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
from functools import partial
from typing import Any

from toryo import processes, settings
from toryo.coordinator.acts.act import CoordinatorActs
from toryo.coordinator.answers.answer import Answers
from toryo.coordinator.arrivals import Arrivals
from toryo.coordinator.claims import Capacity, Claims
from toryo.coordinator.config import Config, read_config
from toryo.coordinator.daemon_calls import CoordinatorDaemon
from toryo.coordinator.loop import Loop
from toryo.coordinator.observe.programs import Programs
from toryo.coordinator.observe.targets import Targets
from toryo.coordinator.runs.client_records import Records
from toryo.coordinator.runs.launch import Launching, Prompts
from toryo.coordinator.runs.run_events import RunEvents
from toryo.coordinator.runs.runs import Runs
from toryo.coordinator.runs.signs import Signs
from toryo.coordinator.runs.windows import Windows
from toryo.domain.client_names import OF_A_COMMAND
from toryo.domain.words import PlaceKind
from toryo.files import write_whole
from toryo.place import keys, logs
from toryo.place.asks import Asks
from toryo.place.daemon_pool import DaemonPool
from toryo.place.journal import Outcome
from toryo.place.lifecycle import Lifecycle
from toryo.place.parts import parts
from toryo.place.place import Place, insist_on_name
from toryo.place.worker import Worker
from toryo.protocol.order import Order
from toryo.settings import Home
from toryo.shell_environment import written
from toryo.workbench.clients import registry
from toryo.workbench.contexts.environment import own_launcher
from toryo.workbench.contexts.profiles import SubordinateProfile
from toryo.workbench.gates.environment import fingerprint
from toryo.workbench.git.door import batch_git
from toryo.workbench.git.keep.fingerprint_prefetch import FingerprintPrefetch
from toryo.workbench.runs import launch
from toryo.workbench.runs.spares import Spares
from toryo.yaml import home_settings

ENVIRONMENT = "environment.json"
"""With what this process was started: PATH, and of keys the names; `toryo up` compares."""
_FOLDERS = ("runs", "checks", "bench", "spare")


def run_coordinator(home: Home, name: str, foreground: bool) -> int:
    """Until told to leave, or superseded with no agent left to watch. Agents outlive this process."""
    insist_on_name(PlaceKind.COORDINATOR, name)
    config = read_config(home.coordinator(name) / "coordinator.yaml", home.socket)
    place = place_of(home, name)
    write_whole(place.folder / ENVIRONMENT, json.dumps(written(settings.environment())).encode())
    logs.write_to(
        home.logs / f"coordinator-{name}.jsonl",
        level=settings.environment().get("TORYO_LOG", "info").upper(),
        foreground=foreground,
        secrets=[entry.passkey.get_secret_value() for entry in (config.agents or {}).values()],
    )
    lifecycle = Lifecycle()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: lifecycle.end())
    if away := keys.look(config.mcp_socket_path):
        sys.stderr.write(f"{away}\n")
        sys.stderr.flush()
    key = keys.obtain(home, place, config.mcp_socket_path, lifecycle, config.polling_interval)
    if key is not None:
        batch_git.stay()
        loop = join(home, name, config, key, lifecycle)
        gc.freeze()  # what start-up made stays for ever: looking through it again only delays the agents
        loop.run()
        batch_git.leave()
    return 0


def join(home: Home, name: str, config: Config, key: str, lifecycle: Lifecycle) -> Loop:
    """One coordinator with its parts, each made of what was made before it."""
    place = place_of(home, name)
    shared = parts(home, place, config.mcp_socket_path, key, lifecycle, CoordinatorDaemon)
    pool, reporter, orders = shared.pool, shared.reporter, shared.orders

    events = RunEvents()
    clients = Records(config, home.path / "clients")
    most_spares = min(2, config.max_concurrent)
    spares = Spares(place.folder / "spare", launch.shim_environment(), most_spares, orders.is_acting)
    runs = Runs(place.folder / "runs", reporter, shared.journal, clients, events, spares)
    signs = Signs(runs, reporter, config.silent_after, clients.last_line)
    windows = Windows(place.folder, home_settings.of(home.config).ask_silent, signs.look)
    capacity = Capacity(config.max_concurrent, runs.live, orders, grace_s=max(2.0, config.polling_interval))
    targets = Targets(reporter)
    prefetch = FingerprintPrefetch()
    prompts = Prompts(pool)

    launching = Launching(
        config,
        prompts.take,
        clients.client,
        partial(_profile, pool),
        windows,
        own_launcher(home.path / "bin"),
    )
    acts = CoordinatorActs(
        lanes={"orders": 8, "checks": _check_hands(), "notices": 1},
        folder=place.folder,
        gates=home.gates,
        runs=runs,
        targets=targets,
        clients=lambda: _clients(home),
        windows=windows,
        launching=launching,
        expect_prompt=prompts.expect,
        prefetch=prefetch,
        words=lambda blob: pool.ask(lambda line: line.fetch_blob(blob)),
        orders=orders,
    )
    worker = Worker(orders, acts, shared.journal, reporter, lifecycle)
    programs = Programs(lambda programs: _looked_for(home, config, programs))
    claims = Claims(
        shared.daemon(), config, capacity, worker.add, lifecycle.supersede, targets, programs, prefetch
    )
    answers = Answers(runs, clients, windows, place.folder / "checks", targets)
    asks = Asks(
        answers.answer,
        lambda who, told: pool.ask(lambda line: line.answer_asks(who, [told])),
        lifecycle,
    )
    arrivals = Arrivals(capacity, worker, claims, lifecycle, asks)
    asking = shared.daemon()
    registration = shared.registration(
        asking,
        config.polling_interval,
        arrivals.take,
        about=lambda: _about(name, config, programs.registered()),
        state=lambda: {"live_runs": sorted(runs.live()), **config.limits()},
    )
    _follow(events, windows, capacity, worker, lifecycle)
    return Loop(shared, asking, registration, worker, runs, targets, claims, windows, signs, asks)


def _follow(
    events: RunEvents, windows: Windows, capacity: Capacity, worker: Worker, lifecycle: Lifecycle
) -> None:
    """What follows when a run starts or ends; nobody supervises one yet."""

    def ended(run: str, order: Order, outcome: Outcome) -> None:
        capacity.ended(run)
        windows.ended(run)
        worker.conclude(order, outcome)
        if capacity.was_full or lifecycle.superseded:
            lifecycle.wake.set()

    events.subscribe(started=windows.attend, ended=ended, unstarted=worker.reconsider)


def place_of(home: Home, name: str) -> Place:
    place = Place(PlaceKind.COORDINATOR, name, home.coordinator(name))
    place.make(_FOLDERS)
    return place


def _profile(pool: DaemonPool[CoordinatorDaemon], agent: str, project: str) -> SubordinateProfile:
    return pool.ask(lambda line: line.subordinate_profile(agent, project))


def _about(name: str, config: Config, clients: dict[str, str]) -> dict[str, Any]:
    return {
        "machine": processes.machine_id(),
        "name": name,
        "boot": processes.boot_id(),
        "pid": processes.own_pid(),
        "clients": clients,
        "fingerprint": fingerprint(),
        "interval_s": config.polling_interval,
        **config.limits(),
    }


def _clients(home: Home) -> dict[str, str]:
    return registry.known_on_path(settings.environment(), home.path / "clients")


def _looked_for(home: Home, config: Config, programs: frozenset[str]) -> dict[str, str]:
    """As `ai_providers` has them called; an empty path says that the program is not there. With the programs
    that commands start."""
    commands = {name: one.cli_command for name, one in config.ai_providers.items() if one.cli_command}
    found = registry.looked_for(settings.environment(), home.path / "clients", commands)
    path = settings.environment().get("PATH", "")
    return found | {f"{OF_A_COMMAND}{name}": shutil.which(name, path=path) or "" for name in programs}


def _check_hands() -> int:
    """One gate at a time keeps two cores busy; a larger machine has room for a second."""
    return 1 if (os.cpu_count() or 1) < 4 else 2
