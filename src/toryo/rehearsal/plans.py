"""What a script wants rehearsed besides the model's lines: agents, tasks, how each task must end. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain.errors import UserError
from toryo.domain.words import AT_REST, TaskStatus

HINT = "docs/howto/rehearsing.md shows every field."
LONGEST_S = 7 * 86400
AGENT = {
    "name": str,
    "client": str,
    "model": str,
    "role": str,
    "access": str,
    "system_prompt": str,
    "prompt": str,
    "write": list,
}
TASK = {
    "title": str,
    "description": str,
    "type": str,
    "agent": str,
    "after": list,
    "write": list,
    "checks": list,
    "timeout_s": (int, float),
    "expect": dict,
}
EXPECT = {"status": str, "reason": str, "verdict": str, "runs": list, "files": dict}
"""`runs`: purposes in order; `files`: path on the branch that was landed on → text that it contains."""


class BadPlan(UserError):
    """The script's plan cannot be followed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint=HINT)


def plan_of(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Checked and complete. Without tasks: one that is called like the script and must be done."""
    unknown = set(raw) - {"client", "agents", "tasks", "within_s"}
    if unknown:
        raise BadPlan(f"{', '.join(sorted(map(str, unknown)))}: not known. Is it a part of `model`?")
    for listed in ("agents", "tasks"):
        if not isinstance(raw.get(listed) or [], list):
            raise BadPlan(f"{listed}: a list is wanted, not {raw[listed]!r}.")
    within_s = raw.get("within_s") or 600
    if not isinstance(within_s, int | float) or not 0 < within_s < LONGEST_S:
        raise BadPlan(f"within_s: a number of seconds is wanted, not {within_s!r}.")
    agents = [_checked("agent", AGENT, one, "name") for one in raw.get("agents") or ()]
    tasks = [_checked("task", TASK, one, "title") for one in raw.get("tasks") or ({"title": name},)]
    titles = [one["title"] for one in tasks]
    for number, task in enumerate(tasks):
        for other in task.get("after", ()):
            if other not in titles[:number]:
                raise BadPlan(f"task {task['title']}: after: no task before it is called {other!r}.")
        expect = _checked(f"task {task['title']}: expect", EXPECT, task.get("expect") or {}, "")
        task["expect"] = {"status": "done", **expect}
        if task["expect"]["status"] not in {*AT_REST, TaskStatus.BLOCKED}:
            raise BadPlan(f"task {task['title']}: expect: a task never ends as {expect['status']!r}.")
    return {
        "client": str(raw.get("client") or ""),
        "agents": agents,
        "tasks": tasks,
        "within_s": float(within_s),
    }


def _checked(place: str, fields: Mapping[str, Any], raw: Any, needed: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise BadPlan(f"{place}: a mapping is wanted, not {raw!r}.")
    for name, value in raw.items():
        if name not in fields:
            raise BadPlan(f"{place}: {name} is not known. Known: {', '.join(fields)}.")
        if not isinstance(value, fields[name]):
            raise BadPlan(f"{place}: {name} cannot be {value!r}.")
    if needed and not raw.get(needed):
        raise BadPlan(f"{place}: {needed} is missing.")
    return dict(raw)
