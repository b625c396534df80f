"""Usage text: what the planner's model and the agents spent, as far as they say. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text.output import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toryo.protocol.views.missions import MissionView
    from toryo.protocol.views.runs import RunView


def page(missions: Iterable[MissionView], runs: Sequence[RunView]) -> str:
    lines = ["The planner's model, by mission", ""]
    for mission in missions:
        used = mission["usage"]
        cost = "cost unknown" if used["cost_usd"] is None else f"${used['cost_usd']:.2f} {used['cost']}"
        tokens = f"{used['input_tokens']:,} in, {used['output_tokens']:,} out"
        lines.append(f"  {one_line(mission['title'])}: {used['calls']} calls, {tokens}, {cost}")
    lines += ["" if len(lines) > 2 else "  no mission yet", "", "The agents, by client", ""]
    return "\n".join([*lines, *_clients(runs)])


def _clients(runs: Sequence[RunView]) -> list[str]:
    told = []
    for client in sorted({one["client"] for one in runs}):
        mine = [one["usage"] for one in runs if one["client"] == client]
        said = [one for one in mine if one is not None]
        tokens_in = sum(one["input_tokens"] or 0 for one in said)
        tokens_out = sum(one["output_tokens"] or 0 for one in said)
        costs = [one["cost_usd"] for one in said if one["cost_usd"] is not None]
        cost = f"${sum(costs):.2f}" if costs else "cost not told"
        told.append(f"  {client}: {len(mine)} runs, {tokens_in:,} in, {tokens_out:,} out, {cost}")
        if len(said) < len(mine):
            told.append(f"    {len(mine) - len(said)} of them told nothing")
    return told or ["  no run yet"]
