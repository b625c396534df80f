"""Missions of the campaign: the script that their model follows, and the person who goes on with them."""

from __future__ import annotations

import time
from typing import Any

from chaos.place import Place
from toryo.protocol.wire import ToolFailed, WireError

WISH, STUCK, CHANGED = "Serve tea", "Serve trouble", "Serve slowly"
"""What the person of each state asked for; the model answers by these words."""
DEMAND = "rather coffee"
ENDED = ("completed", "failed", "cancelled")
WITHIN_S = 60.0


def _part(purpose: str, answer: dict[str, Any], when: str = "") -> dict[str, Any]:
    return {"purpose": purpose, "replies": [{"answer": answer}]} | ({"when": when} if when else {})


def _question(size: str) -> dict[str, Any]:
    asked = [{"id": "q1", "text": "How hot?", "options": ["warm", "hot"], "default": "warm"}]
    return {"title": "Tea", "size": size, "questions": asked}


def _plan(*tasks: tuple[str, str, tuple[str, ...]]) -> dict[str, Any]:
    """Each task by its title, agent and what it waits for."""
    return {
        "spec": "# Feature Specification: Tea",
        "plan": "# Implementation Plan: Tea",
        "parallelism": 2,
        "tasks": [
            {
                "id": f"T{number:03d}",
                "title": title,
                "agent": agent,
                "depends_on": list(needs),
                "write": ["src/"],
                "checks": ["true"],
            }
            for number, (title, agent, needs) in enumerate(tasks, 1)
        ],
    }


SLOW = ("Boil water", "slow", ())
SCRIPT = {
    "model": [
        _part("question", _question("normal"), WISH),
        _part("question", _question("small")),
        _part("plan", _plan(SLOW, ("Brew coffee", "quick", ("T001",))), DEMAND),
        _part("plan", _plan(("Brew tea", "quick", ())), WISH),
        _part("plan", _plan(("Boil over", "stumbles", ())), STUCK),
        _part("plan", _plan(SLOW, ("Brew tea", "quick", ("T001",)))),
        _part("analyze", {"findings": []}),
        _part("judge", {"action": "retry", "note": "once more"}),
        _part("impact", {"affected": ["T002"], "note": "the second", "replan": True}),
    ]
}


def begin(place: Place, text: str) -> None:
    place.call("start_mission", text=text, path=str(place.repo))


def converse(place: Place) -> None:
    """Answer and approve what is to be answered and approved, until the mission is over."""
    _until(place, ENDED)


def approve(place: Place) -> None:
    """The plan that waits; its tasks exist then."""
    place.call("approve_mission", mission=_mission(place))
    place.until(lambda: place.rows("select 1 from tasks"), "its tasks")


def answer(place: Place) -> None:
    """Its questions, until there is a plan."""
    _until(place, ("awaiting_approval",))


def demand(place: Place) -> None:
    """Something else while its first task runs: said once, and the new plan is approved."""
    mission = _mission(place)
    said = "select 1 from messages where who = 'person' and text = ?"
    while not place.rows(said, DEMAND):
        _say(place, "say_mission", mission=mission, text=DEMAND)

    def approved() -> bool:
        _go_on(place, mission)
        return bool(place.rows("select 1 from plans where version = 2 and approved_at is not null"))

    place.until(approved, "the second version is approved")
    place.go.touch()
    converse(place)


def _until(place: Place, statuses: tuple[str, ...]) -> None:
    mission = _mission(place)
    place.until(lambda: _go_on(place, mission) in statuses, f"the mission is {' or '.join(statuses)}")


def _go_on(place: Place, mission: str) -> str:
    """One word of the person where one is waited for; the status as it was before."""
    ((status, reason),) = place.rows("select status, reason from missions where id = ?", mission)
    if reason == "questions":
        _say(place, "answer_mission", mission=mission, defaults=True)
    elif reason == "plan_ready":
        ((version,),) = place.rows("select max(version) from plans where mission = ?", mission)
        _say(place, "approve_mission", mission=mission, version=version)
    else:
        time.sleep(0.02)
    return str(status)


def _say(place: Place, tool: str, **words: object) -> None:
    """Once: whoever gets no answer looks first. A word that came too late is refused."""
    try:
        place.call_once(tool, **words)
    except (ToolFailed, WireError, OSError):
        time.sleep(0.02)


def _mission(place: Place) -> str:
    return str(place.rows("select id from missions order by seq desc")[0][0])
