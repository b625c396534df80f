"""The coordinator as a process: its folder, key and log, the signal to leave, and who is joined to whom."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

from toryo import processes, settings
from toryo.coordinator import keys, logs
from toryo.coordinator.act import Acts
from toryo.coordinator.calls import Daemon
from toryo.coordinator.claims import Capacity, Claims
from toryo.coordinator.config import Config, read_config
from toryo.coordinator.journal import Journal, Outcome
from toryo.coordinator.launching import Launching, Prompts
from toryo.coordinator.lines import Lines
from toryo.coordinator.listen import Listener
from toryo.coordinator.loop import Loop
from toryo.coordinator.observe import Targets
from toryo.coordinator.orders import Orders
from toryo.coordinator.outbox import Outbox
from toryo.coordinator.records import Records
from toryo.coordinator.reporter import Reporter
from toryo.coordinator.runs import Runs
from toryo.coordinator.signs import Signs
from toryo.coordinator.standing import Standing
from toryo.coordinator.windows import Windows
from toryo.domain.errors import UserError
from toryo.files import write_whole
from toryo.protocol import home_settings
from toryo.protocol.models import Order
from toryo.settings import Home
from toryo.shell_environment import written
from toryo.workbench.clients import registry
from toryo.workbench.contexts.environment import own_launcher
from toryo.workbench.contexts.profiles import SubordinateProfile
from toryo.workbench.gates.environment import fingerprint
from toryo.workbench.git import questions
from toryo.workbench.git.looks import Looks
from toryo.workbench.runs import launch
from toryo.workbench.runs.spares import Spares

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
ENVIRONMENT = "environment.json"
"""With what this process was started: PATH, and of keys the names; `toryo up` compares."""
_PARTS = ("runs", "orders", "checks", "bench", "outbox", "spare")


def run_coordinator(home: Home, name: str, foreground: bool) -> int:
    """Until told to leave, or superseded with no agent left to watch. Agents outlive this process."""
    if not NAME.fullmatch(name):
        raise UserError(
            f"{name[:80]!r} is no name of a coordinator.",
            hint="Use lower case letters, digits, - and _; at most 64, the first a letter or a digit.",
        )
    config = read_config(home.coordinator(name) / "coordinator.yaml", home.socket)
    folder = _private(home.coordinator(name))
    write_whole(folder / ENVIRONMENT, json.dumps(written(settings.environment())).encode())
    logs.write_to(
        home.logs / f"coordinator-{name}.jsonl",
        level=settings.environment().get("TORYO_LOG", "info").upper(),
        foreground=foreground,
        secrets=[entry.passkey.get_secret_value() for entry in (config.agents or {}).values()],
    )
    standing = Standing()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: standing.end())
    if away := keys.look(config.mcp_socket_path):
        sys.stderr.write(f"{away}\n")
        sys.stderr.flush()
    key = keys.obtain(home, name, config.mcp_socket_path, standing, config.polling_interval)
    if key is not None:
        questions.stay()
        loop = join(home, name, config, key, standing)
        gc.freeze()  # what start-up made stays for ever: looking through it again only delays the agents
        loop.run()
        questions.leave()
    return 0


def join(home: Home, name: str, config: Config, key: str, standing: Standing) -> Loop:
    """One coordinator with its parts; each thread that speaks to the daemon has a connection of its own."""
    folder = _private(home.coordinator(name))

    known = keys.Key(home, name, config.mcp_socket_path, key)

    def daemon() -> Daemon:
        return Daemon(config.mcp_socket_path, known)

    lines = Lines(daemon)

    def fetch_blob(blob: str) -> str:
        return lines.ask(lambda line: line.fetch_blob(blob))

    def profile(agent: str, project: str) -> SubordinateProfile:
        return lines.ask(lambda line: line.subordinate_profile(agent, project))

    reporter = Reporter(Outbox(folder / "outbox"), daemon(), on_superseded=standing.supersede)
    journal = Journal(folder / "orders")
    targets = Targets(reporter)
    spares = Spares(folder / "spare", launch.shim_environment(), min(2, config.max_concurrent))
    clients = Records(config, home.path / "clients")
    windows = Windows(folder, home_settings.of(home.config).ask_silent)
    runs = Runs(folder / "runs", reporter, journal, clients, spares)
    orders = Orders(journal, reporter, standing, check_hands=_check_hands())
    spares.is_busy = orders.is_acting
    capacity = Capacity(
        config.max_concurrent, runs.live, orders.busy_runs, grace_s=max(2.0, config.polling_interval)
    )
    prompts = Prompts(lines)
    looks = Looks()
    orders.acts = Acts(
        folder=folder,
        gates=home.gates,
        runs=runs,
        targets=targets,
        clients=lambda: _clients(home),
        records=clients,
        windows=windows,
        launching=Launching(
            config, prompts.take, clients.client, profile, windows, launcher=own_launcher(home.path / "bin")
        ),
        expect_prompt=prompts.expect,
        expected_run=orders.expected_run,
        looks=looks,
        words=fetch_blob,
        is_wanted=orders.is_wanted,
        is_to_stop=orders.is_to_stop,
    )

    def ended(run: str, order: Order, outcome: Outcome) -> None:
        capacity.ended(run)
        windows.ended(run)
        orders.conclude(order, outcome)
        if capacity.was_full or standing.superseded:
            standing.wake.set()

    runs.on_end = ended
    runs.on_started = windows.attend
    signs = Signs(runs, reporter, config.silent_after)
    windows.on_look = signs.look
    runs.on_unstarted = orders.reconsider
    claims = Claims(
        daemon(), config, capacity, orders.add, standing.supersede, targets, looks, standing.pause
    )
    return Loop(
        daemon=daemon(),
        machine=processes.machine_id(),
        about=lambda: _about(home, name, config),
        config=config,
        standing=standing,
        reporter=reporter,
        runs=runs,
        orders=orders,
        listener=Listener(daemon(), orders, capacity, standing, config.polling_interval, claims.at_once),
        targets=targets,
        claims=claims,
        windows=windows,
        lines=lines,
        signs=signs,
        renew_key=known.renew,
    )


def _private(folder: Path) -> Path:
    """coordinators/{name} and what is made in it: for the owner alone, also where an older version left it
    open. The umask stays, because worktrees and agents have it too."""
    for part in (folder.parent, folder, *(folder / name for name in _PARTS)):
        part.mkdir(parents=True, exist_ok=True, mode=0o700)
        if part.stat().st_mode & 0o077:
            part.chmod(0o700)
    return folder


def _about(home: Home, name: str, config: Config) -> dict[str, Any]:
    return {
        "machine": processes.machine_id(),
        "name": name,
        "boot": processes.boot_id(),
        "pid": processes.own_pid(),
        "clients": _clients(home),
        "fingerprint": fingerprint(),
        "interval_s": config.polling_interval,
    }


def _clients(home: Home) -> dict[str, str]:
    return registry.known_on_path(settings.environment(), home.path / "clients")


def _check_hands() -> int:
    """One gate at a time keeps two cores busy; a larger machine has room for a second."""
    return 1 if (os.cpu_count() or 1) < 4 else 2
