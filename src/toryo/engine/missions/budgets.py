"""Budgets of missions: what one has cost by now, and which limit that reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.domain.errors import UserError
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.engine.project_settings import settings_of
from toryo.protocol.views import missions as views
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import ProjectRow, RunRow
from toryo.store.tables import missions, runs

KEYS = ("turns", "tokens", "minutes", "usd")


@dataclass(frozen=True)
class Spent:
    """Of model calls and agents' runs together; of money only what somebody named."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    turns: int = 0
    tokens: int = 0
    minutes: float = 0
    usd: float | None = None
    cost: str = "unknown"

    def of(self, key: str) -> float:
        by_key = {"turns": self.turns, "tokens": self.tokens, "minutes": self.minutes, "usd": self.usd or 0}
        return by_key[key]


def refuse_wrong(budget: Mapping[str, float]) -> None:
    for key, limit in budget.items():
        if key not in KEYS:
            raise UserError(f"There is no budget {key[:40]!r}.", hint=f"There are: {', '.join(KEYS)}.")
        if not 0 <= limit < float("inf"):
            raise UserError(f"The budget {key} cannot be {limit}.", hint="A number; 0 takes the limit away.")


def spent(tx: Tx, mission: str) -> Spent:
    calls = missions.calls_of(tx, mission)
    usages = [_usage(run) for task in missions.tasks_of(tx, mission) for run in runs.of_task(tx, task.id)]
    asked_in = sum(one.input_tokens for one in calls)
    asked_out = sum(one.output_tokens for one in calls)
    known = [one.cost_usd for one in calls if one.cost_usd is not None]
    known += [float(one["cost_usd"]) for one in usages if one.get("cost_usd") is not None]
    whole = len(known) == len(calls) + len(usages)
    return Spent(
        calls=sum(one.calls for one in calls),
        input_tokens=asked_in,
        output_tokens=asked_out,
        turns=sum(one.calls for one in calls) + sum(int(one.get("turns") or 0) for one in usages),
        tokens=asked_in
        + asked_out
        + sum(int(one.get(name) or 0) for one in usages for name in ("input_tokens", "output_tokens")),
        minutes=sum(float(one["minutes"]) for one in usages),
        usd=sum(known) if known else None,
        cost=_label(whole and bool(known), [one.cost for one in calls], bool(known)),
    )


def _label(whole: bool, labels: list[str], some: bool) -> str:
    if not some:
        return "unknown"
    return "observed" if whole and set(labels) <= {"observed"} else "estimated"


def _usage(run: RunRow) -> dict[str, Any]:
    minutes = ((run.ended_at or run.started_at or 0) - (run.started_at or 0)) / 60
    return {**((run.said or {}).get("usage") or {}), "minutes": max(0.0, minutes)}


def limits(context: HeadContext, project: ProjectRow, row: MissionRow) -> dict[str, float]:
    """In force for it: what was typed for it (0: none), else the smaller one of home and project."""
    home, own = in_force(context).budget, settings_of(project.settings).budget
    found = {}
    for key in KEYS:
        standing = [limit for limit in (getattr(home, key), getattr(own, key)) if limit]
        limit = row.budget[key] if key in row.budget else min(standing, default=0)
        if limit:
            found[key] = float(limit)
    return found


def reached(context: HeadContext, tx: Tx, project: ProjectRow, row: MissionRow) -> str:
    """The first limit that is reached, in words; empty: none."""
    allowed = limits(context, project, row)
    if not allowed:
        return ""
    cost = spent(tx, row.id)
    for key, limit in allowed.items():
        if cost.of(key) >= limit:
            return f"{key}: {cost.of(key):g} of {limit:g}"
    return ""


def usage_view(cost: Spent) -> views.UsageView:
    return {
        "calls": cost.calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "cost_usd": cost.usd,
        "cost": cost.cost,
    }
