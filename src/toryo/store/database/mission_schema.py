"""The tables of missions: conversation, questions, plans, model calls, and what a repository held.

Plans are only added; statuses of missions are caches of `reconciler/missions.py`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from toryo.store.database.schema import Sequence, metadata

missions = Table(
    "missions",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("project", ForeignKey("projects.id"), nullable=False),
    Column("target", String, nullable=False),  # where it starts from and lands, for its whole life
    Column("title", Text, nullable=False, default=""),
    Column("text", Text, nullable=False),  # what the person asked for
    Column("approval", String, nullable=False, default="plan"),
    Column("plan_only", Boolean, nullable=False, default=False),
    Column("follows", String, nullable=False, default=""),  # the finished mission whose spec it continues
    Column("alone", Boolean, nullable=False, default=False),  # a person said that it continues nothing
    Column("taken_from", String, nullable=False, default=""),  # the spec-kit folder it was taken from
    Column("spec_dir", String, nullable=False, default=""),
    Column("size", String, nullable=False, default=""),
    Column("parallelism", Integer, nullable=False, default=0),  # 0: as the plan says
    Column("budget", JSON, nullable=False),
    Column("request", Integer, nullable=False, default=1),  # which version of what is wanted
    Column("demand", JSON),  # newer than the plan in force: {request, text, weighed, replan, affected}
    # its root unit's task, which plans in place of the planner; empty: the planner does
    Column("root", String, nullable=False, default="", server_default=""),
    Column("approved_at", Double),  # of its first plan: its place in the queue of missions
    Column("created_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    # caches written by the drain only:
    Column("status", String, nullable=False, default="questioning"),
    Column("reason", String, nullable=False, default=""),
    Column("detail", Text, nullable=False, default=""),
    Column("hold", String, nullable=False, default=""),  # why none of its tasks starts
    Column("stop", Boolean, nullable=False, default=False),  # its runs are to stop
    Column("hold_tasks", JSON, nullable=False),  # plan ids that a demand stopped
    Index("missions_of_project", "project", "seq"),
    Index("missions_status", "status", "seq"),
)

messages = Table(
    "messages",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("mission", ForeignKey("missions.id"), nullable=False),
    Column("who", String, nullable=False),  # person | planner | progress | system
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
    Index("messages_mission", "mission", "seq"),
)

questions = Table(
    "questions",
    metadata,
    Column("mission", ForeignKey("missions.id"), primary_key=True),
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False),  # their order
    Column("request", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("default", Text, nullable=False, default=""),
    Column("answer", Text),
    Column("answered_at", Double),
)

plans = Table(
    "plans",
    metadata,
    Column("mission", ForeignKey("missions.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("request", Integer, nullable=False),
    Column("spec", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("tasks", JSON, nullable=False),  # [PlannedTask]
    Column("tasks_text", Text, nullable=False, default=""),  # its tasks.md as it was taken in; empty: ours
    Column("parallelism", Integer, nullable=False, default=1),
    Column("faults", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    Column("edges", JSON, nullable=False),  # [[task, needs]]: added by the rules, for overlaps
    Column("findings", JSON),  # none: it was not analyzed
    Column("mends", Integer, nullable=False, default=0),  # how often it was mended before
    Column("created_at", Double, nullable=False),
    Column("approved_at", Double),
    Column("rejected_at", Double),
    Column("rejection", Text, nullable=False, default=""),
    Column("made_at", Double),  # its tasks exist
)

# One row a planner order that was reported: what a mission cost in model calls.
model_calls = Table(
    "model_calls",
    metadata,
    Column("order", String, primary_key=True),
    Column("mission", String, nullable=False, index=True),
    Column("task", String, nullable=False, default=""),
    Column("purpose", String, nullable=False),
    Column("problem", String, nullable=False, default=""),  # its code, where the answer could not be used
    Column("calls", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", Double),
    Column("cost", String, nullable=False, default="unknown"),
    Column("at", Double, nullable=False),
)

scans = Table(
    "scans",
    metadata,
    Column("project", String, primary_key=True),
    Column("commit", String, primary_key=True),
    Column("text", String, nullable=False),  # blob hash
    Column("has_tests", Boolean, nullable=False),
    Column("paths", JSON, nullable=False),
    Column("at", Double, nullable=False),
)
