"""The tables of units: what each was given, how each divided its work, messages between parent and child.

A unit itself is a task (`tasks.unit` is its id in the tree, `tasks.parent` the task of its parent unit,
`tasks.target` its parent's branch). Breakdowns are only added.
"""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Double, ForeignKey, Index, Integer, String, Table

from toryo.store.database.schema import Sequence, metadata

units = Table(
    "units",
    metadata,
    Column("task", ForeignKey("tasks.id"), primary_key=True),
    Column("project", String, nullable=False),
    Column("mission", String, nullable=False),  # its tree
    Column("depth", Integer, nullable=False),  # the root's is 1
    Column(
        "requirements", String, nullable=False, default=""
    ),  # hash in `texts`: requirements.yml of its tree
    Column("scoped", String, nullable=False, default=""),  # hash in `texts`: its scoped-requirements.yml
    Column("environment", JSON, nullable=False),  # name → value, told to its runs
)

# One row a time that a unit said how it divides its work: facts.
breakdowns = Table(
    "breakdowns",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("task", String, nullable=False),
    Column("run", String, nullable=False, default=""),
    Column("generation", Integer, nullable=False, default=0),
    Column("digest", String, nullable=False),  # of ids and descriptions: the same breakdown once more
    Column("body", JSON, nullable=False),  # as it was taken in
    Column("spawned", JSON, nullable=False),  # ids of the tasks it made
    Column("at", Double, nullable=False),
    Index("breakdowns_task", "task", "seq"),
)

# A message between a parent unit and its child, or from a person to a unit. Stored first, delivered later.
unit_messages = Table(
    "unit_messages",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),  # the order of delivery
    Column("id", String, nullable=False, unique=True),
    Column("mission", String, nullable=False),  # the tree
    Column(
        "sender", String, nullable=False, default=""
    ),  # task id of the sending unit; empty: a person, or Toryo itself
    Column(
        "receiver", String, nullable=False, default=""
    ),  # task id of the unit that is told; empty: nobody, a log line
    Column("type", String, nullable=False),  # spawn, task_decomposed, progress, child_completed, result …
    Column("task", String, nullable=False, default=""),  # the task it is about
    Column("data", JSON, nullable=False),
    Column("at", Double, nullable=False),
    Column("delivered_at", Double),  # typed to its run, put into a prompt, or read by it
    Column("delivered_run", String, nullable=False, default=""),
    Column("attempts", Integer, nullable=False, default=0),
    Column("dead", Boolean, nullable=False, default=False),  # nobody is left to deliver it to
    Index("unit_messages_mission", "mission", "seq"),
)
_IS_WAITING = unit_messages.c.delivered_at.is_(None)
Index(
    "unit_messages_waiting",
    unit_messages.c.receiver,
    unit_messages.c.seq,
    sqlite_where=_IS_WAITING,
    postgresql_where=_IS_WAITING,
)
