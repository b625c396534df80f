"""Stands in for `toryo daemon` and `toryo coordinator` where only their starting and stopping is tested.

As `daemon` it serves the wire on the home's socket; as `coordinator` and as `planner` it registers by a file
that the daemon reads. All write a line to `started` when they begin. STAND_IN=refuse makes the daemon end at
once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from wire_peer import Peer

from toryo import __version__, processes


def main(word: str, home: Path) -> None:
    with open(home / "started", "a") as file:
        file.write(f"{word}\n")
    leaving = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: leaving.set())
    if word in FILES:
        (home / f"{FILES[word]}.new").write_text(str(os.getpid()))
        (home / f"{FILES[word]}.new").replace(home / FILES[word])
        wait_for(leaving)
        return
    if os.environ.get("STAND_IN") == "refuse":
        sys.exit("the database is broken")
    peer = Peer(home, {"health_check": {"status": "ok"}, "get_status": lambda _: status(home)})
    own: dict[str, Any] = {}
    peer.answers["list_config"] = lambda _: config(own)
    peer.answers["get_config"] = lambda asked: one_of(config(own), asked["key"])
    peer.answers["set_config"] = lambda asked: own.update({asked["key"]: asked["value"]}) or asked
    peer.answers["unset_config"] = lambda asked: {
        "key": asked["key"],
        "was_set": own.pop(asked["key"], "") != "",
    }
    peer.answers["shutdown"] = lambda _: leaving.set() or {}
    wait_for(leaving)
    peer.close()


FILES = {"coordinator": "registered", "planner": "planning"}


def config(own: dict[str, Any]) -> dict[str, Any]:
    """STAND_IN_MODEL is the home's own model; `own` was set since."""
    url, model = "http://127.0.0.1:1/v1", os.environ.get("STAND_IN_MODEL", "")
    values = {"planner.via": "", "planner.base_url": url if model else "", "planner.model": model} | own
    return {"settings": [{"key": key, "value": value} for key, value in values.items()]}


def one_of(listed: dict[str, Any], key: str) -> dict[str, Any]:
    values = {one["key"]: one["value"] for one in listed["settings"]}
    return {"key": key, "value": values.get(key, ""), "source": "home", "about": "", "variable": ""}


def status(home: Path) -> dict[str, Any]:
    registered = home / "registered"
    one = {"id": f"{processes.machine_id()}/main"}
    found = [one | {"pid": int(registered.read_text())}] if registered.exists() else []
    daemon = {"pid": os.getpid(), "version": __version__, "uptime_s": 1.0}
    planning = home / "planning"
    planners = [{"pid": int(planning.read_text())}] if planning.exists() else []
    return {"daemon": daemon, "coordinators": found, "planners": planners, "counts": {"running": 2}}


def wait_for(leaving: threading.Event) -> None:
    """At most a minute: a failed test leaves nothing behind."""
    leaving.wait(60)


if __name__ == "__main__":
    main(sys.argv[1], Path(os.environ["TORYO_HOME"]))
