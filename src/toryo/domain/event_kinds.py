"""Which kinds of event tell of Toryo's own machinery rather than of somebody's work. Pure."""

from __future__ import annotations

PLUMBING = frozenset(
    {
        "agent_authenticated",
        "agent_reported",
        "coordinator_key_issued",
        "coordinator_registered",
        "coordinator_seen",
        "deadlines_extended",
        "fact_late",
        "fact_orphan",
        "forbidden_transition",
        "gate_verdict",
        "landing_queued",
        "message_undelivered",
        "order_reported",
        "planner_key_issued",
        "planner_registered",
        "planner_seen",
        "run_claimed",
        "run_collected",
        "run_parking_moved",
        "run_prepared",
        "run_cleaned",
        "run_spoken",
        "run_stopped",
        "run_withdrawn",
        "settings_read",
        "target_seen",
        "tip_moved",
    }
)
"""Each of them goes with another event that says what came of it, or of nothing at all."""
