"""Budgets of missions: what one has cost by now, and which limit that reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toryo.domain.errors import UserError
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.engine.project_settings import settings_of
from toryo.protocol.views import missions as views
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, ModelCallRow
from toryo.store.database.rows import ProjectRow, RunRow
from toryo.store.tables import missions, runs

KEYS = ("turns", "tokens", "minutes", "usd")


@dataclass(frozen=True)
class Share:
    """What one side has taken; of money only what somebody named."""

    times: int = 0
    """Calls of a model, or runs."""
    input_tokens: int = 0
    output_tokens: int = 0
    turns: int = 0
    usd: float | None = None
    cost: str = "unknown"


@dataclass(frozen=True)
class Spent:
    planner: Share = Share()
    agents: Share = Share()
    minutes: float = 0
    """Of runs."""

    def of(self, key: str) -> float:
        """Of both together: a limit holds for all that a mission takes."""
        both = (self.planner, self.agents)
        by_key = {
            "turns": sum(one.turns for one in both),
            "tokens": sum(one.input_tokens + one.output_tokens for one in both),
            "minutes": self.minutes,
            "usd": sum(one.usd or 0 for one in both),
        }
        return by_key[key]


def refuse_wrong(budget: Mapping[str, float]) -> None:
    for key, limit in budget.items():
        if key not in KEYS:
            raise UserError(f"There is no budget {key[:40]!r}.", hint=f"There are: {', '.join(KEYS)}.")
        if not 0 <= limit < float("inf"):
            raise UserError(f"The budget {key} cannot be {limit}.", hint="A number; 0 takes the limit away.")


def spent(tx: Tx, mission: str) -> Spent:
    past = [run for task in missions.tasks_of(tx, mission) for run in runs.of_task(tx, task.id)]
    return Spent(_of_planner(missions.calls_of(tx, mission)), _of_agents(past), sum(map(_minutes, past)))


def _of_planner(calls: Sequence[ModelCallRow]) -> Share:
    number = sum(one.calls for one in calls)
    known = [one.cost_usd for one in calls if one.cost_usd is not None]
    is_observed = len(known) == len(calls) and all(one.cost == "observed" for one in calls)
    return Share(
        times=number,
        input_tokens=sum(one.input_tokens for one in calls),
        output_tokens=sum(one.output_tokens for one in calls),
        turns=number,
        usd=sum(known) if known else None,
        cost=_label(known, is_observed=is_observed),
    )


def _of_agents(past: Sequence[RunRow]) -> Share:
    """As their clients counted it; one that does not say leaves the sum an estimate."""
    told = [(run.said or {}).get("usage") or {} for run in past]
    known = [float(one["cost_usd"]) for one in told if one.get("cost_usd") is not None]

    def total(name: str) -> int:
        return sum(int(one.get(name) or 0) for one in told)

    return Share(
        times=len(past),
        input_tokens=total("input_tokens"),
        output_tokens=total("output_tokens"),
        turns=total("turns"),
        usd=sum(known) if known else None,
        cost=_label(known, is_observed=len(known) == len(told)),
    )


def _label(known: Sequence[float], *, is_observed: bool) -> str:
    if not known:
        return "unknown"
    return "observed" if is_observed else "estimated"


def _minutes(run: RunRow) -> float:
    return max(0.0, ((run.ended_at or run.started_at or 0) - (run.started_at or 0)) / 60)


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


def usage_view(planner: Share) -> views.UsageView:
    return {
        "calls": planner.times,
        "input_tokens": planner.input_tokens,
        "output_tokens": planner.output_tokens,
        "cost_usd": planner.usd,
        "cost": planner.cost,
    }


def usage_of_agents_view(cost: Spent) -> views.AgentsUsageView:
    agents = cost.agents
    return {
        "runs": agents.times,
        "turns": agents.turns,
        "minutes": round(cost.minutes, 2),
        "input_tokens": agents.input_tokens,
        "output_tokens": agents.output_tokens,
        "cost_usd": agents.usd,
        "cost": agents.cost,
    }
