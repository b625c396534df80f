"""Actions about a mission: what a person may do in each status, the likeliest first. Pure."""

from __future__ import annotations

from toryo.domain.actions import Action, Do, action
from toryo.domain.reasons import Reason, parse
from toryo.domain.words import MISSION_ENDED, MissionStatus

_BY_REASON: dict[Reason, tuple[Do, ...]] = {
    Reason.QUESTIONS: (Do.ANSWER_MISSION,),
    Reason.NO_PLANNER: (Do.USE_PLANNER,),
    Reason.PLANNER_AWAY: (Do.UP,),
    Reason.PLANNER_FAILED: (Do.SAY_TO_MISSION, Do.SHOW_MISSION, Do.CHECK_PLANNER),
    Reason.PLAN_READY: (Do.APPROVE_MISSION, Do.REJECT_MISSION),
    Reason.FINDINGS: (Do.APPROVE_MISSION, Do.REJECT_MISSION),
    Reason.PLAN_ONLY: (Do.APPROVE_MISSION, Do.REJECT_MISSION),
    Reason.PLAN_FAULTY: (Do.REJECT_MISSION, Do.SHOW_MISSION),
    Reason.NEEDS_YOU: (Do.SHOW_MISSION,),
    Reason.FILES_STUCK: (Do.RESUME_MISSION, Do.SHOW_MISSION),
    Reason.PAUSED: (Do.RESUME_MISSION,),
    Reason.TREE_STOPPED: (Do.RESUME_MISSION, Do.SHOW_MISSION),
}


def mission_actions(id: str, status: str, reason: str) -> tuple[Action, ...]:
    if status in MISSION_ENDED:
        return (action(Do.FOLLOW_MISSION, id),)
    code, argument = parse(reason)
    if code is Reason.BUDGET:
        key, _, _ = argument.partition(":")
        return (
            action(Do.BUDGET_MISSION, id, limit=f"{key or 'tokens'}=0"),
            action(Do.CANCEL_MISSION, id),
        )
    chosen = tuple(action(do, "" if do in _OF_ALL else id) for do in _BY_REASON.get(code, ()))
    more = () if status == MissionStatus.PAUSED else (Do.PAUSE_MISSION,)
    return (*chosen, *(action(do, id) for do in more), action(Do.CANCEL_MISSION, id))


_OF_ALL = (Do.USE_PLANNER, Do.CHECK_PLANNER, Do.UP)
