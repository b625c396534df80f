"""Planner process: started with the model's settings of this shell, and anew where those differ.

The key goes into the environment of that process and nowhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo import settings
from toryo.domain.errors import UserError
from toryo.fronts.processes.planner_note import Noted, hashed, note, noted
from toryo.fronts.processes.start import MODEL_KEY, ask, begin, end, starting_lock, wait_until
from toryo.fronts.processes.stop import stop_planner
from toryo.fronts.text.output import Progress

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toryo.settings import Home

URL, MODEL = "TORYO_PLANNER_BASE_URL", "TORYO_PLANNER_MODEL"
CLIENTS = ("claude", "codex")
"""Installed CLIs that can be the model."""


def bring_up_planner(home: Home, config: Mapping[str, Any]) -> int:
    """Its pid, started where a model is configured and none runs with these settings; 0: no model.

    `config`: the installation's settings by key. A shell that says nothing leaves a running one alone."""
    mine = of_shell(config)
    if address := mine.get(URL):
        from toryo.protocol.model_addresses import address_fault  # not for shells that name none

        if fault := address_fault(address):
            raise UserError(f"{URL} is no endpoint: it {fault}.", hint=f"unset {URL}")
    if (pid := _fitting(home, mine)) or not is_configured(config, mine):
        return pid
    with Progress("starting the planner") as progress, starting_lock(home, progress):
        if pid := _fitting(home, mine):  # somebody else started it meanwhile
            return pid
        stop_planner(home, progress)
        return _start(home, mine, progress)


def of_shell(config: Mapping[str, Any]) -> dict[str, str]:
    """What this shell says about the model, with the variable that the settings name for the key."""
    env = settings.environment()
    names = (URL, MODEL, MODEL_KEY, str(config.get("planner.api_key_env") or ""))
    return {name: env[name] for name in names if env.get(name)}


def was_told_otherwise(home: Home, config: Mapping[str, Any]) -> bool:
    """Whether one runs with settings of another shell, which count over those of the installation."""
    there = noted(home)
    return there is not None and there.lives and there.settings != hashed(home, of_shell(config))


def is_configured(config: Mapping[str, Any], mine: Mapping[str, str]) -> bool:
    """By this shell, or by the installation's settings."""
    if config.get("planner.via") in CLIENTS:
        return True
    url = mine.get(URL) or config.get("planner.base_url")
    return bool(url and (mine.get(MODEL) or config.get("planner.model")))


def _fitting(home: Home, mine: Mapping[str, str]) -> int:
    """Pid of the one that runs, if it needs no other settings; 0: none."""
    there = noted(home)
    if there is None or not there.lives:
        return 0
    return there.pid if not mine or there.settings == hashed(home, mine) else 0


def _start(home: Home, mine: Mapping[str, str], progress: Progress) -> int:
    begun = begin(home, "planner", "run", given=mine)
    try:
        wait_until(begun, "planner", progress, lambda: _is_registered(home, begun.pid))
        note(home, Noted(begun.pid, str(begun.start), hashed(home, mine)))
    except BaseException:  # also Ctrl-C: nobody could name it later
        end(begun)
        raise
    return begun.pid


def _is_registered(home: Home, pid: int) -> bool:
    return any(one.get("pid") == pid for one in ask(home, "get_status").get("planners", ()))
