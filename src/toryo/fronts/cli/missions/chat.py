"""Chat lines of a mission: what was said since a person looked last, and where it stands. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text.output import clock, columns, duration, fold_copyable, one_line, paint, plain, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.protocol.views.missions import (
        AgentsUsageView,
        MessageView,
        MissionView,
        PlannedTaskView,
        UsageView,
    )

COLOURS = {"person": "bold", "planner": "cyan", "progress": "", "system": "dim"}
OF_TORYO = ("progress", "system")
"""Speakers whose lines stand without a name."""


def lines(messages: Sequence[MessageView], after: int, *, without: Sequence[str] = ()) -> list[str]:
    """Those with a later number, of every speaker but those."""
    return [line(one) for one in messages if one["seq"] > after and one["who"] not in without]


def line(message: MessageView) -> str:
    """Time, speaker, words; further lines of it are set in."""
    at = clock(message["at"])
    who = "" if message["who"] in OF_TORYO else f"{message['who']}: "
    left = len(at) + 2 if at else 0
    text = fold_copyable(plain(message["text"].strip()), max(0, columns() - left), len(who))
    shown = text.replace("\n", "\n" + " " * left)
    begin = f"{paint(at, 'dim')}  " if at else ""
    return f"{begin}{paint(who, COLOURS.get(message['who'], ''))}{shown}"


def newest(messages: Sequence[MessageView]) -> int:
    """Number of the last message; 0: nothing was said yet."""
    return max((one["seq"] for one in messages), default=0)


def standing(mission: MissionView) -> str:
    """`n3kd92m1  active (needs_you): why`."""
    why = one_line(mission["detail"])
    return f"{mission['id']}  {state(mission)}" + (f": {why}" if why else "")


def state(mission: MissionView) -> str:
    reason = one_line(mission["reason"]).replace("_", " ")
    return word(mission["status"]) + (f" ({reason})" if reason else "")


def under_way(mission: MissionView) -> str:
    """For the line of who waits: the status, and its tasks counted by theirs."""
    plan = mission["plan"]
    counts: dict[str, int] = {}
    for task in plan["tasks"] if plan else ():
        if task["status"]:
            counts[task["status"]] = counts.get(task["status"], 0) + 1
    told = ", ".join(f"{number} {status}" for status, number in counts.items())
    return f"{mission['status']}: {told}" if told else mission["status"].replace("_", " ")


def ended(mission: MissionView) -> list[str]:
    """The last lines: where it stands, what became of each task, and what it cost."""
    tasks = mission["plan"]["tasks"] if mission["plan"] else []
    told = [standing(mission)]
    told += [f"  {_task(one)}" for one in tasks if one["task"]]
    if spent := usage(mission["usage"]):
        told.append(f"  planner: {spent}")
    if spent := usage_of_agents(mission["usage_of_agents"]):
        told.append(f"  agents: {spent}")
    return told


def _task(task: PlannedTaskView) -> str:
    because = one_line(task["detail"] or task["reason"])
    state = word(str(task["status"] or ""))
    return f"{task['id']} {task['task']}  {one_line(task['title'])}  {state}" + (
        f" ({because})" if because else ""
    )


def usage(used: UsageView) -> str:
    """`3 calls, 12 300 tokens in, 900 out, $0.04 (estimated)`; empty: the model was not asked."""
    if not used["calls"]:
        return ""
    calls = "1 call" if used["calls"] == 1 else f"{used['calls']} calls"
    return f"{calls}, {_tokens(used)}, {_cost(used)}"


def usage_of_agents(used: AgentsUsageView) -> str:
    """`2 runs, 41 200 tokens in, 3 100 out, $0.31 (observed)`; empty: none was started."""
    if not used["runs"]:
        return ""
    runs = "1 run" if used["runs"] == 1 else f"{used['runs']} runs"
    return f"{runs}, {_tokens(used)}, {_cost(used)}"


def _tokens(used: UsageView | AgentsUsageView) -> str:
    return f"{used['input_tokens']} tokens in, {used['output_tokens']} out"


def _cost(used: UsageView | AgentsUsageView) -> str:
    return "cost unknown" if used["cost_usd"] is None else f"${used['cost_usd']:.2f} ({used['cost']})"


def actions(mission: MissionView) -> list[str]:
    """Lines to type, as the head offers them."""
    return [plain(one["line"]) for one in mission["actions"]]


def given_up(mission: MissionView, after_s: float) -> str:
    return f"Not at rest after {duration(after_s)}: {mission['status'].replace('_', ' ')}."
