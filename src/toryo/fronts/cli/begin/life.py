"""The verbs `up`, `down`, `daemon` and `coordinator`: the life of the processes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo import __version__
from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.fronts.processes.start import Up


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "up":
        parser.add_argument("--foreground", action="store_true", help="stay until Ctrl-C, then stop both")
        parser.add_argument(
            "--refresh",
            action="store_true",
            help="give agents the PATH and keys of this shell from now on; running ones go on",
        )
        verb(parser, up, "toryo up", "toryo up --foreground", "toryo up --refresh")
    elif name == "down":
        verb(parser, down, "toryo down", "toryo down --json", json=True)
    elif name == "daemon":
        parser.add_argument("--foreground", action="store_true", help="write the log to the terminal too")
        verb(parser, be_daemon, "toryo daemon", "toryo daemon --foreground")
    else:
        parser.add_argument("--name", default="main", help="another name is another place (default: main)")
        parser.add_argument("--foreground", action="store_true", help="write the log to the terminal too")
        verb(parser, be_coordinator, "toryo coordinator --foreground", "toryo coordinator --name second")


def up(args: argparse.Namespace, desk: Desk) -> int:
    from toryo.fronts.cli.missions.model import hand_over_settings
    from toryo.fronts.processes.start import bring_up

    there = bring_up(desk.home, announce=lambda: print("starting toryo…", file=sys.stderr))
    there = _in_this_shell(desk, there, refresh=args.refresh)
    planner = hand_over_settings(desk)
    asked = _signals() if args.foreground else []
    word = "is up" if there.started else "was already up"
    parts = [f"daemon (pid {there.daemon})", f"coordinator (pid {there.coordinator})"]
    parts += [f"planner (pid {planner})"] if planner else []
    print(f"Toryo {word}: {', '.join(parts)}.", flush=True)
    if there.version not in ("", __version__):
        from toryo.fronts.text.errors import warn_of_version

        warn_of_version(there.version)
    return _stay(desk, there, asked) if args.foreground else 0


def _in_this_shell(desk: Desk, there: Up, *, refresh: bool) -> Up:
    """The coordinator's environment is the agents': say so where it is not this one, or make it so."""
    from dataclasses import replace

    from toryo.fronts.cli.begin import refresh as refreshing

    if "coordinator" in there.started:
        return there
    if refresh:
        return replace(there, coordinator=refreshing.refresh(desk.home), started=("coordinator",))
    if found := refreshing.differences(desk.home):
        refreshing.warn(found)
    return there


def _signals() -> list[int]:
    """The signals that ask us to leave, as they come. Caught before we say that we are up."""
    import signal

    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda sent, _frame: asked.append(sent))
    return asked


def _stay(desk: Desk, there: Up, asked: list[int]) -> int:
    """Until a signal asks us to leave, or a part is gone."""
    import time

    from toryo import processes
    from toryo.domain.errors import Unavailable

    pids = {"daemon": there.daemon, "coordinator": there.coordinator}
    parts = {name: (pid, processes.start_time(pid)) for name, pid in pids.items()}
    while not asked:
        for name, (pid, start) in parts.items():
            if start is None or not processes.is_alive(pid, start):
                raise Unavailable(f"The {name} (pid {pid}) ended.", hint="`toryo up` starts it again.")
        time.sleep(0.5)
    return down(None, desk)


def down(args: argparse.Namespace | None, desk: Desk) -> int:
    from toryo.fronts.processes.stop import take_down

    result = take_down(desk.home)
    if args is not None and args.json:
        from toryo.fronts.text.output import print_json

        parts = [{"part": part, "pid": pid} for part, pid in result.stopped]
        print_json({"stopped": parts, "running": result.running})
        return 0
    if not result.stopped:
        print("Toryo was not running.")
        return 0
    print("Stopped " + " and ".join(f"the {part} (pid {pid})" for part, pid in result.stopped) + ".")
    if result.running:
        noun, whose = (
            ("agent keeps", "its result") if result.running == 1 else ("agents keep", "their results")
        )
        print(f"{result.running} {noun} running; `toryo up` takes {whose} in.")
    return 0


def be_daemon(args: argparse.Namespace, desk: Desk) -> int:
    return desk.processes["daemon"](desk.home, "", args.foreground)


def be_coordinator(args: argparse.Namespace, desk: Desk) -> int:
    return desk.processes["coordinator"](desk.home, args.name, args.foreground)
