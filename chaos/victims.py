"""Who can be killed, how they are found at this moment, and what killing them means."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from chaos.place import HANDS, HEAD, MIND, Place, is_alive
from toryo.workbench.runs import survivors
from toryo.workbench.runs.survivors import Identity

DAEMON, COORDINATOR, BOTH = "daemon", "coordinator", "both"
PLANNER, PLANNER_AND_DAEMON = "planner", "planner_and_daemon"
AGENT, SHIM, TREE, BRIDGE, TMUX, REBOOT = "agent", "shim", "tree", "bridge", "tmux", "reboot"

EVERYWHERE = (DAEMON, COORDINATOR, BOTH, REBOOT)
"""Alive at every point, or, of a reboot, that which takes them all."""
IN_A_RUN = (AGENT, SHIM, TREE, BRIDGE, TMUX)
"""Alive while a connected run with a window lives."""
IN_A_MISSION = (PLANNER, PLANNER_AND_DAEMON)
VICTIMS = (*EVERYWHERE, *IN_A_RUN, *IN_A_MISSION)


def kill(place: Place, victim: str, run: str = "", standing: int = 0) -> None:
    """At this moment, for good. `run`: whose agent, shim, tree or bridge is meant; `standing`: who stands."""
    if victim == SHIM and standing and standing not in place.pids.values():
        place.kill(standing)  # it may not have told its number yet
        return
    match victim:
        case "daemon":
            place.kill(place.pids[HEAD])
        case "coordinator":
            place.kill(place.pids[HANDS])
        case "both":
            place.kill(place.pids[HEAD])
            place.kill(place.pids[HANDS])
        case "planner":
            place.kill(place.pids[MIND])
        case "planner_and_daemon":
            place.kill(place.pids[MIND])
            place.kill(place.pids[HEAD])
        case "reboot":
            place.kill_all()
            place.boots += 1
        case "tree":
            _kill_tree(place, run)
        case _:
            place.kill(pid_of(place, victim, run))


def revive(place: Place, standing: int | None) -> None:
    """What follows a kill in life: those who stood still go on, those who died are started again."""
    place.disarm()
    if standing is not None:
        place.let_go(standing)
    place.start()


def pid_of(place: Place, victim: str, run: str) -> int:
    """Of one that must be alive now."""
    found = place.until(
        lambda: _find(place, victim, run), f"a {victim} of {run or 'the place'} that lives", 20
    )
    assert is_alive(found), f"the {victim} is not alive here"
    return found


def is_there(place: Place, victim: str, run: str) -> bool:
    """Whether it could be killed now."""
    if victim == TREE:
        victim = SHIM
    found = _find(place, victim, run)
    return found is not None and is_alive(found)


def _find(place: Place, victim: str, run: str) -> int | None:
    if victim in (AGENT, SHIM):
        told = started(place, run)
        return told["pid" if victim == AGENT else "shim_pid"] if told else None
    words = {BRIDGE: (b"bridge.py", run.encode()), TMUX: (b"tmux", b"tmux.sock")}[victim]
    for pid in place.processes():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if all(word in line for word in words) and is_server(victim, pid):
            return pid
    return None


def is_server(victim: str, pid: int) -> bool:
    """tmux's client and server have the same words; the server has no parent of ours."""
    parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return victim != TMUX or parent == 1 or not is_tmux(parent)


def is_tmux(pid: int) -> bool:
    try:
        return b"tmux" in Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return False


def run_dir(place: Place, run: str) -> Path:
    return place.home.coordinator(HANDS) / "runs" / run


def started(place: Place, run: str) -> dict[str, Any] | None:
    try:
        told = json.loads((run_dir(place, run) / "started.json").read_bytes())
    except (OSError, ValueError):
        return None
    return dict(told)


def _kill_tree(place: Place, run: str) -> None:
    """Shim, agent and all that came from it, none of which can tell anything any more."""
    told = place.until(lambda: started(place, run), "a start record", 20)
    agent = Identity(told["pid"], told["pid_start"])
    marker = json.loads((run_dir(place, run) / "launch.json").read_bytes())["env"]["TORYO_RUN"]
    os.kill(told["shim_pid"], signal.SIGKILL)
    while left := survivors.of(agent, marker):
        for one in left:
            survivors.send(one, signal.SIGKILL)
    place.until(lambda: not is_alive(told["shim_pid"]), "the shim is gone")
