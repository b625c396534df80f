"""`verify`: the checks once more, on the files that the evidence of a task is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.domain.errors import Refused
from toryo.domain.words import OrderKind
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.orders.insertion import hub, insert
from toryo.engine.project_settings import settings_of
from toryo.protocol.kinds.gate import CheckInputs
from toryo.store.database.engine import Tx
from toryo.store.database.rows import GateRow, ProjectRow, TaskRow
from toryo.store.tables import gates, landings, projects, runs
from toryo.usecases.finding import the_task


@dataclass(frozen=True)
class Verification:
    task: str
    what: str
    commit: str
    tree: str
    checks: tuple[tuple[str, str], ...]
    """(command, order) each."""


@dataclass(frozen=True)
class _Subject:
    """What is checked, by which checks."""

    what: str
    commit: str
    tree: str
    checks: tuple[Mapping[str, Any], ...]
    setup: Mapping[str, Any]
    exclude: tuple[str, ...]


def order_verification(context: HeadContext, text: str) -> Verification:
    """On what landed or was to land, on the base that holds the task up, or on its branch."""
    with context.store.change() as tx:
        task = the_task(tx, text)
        project = projects.get(tx, task.project)
        found = _subject(tx, project, task) if project else None
        if project is None or found is None:
            raise Refused(
                f"{task.id} has no work yet: there is nothing to verify.",
                hint=f"See `toryo task show {task.id}`.",
            )
        limit_s = settings_of(project.settings).setup_timeout
        asked = []
        for spec in found.checks:
            inputs = CheckInputs(
                repo=project.path,
                project=project.id,
                commit=found.commit,
                tree=found.tree,
                command=spec["command"],
                limit_s=spec["limit_s"],
                setup=tuple(found.setup.get("commands", ())),
                setup_inputs=tuple(found.setup.get("inputs", ())),
                setup_limit_s=limit_s,
                exclude=found.exclude,
            )
            key = f"{OrderKind.CHECK}/{new_id('a')}{new_id('k')}"
            order = insert(tx, OrderKind.CHECK, key, hub(project), inputs, task=task.id)
            asked.append((str(spec["command"]), order.id))
    return Verification(task.id, found.what, found.commit, found.tree, tuple(asked))


def _subject(tx: Tx, project: ProjectRow, task: TaskRow) -> _Subject | None:
    """As `evidence` chooses it."""
    if task.reason.startswith("base_"):
        gate = _base_gate(tx, task)
        if gate is not None:
            return _of_gate(f"the base ({task.target})", gate.commit, gate.tree, gate)
    mine = landings.of_task(tx, task.id)
    landed = [one for one in mine if one.accepted_at is not None]
    landing = landed[-1] if landed else mine[-1] if mine else None
    gate = gates.get(tx, landing.gate) if landing and landing.gate else None
    if landing is not None and gate is not None:
        has_landed = landing.published_at is not None
        what = "what landed" if has_landed else f"its work on {landing.target}"
        return _of_gate(what, landing.candidate, landing.tree, gate)
    heads = [str((run.collected or {}).get("head") or "") for run in runs.of_task(tx, task.id)]
    head = next((one for one in reversed(heads) if one), "")
    return _of_branch(project, task, head) if head else None


def _base_gate(tx: Tx, task: TaskRow) -> GateRow | None:
    target = projects.target(tx, task.project, task.target)
    if target is None:
        return None
    followed = landings.newest_following(tx, task.project, task.target, target.seen) if target.seen else None
    return gates.get(tx, followed.gate if followed and followed.gate else target.tip_gate)


def _of_gate(what: str, commit: str, tree: str, gate: GateRow) -> _Subject:
    return _Subject(what, commit, tree, tuple(gate.checks), dict(gate.setup), tuple(gate.exclude))


def _of_branch(project: ProjectRow, task: TaskRow, head: str) -> _Subject:
    """Nothing of it was ever checked: its branch alone, with the checks that would decide now."""
    settings = settings_of(project.settings)
    commands = {one.command: one.timeout or settings.dod.timeout for one in settings.dod.checks}
    for command in task.checks:
        commands.setdefault(command, settings.dod.timeout)
    setup = {"commands": list(settings.setup), "inputs": list(settings.setup_inputs)}
    checks = tuple({"command": command, "limit_s": limit} for command, limit in commands.items())
    return _Subject("its branch as it is", head, "", checks, setup, tuple(settings.scope.exclude))
