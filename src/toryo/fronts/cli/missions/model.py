"""Model settings of this shell, handed to the planner before a mission is spoken with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toryo.fronts.client import Desk
    from toryo.protocol.views.settings import ListedSettings

PLANNER = "planner"


def revive_planner(desk: Desk) -> None:
    """One that died while somebody waits for its answers is started again; one that was taken down is not."""
    if PLANNER not in desk.processes or desk.run:
        return
    from toryo.fronts.processes.planner_note import noted

    there = noted(desk.home)
    if there is not None and not there.lives:
        hand_over_settings(desk)


def bring_planner(desk: Desk) -> None:
    """One that lives stays as it is: an outside AI's environment is not that of whoever began it."""
    from toryo.fronts.processes.planner_note import noted

    there = noted(desk.home)
    if there is None or not there.lives:
        hand_over_settings(desk)


def put_in_force(desk: Desk) -> None:
    """Settings that were changed a moment ago: a daemon that is up gets a planner with them at once."""
    from toryo.fronts.processes.start import daemon_answers

    if PLANNER in desk.processes and not desk.run and daemon_answers(desk.home):
        hand_over_settings(desk)


def hand_over_settings(desk: Desk) -> int:
    """The planner's pid; 0: no model is configured, which the daemon says where one is needed."""
    if PLANNER not in desk.processes or desk.run:
        return 0
    listed: ListedSettings = desk.call("list_config", {})
    from toryo.fronts.processes.planner import bring_up_planner

    return bring_up_planner(desk.home, {one["key"]: one["value"] for one in listed["settings"]})
