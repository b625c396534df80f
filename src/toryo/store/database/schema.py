"""The tables. Everything here must mean the same on SQLite and PostgreSQL. Times are UTC seconds (double).

Facts, claims, verbs, checks and events are only ever added. Status columns and the fact columns of runs and
landings are caches that `doctor --recompute` compares with a fresh fold over the raw rows.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    false,
    literal_column,
    true,
)

metadata = MetaData()

Sequence = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER
_EMPTY: ColumnElement[str] = literal_column("''")  # in words: a value that comes later finds no index


def _index(name: str, *columns: Column[Any], where: ColumnElement[bool]) -> None:
    """Of those rows alone; a question finds it if it says the same (ADR 36)."""
    Index(name, *columns, sqlite_where=where, postgresql_where=where)


meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))

projects = Table(
    "projects",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("path", Text, nullable=False),
    Column("machine", String, nullable=False),
    Column("status", String, nullable=False, default="active"),
    Column("base", String, nullable=False),
    Column("settings", JSON, nullable=False),  # parsed .toryo/config.yaml
    Column("settings_files", JSON, nullable=False),  # path below .toryo/ → text
    Column("settings_from", String, nullable=False, default="none"),
    Column("settings_tree", String, nullable=False, default=""),
    Column("settings_problem", Text, nullable=False, default=""),
    Column("default_agent", String, nullable=False, default=""),
    Column("created_at", Double, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    Column("id", String, primary_key=True),  # the name; tasks, runs, tokens and assignments have it
    # whose repository defines it; empty: the whole installation's
    Column("project", String, primary_key=True, default="", server_default=""),
    Column("name", String, nullable=False),
    Column("role", String, nullable=False, default=""),
    Column("client", String, nullable=False, default=""),  # empty: no client yet
    Column("command", Text, nullable=False, default=""),
    Column("model", String, nullable=False, default=""),
    Column("system_prompt", Text, nullable=False, default=""),
    Column("prompt", Text, nullable=False, default=""),  # promptFile's content
    Column("scope", JSON, nullable=False),
    Column("slots", Integer, nullable=False, default=0),  # 0: nobody set a limit
    Column("access", String, nullable=False, default="sealed"),
    Column("style", String, nullable=False, default="exec"),
    Column("terminal", String, nullable=False, default="plain"),
    Column("start_in", String, nullable=False, default="", server_default=""),  # empty: as its client does
    Column("skills", JSON, nullable=False, server_default="{}"),  # name → text of its SKILL.md
    Column("status", String, nullable=False, default="active"),
    Column("passkey_hash", String, nullable=False, default=""),
    Column("created_at", Double, nullable=False),
)

assignments = Table(
    "assignments",
    metadata,
    Column("project", ForeignKey("projects.id"), primary_key=True),
    Column("agent", String, primary_key=True),  # a name: the project's own agent, else the installation's
)

targets = Table(
    "targets",
    metadata,
    Column("project", ForeignKey("projects.id"), primary_key=True),
    Column("name", String, primary_key=True),
    Column("tip", String, nullable=False),
    Column("tip_tree", String, nullable=False),
    Column("published", String, nullable=False),
    Column("tip_gate", String, nullable=False, default=""),  # gate of the tip's tree
    # a person took this tree as the base although it is red:
    Column("trusted_tree", String, nullable=False, default=""),
    Column("seen", String, nullable=False, default=""),  # where the branch stood when last seen
    Column("seen_tree", String, nullable=False, default=""),
    Column("seen_relation", String, nullable=False, default="same"),
    Column("seen_contains_published", Boolean, nullable=False, default=True),
    Column("waiting", JSON, nullable=False),  # paths a publish waits for
    Column("waiting_why", String, nullable=False, default=""),
    Column("stopped", String, nullable=False, default=""),  # reason why the queue stopped
    Column("retry_at", Double, nullable=False, default=0, server_default="0"),  # no publish or follow before
    # what the tip's ref held when it was not what we know:
    Column("foreign_tip", String, nullable=False, default="", server_default=""),
    Column("accepted_count", Integer, nullable=False, default=0),
    Column("unit", String, nullable=False, default="", server_default=""),  # whose branch; empty: people's
    Column("closed", Boolean, nullable=False, default=False, server_default=false()),
)

tasks = Table(
    "tasks",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("project", ForeignKey("projects.id"), nullable=False),
    Column("agent", String, nullable=False, default=""),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False, default=""),
    Column("type", String, nullable=False, default="task"),
    Column("priority", Integer, nullable=False, default=2),
    Column("parent", String, nullable=False, default=""),
    Column("write", JSON),  # None: unknown, allow
    Column("checks", JSON, nullable=False),
    Column("timeout_s", Double, nullable=False),
    Column("held", Boolean, nullable=False, default=False),
    Column("target", String, nullable=False),
    Column("name", String, nullable=False, default=""),  # worktree and branch name as prepared
    Column("worktree", Text, nullable=False, default=""),
    Column("branch", String, nullable=False, default=""),
    Column("base_commit", String, nullable=False, default=""),
    Column("landed_commit", String, nullable=False, default=""),
    Column("created_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    # caches written by the drain only:
    Column("status", String, nullable=False, default="open"),
    Column("reason", String, nullable=False, default=""),
    Column("detail", Text, nullable=False, default=""),
    Column("next_purpose", String, nullable=False, default=""),
    Column("nblock", Integer, nullable=False, default=0),
    Column("generation", Integer, nullable=False, default=0),
    Column("mission", String, nullable=False, default="", server_default=""),
    Column("planned", String, nullable=False, default="", server_default=""),  # its id in the mission's plan
    # its place in a tree of units (`root-api-users`); empty: it is no unit
    Column("unit", String, nullable=False, default="", server_default=""),
    # its write scope is a plan's prediction: it schedules, and binds nobody
    Column("predicted", Boolean, nullable=False, default=False, server_default=false()),
    # The one index for ready work; a second one tempts the planner away from it.
    Index("tasks_ready", "project", "agent", "status", "nblock", "priority", "seq"),
    # For people's pages by status; test_query_plans.py holds that ready work does not take it.
    Index("tasks_status", "status", "seq"),
    Index("tasks_of_project", "project", "seq"),
    Index("tasks_of_project_status", "project", "status", "seq"),
)
IS_CHILD = tasks.c.parent != _EMPTY
_index("tasks_of_parent", tasks.c.parent, tasks.c.seq, where=IS_CHILD)
OF_A_MISSION = tasks.c.mission != _EMPTY
_index("tasks_of_mission", tasks.c.mission, tasks.c.seq, where=OF_A_MISSION)
IS_UNIT = tasks.c.unit != _EMPTY
IS_PLANNED = tasks.c.parent == _EMPTY  # of a mission's tasks: no unit made it
_index("tasks_of_unit", tasks.c.project, tasks.c.unit, tasks.c.seq, where=IS_UNIT)

dependencies = Table(
    "dependencies",
    metadata,
    Column("task", ForeignKey("tasks.id"), primary_key=True),
    Column("needs", ForeignKey("tasks.id"), primary_key=True),
    Index("dependencies_needs", "needs"),
)

verbs = Table(
    "verbs",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("subject", String, nullable=False, index=True),  # task:ID, target:PROJECT/NAME, …: domain/subjects
    Column("verb", String, nullable=False),
    # of a task's newest run when it was said; 0 where the subject is no task
    Column("generation", Integer, nullable=False, default=0),
    Column("landing_seq", Integer, nullable=False, default=0),  # the newest landing's seq then
    Column("reason", String, nullable=False, default=""),  # the reason it answers
    Column("note", Text, nullable=False, default=""),
    Column("at", Double, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("task", ForeignKey("tasks.id"), nullable=False),
    Column("project", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("client", String, nullable=False, default=""),
    Column("coordinator", String, nullable=False, default=""),  # empty: an outside agent's run
    Column("purpose", String, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("request", String, nullable=False, default=""),
    Column("scope", JSON, nullable=False),
    Column("prompt", String, nullable=False, default=""),  # blob hash
    Column("told", JSON, nullable=False),  # why this run: failing output, conflict paths, "no commit"
    Column("limits", JSON, nullable=False, server_default="{}"),  # in force at its claim; {}: unknown
    Column("access", String, nullable=False, default="sealed"),
    Column("live", Boolean, nullable=False, default=True),  # occupancy
    Column("created_at", Double, nullable=False),
    # caches of the fold over its facts:
    Column("outcome", String, nullable=False, default="running"),
    Column("outcome_reason", String, nullable=False, default=""),
    Column("start_commit", String, nullable=False, default=""),
    Column("worktree", Text, nullable=False, default=""),
    Column("started_at", Double),
    Column("ended_at", Double),
    Column("exit_code", Integer),
    Column("signal", String, nullable=False, default=""),
    Column("collected", JSON),  # the Collected fact
    Column("said", JSON),  # what its client's own record said (Said)
    Column("parked_until", Double),  # its account starts nothing before; none: not parked, or not any more
    Column("signs", JSON),  # while it lives: what it asks a person, since when it is silent
    UniqueConstraint("task", "generation"),
    Index("runs_request", "request"),
)

IS_LIVE = runs.c.live == true()
_index("runs_live", runs.c.project, runs.c.agent, where=IS_LIVE)
_index("runs_coordinator", runs.c.coordinator, where=IS_LIVE)
_index("runs_parked", runs.c.parked_until, where=runs.c.parked_until.is_not(None))

orders = Table(
    "orders",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("key", String, nullable=False, unique=True),
    Column("project", String, nullable=False, default=""),
    Column("place", String, nullable=False),  # an id of coordinators, machine:{id} for hub orders, planners
    Column("taken_by", String, nullable=False, default=""),
    Column("task", String, nullable=False, default=""),
    Column("run", String, nullable=False, default=""),
    Column("landing", String, nullable=False, default=""),
    Column("gate", String, nullable=False, default=""),
    Column("mission", String, nullable=False, default="", server_default=""),
    Column("generation", Integer, nullable=False, default=0),
    Column("inputs", JSON, nullable=False),
    Column("limit_s", Double, nullable=False),
    Column("version", Integer, nullable=False, default=1),
    Column("state", String, nullable=False, default="open"),
    Column("created_at", Double, nullable=False),
    Column("ended_at", Double),
    Index("orders_run", "run"),
)

IS_PENDING = orders.c.ended_at.is_(None)  # open or taken
ORDER_OF_LANDING = orders.c.landing != _EMPTY
ORDER_OF_GATE = orders.c.gate != _EMPTY
ORDER_OF_MISSION = orders.c.mission != _EMPTY
_index("orders_place", orders.c.place, where=IS_PENDING)
_index("orders_pending", orders.c.project, orders.c.task, where=IS_PENDING)
_index("orders_landing", orders.c.landing, where=ORDER_OF_LANDING)
_index("orders_gate", orders.c.gate, where=ORDER_OF_GATE)
_index("orders_mission", orders.c.mission, where=ORDER_OF_MISSION)

facts = Table(
    "facts",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("order", String, nullable=False, default=""),
    Column("project", String, nullable=False, default=""),
    Column("task", String, nullable=False, default=""),
    Column("run", String, nullable=False, default=""),
    Column("landing", String, nullable=False, default=""),
    Column("gate", String, nullable=False, default=""),
    Column("generation", Integer, nullable=False, default=0),
    Column("coordinator", String, nullable=False, default=""),
    Column("incarnation", Integer, nullable=False, default=0),
    Column("standing", String, nullable=False, default="applied"),  # applied | late | orphan
    Column("body", JSON, nullable=False),
    Column("at", Double, nullable=False),
    Index("facts_run", "run"),
    Index("facts_order", "order"),
)

FACT_OF_LANDING = facts.c.landing != _EMPTY
FACT_OF_GATE = facts.c.gate != _EMPTY
NOT_APPLIED = facts.c.standing != literal_column("'applied'")
_index("facts_landing", facts.c.landing, where=FACT_OF_LANDING)
_index("facts_gate", facts.c.gate, where=FACT_OF_GATE)
_index("facts_standing", facts.c.standing, where=NOT_APPLIED)

landings = Table(
    "landings",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("project", String, nullable=False),
    Column("target", String, nullable=False),
    Column("kind", String, nullable=False, default="task"),  # task | adopt | restack | files
    Column("mission", String, nullable=False, default="", server_default=""),  # of files: whose
    Column("files", JSON),  # of files: [{path, blob}], from which it is rebuilt when the tip moved
    Column("key", String, nullable=False, default="", server_default=""),  # of files: purpose/version
    Column("message", Text, nullable=False, default="", server_default=""),  # of files: its commit's
    Column("task", String, nullable=False, default=""),
    Column("run", String, nullable=False, default=""),
    Column("generation", Integer, nullable=False, default=0),
    Column("head", String, nullable=False),
    Column("priority", Integer, nullable=False, default=2),
    Column("created_at", Double, nullable=False),
    Column("begun", Boolean, nullable=False, default=False),  # it is the queue's current one
    Column("trusted", Boolean, nullable=False, default=False),  # a person saw its flaky gate and said yes
    # caches:
    Column("old_tip", String, nullable=False, default=""),
    Column("candidate", String, nullable=False, default=""),
    Column("tree", String, nullable=False, default=""),
    Column("conflict", JSON),
    # of files: the tip that it was written on holds them already
    Column("unchanged", Boolean, nullable=False, default=False, server_default=false()),
    Column("stale", String, nullable=False, default=""),  # the tip that was found instead
    Column("problem", Text, nullable=False, default=""),
    Column("accept_refused", Boolean, nullable=False, default=False),
    Column("gate", String, nullable=False, default=""),
    Column("verdict", String, nullable=False, default=""),
    Column("evidence", String, nullable=False, default=""),
    Column("accepted_at", Double),
    Column("accept_number", Integer, nullable=False, default=0),
    Column("published_at", Double),
    # '' | conflict | red | could_not_run | flaky | stale | withdrawn | landed | problem
    Column("ended", String, nullable=False, default=""),
    Column("ended_detail", Text, nullable=False, default=""),
    Index("landings_queue", "project", "target", "ended", "seq"),
    Index("landings_task", "task"),
)
LANDING_OF_MISSION = landings.c.mission != _EMPTY
_index("landings_mission", landings.c.mission, where=LANDING_OF_MISSION)

IS_HELD = and_(landings.c.accepted_at.is_not(None), landings.c.ended != literal_column("'dropped'"))
"""Accepted, and in the tip still: the same as `Attempt.accepted` says."""
IS_UNPUBLISHED = and_(landings.c.accepted_at.is_not(None), landings.c.published_at.is_(None))
_index(
    "landings_unpublished",
    landings.c.project,
    landings.c.target,
    landings.c.accept_number,
    where=IS_UNPUBLISHED,
)

gates = Table(
    "gates",
    metadata,
    Column("id", String, primary_key=True),
    Column("key", String, nullable=False, unique=True),  # project/tree/hash of the checks/round
    Column("project", String, nullable=False),
    Column("target", String, nullable=False),
    Column("commit", String, nullable=False),
    Column("tree", String, nullable=False),
    Column("checks", JSON, nullable=False),  # [{type, command, limit_s, reads}]
    Column("goals", JSON, nullable=False),  # [{type, pattern, result}]
    Column("setup", JSON, nullable=False),  # {commands, inputs}
    Column("exclude", JSON, nullable=False),
    Column("flaky", String, nullable=False, default="land"),
    Column("created_at", Double, nullable=False),
    Column("verdict", String, nullable=False, default=""),  # cache
)

checks = Table(
    "checks",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("gate", String, nullable=False, index=True),
    Column("project", String, nullable=False),
    Column("tree", String, nullable=False),
    Column("command", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("result", String, nullable=False),
    Column("exit_code", Integer),
    Column("signal", String, nullable=False, default=""),
    Column("duration_s", Double, nullable=False, default=0),
    Column("output", String, nullable=False, default=""),
    Column("tail", Text, nullable=False, default=""),
    Column("setup_key", String, nullable=False, default=""),
    Column("fingerprint", String, nullable=False, default=""),
    Column("reason", Text, nullable=False, default=""),
    Column("reused_from", Integer),
    # ended by us or by a crash: no attempt
    Column("interrupted", Boolean, nullable=False, default=False, server_default=false()),
    Column("at", Double, nullable=False),
    Index("checks_key", "project", "tree", "result"),
)

HAS_FINGERPRINT = checks.c.fingerprint != _EMPTY
_index("checks_newest", checks.c.project, checks.c.seq, where=HAS_FINGERPRINT)

evidence = Table(
    "evidence",
    metadata,
    Column("id", String, primary_key=True),
    Column("task", String, nullable=False, index=True),
    Column("landing", String, nullable=False),
    Column("body", JSON, nullable=False),
    Column("at", Double, nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("run", String, nullable=False, index=True),
    Column("task", String, nullable=False, index=True),
    Column("kind", String, nullable=False, default="completed"),  # completed | progress
    Column("result", String, nullable=False, default=""),
    Column("summary", Text, nullable=False, default=""),
    Column("next_steps", Text, nullable=False, default=""),
    Column("late", Boolean, nullable=False, default=False),
    Column("at", Double, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("hash", String, primary_key=True),
    Column("agent", String, nullable=False),
    Column("project", String, nullable=False),
    Column("run", String, nullable=False, default=""),
    Column("expires_at", Double, nullable=False),
    Column("limit_at", Double, nullable=False),  # max_timeout
    Column("ended_at", Double),
    Column("ended_by", String, nullable=False, default=""),  # report | expiry | operator | exit
    Index("tokens_pair", "agent", "project", "ended_at"),
    Index("tokens_run", "run"),
    Index("tokens_expiry", "ended_at", "expires_at"),
)

coordinators = Table(
    "coordinators",
    metadata,
    Column("id", String, primary_key=True),  # {machine}/{name}; of a planner: planner/{machine}/{name}
    Column("kind", String, nullable=False, default="coordinator", server_default="coordinator"),
    Column("machine", String, nullable=False),
    Column("name", String, nullable=False),
    Column("key_hash", String, nullable=False),
    Column("incarnation", Integer, nullable=False, default=0),
    Column("boot", String, nullable=False, default=""),
    Column("pid", Integer, nullable=False, default=0),
    Column("clients", JSON, nullable=False),
    Column("fingerprint", String, nullable=False, default=""),
    Column("interval_s", Double, nullable=False, default=10),
    Column("seen_at", Double),
    Column("unseen", Boolean, nullable=False, default=False),
)

events = Table(
    "events",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("kind", String, nullable=False),
    Column("subject", String, nullable=False, default="", server_default=""),  # as verbs have it
    Column("project", String, nullable=False, default=""),
    Column("task", String, nullable=False, default=""),
    Column("run", String, nullable=False, default=""),
    Column("body", JSON, nullable=False),
    Index("events_subject", "subject", "seq"),
    Index("events_task", "task", "seq"),
    Index("events_project", "project", "seq"),
    sqlite_autoincrement=True,  # old events are thinned; a number must not come back
)

marks = Table(
    "marks",
    metadata,
    Column("subject", String, primary_key=True),  # task:ID, queue:PROJECT/TARGET, gate:ID, coordinator:ID
    Column("look_at", Double, nullable=False, default=0),  # 0: now
    Index("marks_look_at", "look_at"),
)

# Prompts and titles: they commit with the run or task that needs them; a file would cost two syncs more.
texts = Table(
    "texts", metadata, Column("hash", String, primary_key=True), Column("text", Text, nullable=False)
)

secrets = Table(
    "secrets",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
