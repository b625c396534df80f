"""Steps of many tasks: a few columns of each run and landing, one statement for a whole page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import BindParameter, Executable, bindparam, select

from toryo.domain import subjects
from toryo.domain.ids import TaskId
from toryo.domain.reasons import Reason
from toryo.domain.words import AT_REST, DEPENDENCY_FAILED, Verb
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.schema import IS_CHILD, IS_HELD, IS_UNIT, dependencies, landings, runs, tasks, verbs

_THESE: BindParameter[Any] = bindparam("these", expanding=True)


@dataclass(frozen=True)
class RunStep:
    generation: int
    purpose: str
    outcome: str = "running"
    reason: str = ""
    exit_code: int | None = None
    signal: str = ""
    live: bool = False
    started_at: float | None = None
    new_commits: int | None = None
    """None: not collected yet."""


@dataclass(frozen=True)
class LandingStep:
    generation: int
    target: str
    verdict: str = ""
    accepted: bool = False
    published: bool = False
    ended: str = ""


_RUNS = (
    select(
        runs.c.task,
        runs.c.generation,
        runs.c.purpose,
        runs.c.outcome,
        runs.c.outcome_reason,
        runs.c.exit_code,
        runs.c.signal,
        runs.c.live,
        runs.c.started_at,
        runs.c.collected["new_commits"].as_integer(),
    )
    .where(runs.c.task.in_(_THESE))
    .order_by(runs.c.task, runs.c.generation)
)
_LANDINGS = (
    select(
        landings.c.task,
        landings.c.generation,
        landings.c.target,
        landings.c.verdict,
        landings.c.accepted_at.is_not(None),
        landings.c.published_at.is_not(None),
        landings.c.ended,
    )
    .where(landings.c.task.in_(_THESE))
    .order_by(landings.c.task, landings.c.seq)
)
_VERDICTS = select(landings.c.task, landings.c.verdict).where(landings.c.task.in_(_THESE), IS_HELD)
_NEEDS = select(dependencies.c.task, dependencies.c.needs).where(dependencies.c.task.in_(_THESE))
_NEEDED_BY = (
    select(dependencies.c.needs, dependencies.c.task)
    .join(tasks, tasks.c.id == dependencies.c.task)
    .where(dependencies.c.needs.in_(_THESE), tasks.c.status == "blocked")
)
_OPEN_CHILDREN = (
    select(tasks.c.parent, tasks.c.id)
    .where(
        tasks.c.parent.in_(_THESE),
        IS_CHILD,
        IS_UNIT,
        tasks.c.status.not_in([one.value for one in AT_REST]),
        tasks.c.reason.not_like(f"{DEPENDENCY_FAILED}%"),
    )
    .order_by(tasks.c.seq)
)
_parents = tasks.alias("parents")
_CHILD_OF = (
    select(tasks.c.id, tasks.c.parent)
    .join(_parents, _parents.c.id == tasks.c.parent)
    .where(tasks.c.id.in_(_THESE), _parents.c.reason == Reason.WAITING_FOR_CHILDREN.value)
)
_RETRIES = select(verbs.c.subject, verbs.c.generation).where(
    verbs.c.subject.in_(_THESE), verbs.c.verb == Verb.RETRY
)

V = TypeVar("V")


def _found(tx: Tx, statement: Executable, ids: Sequence[str]) -> list[tuple[Any, ...]]:
    return prepared.rows(tx.conn, statement, {"these": list(ids)})[1] if ids else []


def runs_of(tx: Tx, ids: Sequence[str]) -> dict[str, list[RunStep]]:
    """By task, in the order of their generations."""
    found: dict[str, list[RunStep]] = defaultdict(list)
    for task, *columns in _found(tx, _RUNS, ids):
        found[task].append(RunStep(*columns))
    return found


def landings_of(tx: Tx, ids: Sequence[str]) -> dict[str, list[LandingStep]]:
    """By task, in their order."""
    found: dict[str, list[LandingStep]] = defaultdict(list)
    for task, generation, target, verdict, accepted, published, ended in _found(tx, _LANDINGS, ids):
        found[task].append(LandingStep(generation, target, verdict, bool(accepted), bool(published), ended))
    return found


def retried_at(tx: Tx, ids: Sequence[str]) -> dict[str, int]:
    """By task: the generation of the run that a person's newest retry came after."""
    found: dict[str, int] = {}
    for subject, generation in _found(tx, _RETRIES, [subjects.task(TaskId(id)) for id in ids]):
        _, task = subjects.parse(subject)
        found[task] = max(generation, found.get(task, 0))
    return found


def verdicts(tx: Tx, ids: Sequence[str]) -> dict[str, str]:
    """By task: the verdict on what the tip holds of it."""
    return dict(_found(tx, _VERDICTS, ids))


def blocked_behind(tx: Tx, ids: Sequence[str], most: int) -> dict[str, int]:
    """By task: how many blocked ones wait for it, also through others and as their parents; counted up to
    `most`."""
    edges = _edges(tx, ids, most)
    return {id: len(_reached(edges, edges.get(id, ()), most)) for id in ids}


def all_behind(tx: Tx, ids: Sequence[str], most: int) -> int:
    """How many these are, with all blocked ones that wait for any of them; counted up to `most`."""
    return len(_reached(_edges(tx, ids, most), ids, most))


def _edges(tx: Tx, ids: Sequence[str], most: int) -> dict[str, list[str]]:
    """By task: the blocked ones that wait for it."""
    edges: dict[str, list[str]] = {}
    left = set(ids)
    while left and len(edges) < max(most, len(ids)):
        edges |= {id: [] for id in left}
        for needed, task in (*_found(tx, _NEEDED_BY, sorted(left)), *_found(tx, _CHILD_OF, sorted(left))):
            edges[needed].append(task)
        left = {task for found in edges.values() for task in found if task not in edges}
    return edges


def _reached(edges: Mapping[str, Sequence[str]], begin: Sequence[str], most: int) -> set[str]:
    seen: set[str] = set()
    todo = list(begin)
    while todo and len(seen) < most:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += edges.get(one, ())
    return seen


def needs_of(tx: Tx, ids: Sequence[str]) -> dict[str, list[str]]:
    """By task: what it waits for, or waited for."""
    found: dict[str, list[str]] = defaultdict(list)
    for task, needed in _found(tx, _NEEDS, ids):
        found[task].append(needed)
    return found


def open_children_of(tx: Tx, ids: Sequence[str]) -> dict[str, list[str]]:
    """By unit: the children that are not at rest, for which it waits."""
    found: dict[str, list[str]] = defaultdict(list)
    for parent, child in _found(tx, _OPEN_CHILDREN, ids):
        found[parent].append(child)
    return found
