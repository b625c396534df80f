"""Missions as the daemon shows them, for the tests of what is made of them."""

from __future__ import annotations

from typing import Any

from toryo.protocol.views.missions import MessageView, MissionView, PlannedTaskView, PlanView, QuestionView


def question(id: str, text: str, *options: str, default: str = "", answer: str | None = None) -> QuestionView:
    return {"id": id, "text": text, "options": list(options), "default": default, "answer": answer}


def task(id: str, title: str, *after: str, **other: Any) -> PlannedTaskView:
    bare: dict[str, Any] = {
        "id": id,
        "task": None,
        "title": title,
        "description": "",
        "status": None,
        "reason": "",
        "detail": "",
        "depends_on": list(after),
        "write": None,
        "touched": [],
        "checks": [],
        "agent": None,
        "worktree": "new",
        "unit": False,
        "story": None,
    }
    return {**bare, **other}  # type: ignore[typeddict-item]


def plan(*tasks: PlannedTaskView, **other: Any) -> PlanView:
    bare: dict[str, Any] = {
        "version": 1,
        "spec": "# Rate limits\n\nNobody asks more than 60 times a minute.",
        "plan": "A counter in memory.",
        "parallelism": 2,
        "tasks": list(tasks) or [task("T001", "Count requests"), task("T002", "Refuse too many", "T001")],
        "faults": [],
        "notes": [],
        "findings": [],
        "approved_at": None,
        "rejected": None,
    }
    return {**bare, **other}  # type: ignore[typeddict-item]


def message(seq: int, who: str, text: str) -> MessageView:
    return {"id": f"m{seq}", "seq": seq, "who": who, "text": text, "at": None}


def mission(status: str = "questioning", **other: Any) -> MissionView:
    bare: dict[str, Any] = {
        "id": "n1",
        "seq": 1,
        "project": "p1",
        "project_name": "shop",
        "title": "Rate limits",
        "status": status,
        "reason": "",
        "detail": "",
        "target": "main",
        "created_at": None,
        "changed_at": None,
        "text": "add rate limiting",
        "size": "normal",
        "approval": "plan",
        "plan_only": False,
        "follows": None,
        "spec": "specs/SPEC-1",
        "parallelism": 2,
        "budget": {},
        "usage": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": None, "cost": "unknown"},
        "usage_of_agents": NO_RUN,
        "questions": [],
        "plan": None,
        "messages": [],
        "actions": [],
    }
    return {**bare, **other}  # type: ignore[typeddict-item]


NO_RUN = {
    **{"runs": 0, "turns": 0, "minutes": 0.0, "input_tokens": 0, "output_tokens": 0},
    **{"cost_usd": None, "cost": "unknown"},
}
STORE = question("Q1", "Where are counters kept?", "memory", "Redis", default="memory")
LIMIT = question("Q2", "How many requests a minute?", default="60")
FREE = question("Q3", "What does a refused client read?")
