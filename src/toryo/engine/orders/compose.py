"""Order composition: from a wish of the reconciler to a row: its place, its inputs, its limit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from toryo.domain.naming import branch_of
from toryo.domain.times import iso
from toryo.domain.words import BY_HAND, OrderKind, OrderState, Purpose, Style, Terminal
from toryo.engine import parking
from toryo.engine.missions.files import exported
from toryo.engine.orders import files, units
from toryo.engine.orders.insertion import SLACK_S, OrderImpossible, hub, insert
from toryo.engine.project_settings import TEST_ADDED, settings_of
from toryo.engine.scope import private_of
from toryo.engine.units.files import files_of
from toryo.protocol.base import Model
from toryo.protocol.kinds.gate import CheckInputs
from toryo.protocol.kinds.landing import (
    AcceptInputs,
    CandidateInputs,
    Exported,
    Head,
    PublishInputs,
    RevertInputs,
)
from toryo.protocol.kinds.repository import SurveyInputs
from toryo.protocol.kinds.run import PrepareInputs, RunInputs, StopInputs, WorktreeSetup
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.target import Removal
from toryo.protocol.kinds.work import CleanInputs, CollectInputs
from toryo.reconciler.decisions import OrderWish
from toryo.reconciler.queueing import FILES
from toryo.reconciler.subjects import UNWANTED
from toryo.store.database.blobs import blob_hash
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, OrderRow, ProjectRow, RunRow, TargetRow, TaskRow
from toryo.store.gather import subject_facts
from toryo.store.tables import agents, facts, gates, landings, meta, missions, orders, projects, runs, tasks


@dataclass(frozen=True)
class Subject:
    """The rows most orders are about."""

    project: ProjectRow
    task: TaskRow
    run: RunRow


def insert_wish(tx: Tx, wish: OrderWish, project_id: str, target: str = "") -> bool:
    """Insert the order unless its key is there already."""
    if wish.kind is OrderKind.PUBLISH:
        return _publish(tx, wish, project_id, target)
    if orders.by_key(tx, wish.key):
        return False
    return _BY_KIND[wish.kind](tx, wish, project_id)


def prepare(
    tx: Tx,
    subject: Subject,
    *,
    name: str,
    base: str,
    merge: str,
    place: str,
    taken_by: str,
    target: TargetRow | None = None,
) -> OrderRow:
    project, task, run = subject.project, subject.task, subject.run
    inputs = PrepareInputs(
        repo=project.path,
        run=run.id,
        task=task.id,
        agent=run.agent,
        client=run.client,
        purpose=Purpose(run.purpose),
        name=task.name or name,
        existing=bool(task.name),
        base=base,
        target=task.target,
        merge=merge,
        scope=ScopeInputs.model_validate(run.scope),
        prompt=run.prompt,
        worktree_root=settings_of(project.settings).worktrees,
        files=files_of(tx, task),
        copies=settings_of(project.settings).worktree_files,
        **_believed(target),
    )
    return _of_run(tx, OrderKind.PREPARE, f"prepare/{run.id}", subject, inputs, place, 600, taken_by)


def _believed(target: TargetRow | None) -> dict[str, str]:
    """Where the target stands as far as we know: the hands look again before they build on it."""
    return {"seen": target.seen, "published": target.published} if target else {}


def settings_changed(project: ProjectRow, tree: str) -> bool:
    """Whether a commit's `.toryo/` is another than the one in force; one without any leaves it in force."""
    return bool(tree or project.settings_from == "commit") and tree != project.settings_tree


def survey_settings(tx: Tx, project: ProjectRow, tree: str, commit: str) -> None:
    """The target's `.toryo/` changed in that commit: read it again; what an older one says comes too late."""
    for older in orders.of_target(tx, project.id, (OrderKind.SURVEY,)):
        if older.inputs.get("commit") == commit:
            return
        orders.set_state(tx, older, OrderState.WITHDRAWN)
    key = f"survey/{project.id}/{tree or 'none'}/{commit}/{tx.now}"
    inputs = SurveyInputs(path=project.path, base=project.base, commit=commit)
    insert(tx, OrderKind.SURVEY, key, hub(project), inputs, project=project.id)


def run_key(run: RunRow) -> str:
    return f"run/{run.id}/{run.generation}"


def start(tx: Tx, subject: Subject, agent: AgentRow | None, *, taken_by: str = "") -> OrderRow:
    """The order to run. Ordered with the claim it has no worktree yet: the preparation names it."""
    project, task, run = subject.project, subject.task, subject.run
    # a task's first run goes on with nothing
    before = parking.before(tx, run) if run.generation > 1 else parking.Before()
    settings = settings_of(project.settings)
    inputs = RunInputs(
        repo=project.path,
        worktree=run.worktree,
        run=run.id,
        task=task.id,
        agent=run.agent,
        project=project.id,
        client=run.client,
        command=agent.command if agent else "",
        model=agent.model if agent else "",
        purpose=Purpose(run.purpose),
        access="connected" if run.access == "connected" else "sealed",
        style="interactive" if agent and agent.style == Style.INTERACTIVE else "exec",
        terminal="tmux" if agent and agent.terminal == Terminal.TMUX else "plain",
        start_in=_start_in(agent),
        resume=before.conversation,
        used=before.used,
        setup=WorktreeSetup(
            commands=settings.setup if settings.worktree_setup else (), inputs=settings.setup_inputs
        ),
        feature_directory=files.folder_of(tx, task.mission),
        unit=units.place_of(tx, task),
        prompt=run.prompt,
        timeout_s=task.timeout_s,
    )
    limit_s = task.timeout_s + SLACK_S
    return _of_run(tx, OrderKind.RUN, run_key(run), subject, inputs, run.coordinator, limit_s, taken_by)


def _start_in(agent: AgentRow | None) -> Literal["", "context", "worktree"]:
    match agent.start_in if agent else "":
        case "context":
            return "context"
        case "worktree":
            return "worktree"
    return ""


def _run(tx: Tx, wish: OrderWish, _project: str) -> bool:
    subject = _subject(tx, wish.run)
    start(tx, subject, agents.get(tx, subject.run.agent, subject.run.project))
    return True


def _stop(tx: Tx, wish: OrderWish, _project: str) -> bool:
    subject = _subject(tx, wish.run)
    inputs = StopInputs(run=wish.run, reason="a person ended it")
    _of_run(tx, OrderKind.STOP, wish.key, subject, inputs, subject.run.coordinator, SLACK_S)
    return True


def worktree_of(project: ProjectRow, run: RunRow) -> str:
    """Where a run's worktree is: as it was prepared, or below where its repository was moved to."""
    made, root = PurePosixPath(run.worktree), settings_of(project.settings).worktrees
    if not run.worktree or made.is_relative_to(project.path) or PurePosixPath(root).is_absolute():
        return run.worktree
    return run.worktree if root.startswith("~") else f"{project.path}/{root}/{made.name}"


def _collect(tx: Tx, wish: OrderWish, _project: str) -> bool:
    subject = _subject(tx, wish.run)
    project, task, run = subject.project, subject.task, subject.run
    prepared = _prepared(tx, run.id)
    settings = settings_of(project.settings)
    kind = settings.task_types.get(task.type)
    inputs = CollectInputs(
        repo=project.path,
        run=run.id,
        worktree=worktree_of(project, run),
        branch=str(prepared.get("branch") or task.branch or branch_of(task.name)),
        base=str(prepared.get("base") or task.base_commit),
        start=run.start_commit,
        target=task.target,
        scope=ScopeInputs.model_validate(run.scope),
        protected=settings.protected,
        wanted=tuple(goal.pattern for goal in kind.goals) if kind else (),
        more=tuple(goal.pattern for goal in kind.goals if goal.type == TEST_ADDED) if kind else (),
        commit=str(run.told.get("commit_message", "")),
        counted=bool(task.unit),
        committed=str(run.told.get("commit", "")),
        landed=units.landed_on(tx, task),
        brought="" if run.coordinator or run.purpose in BY_HAND else f"task-{task.id}",
    )
    _of_run(tx, OrderKind.COLLECT, wish.key, subject, inputs, run.coordinator or hub(project), 600)
    return True


def _revert(tx: Tx, wish: OrderWish, _project: str) -> bool:
    subject = _subject(tx, wish.run)
    project, task, run = subject.project, subject.task, subject.run
    inputs = RevertInputs(
        repo=project.path,
        run=run.id,
        target=task.target,
        commit=run.told["commit"],
        head=run.told["head"],
        base=run.told["base"],
        message=run.told["message"],
        date=iso(run.created_at) or "",
    )
    _of_run(tx, OrderKind.REVERT, wish.key, subject, inputs, hub(project), 600)
    return True


def _clean(tx: Tx, wish: OrderWish, _project: str) -> bool:
    subject = _subject(tx, wish.run)
    project, run = subject.project, subject.run
    collected = run.collected or {}
    snapshot = collected.get("snapshot") or {}
    keep = [commit for commit in (collected.get("head"), snapshot.get("commit")) if commit]
    if not run.worktree or collected.get("kept_worktree"):
        return False
    # a later attempt may have a worktree of the same name: only what these runs made is to go
    used = [one for one in runs.of_task(tx, run.task) if one.worktree == run.worktree]
    inputs = CleanInputs(
        repo=project.path,
        run=run.id,
        worktree=worktree_of(project, run),
        branch=str(_prepared(tx, run.id).get("branch", "")),
        keep=tuple(keep),
        runs=tuple(one.id for one in used if one.generation <= run.generation),
    )
    _of_run(tx, OrderKind.CLEAN, wish.key, subject, inputs, run.coordinator or hub(project), SLACK_S)
    return True


def _candidate(tx: Tx, wish: OrderWish, project_id: str) -> bool:
    project, landing = projects.get(tx, project_id), landings.get(tx, wish.landing)
    if not project or not landing:
        raise OrderImpossible(f"no landing {wish.landing}")
    task = tasks.get(tx, landing.task) if landing.task else None
    if task:
        message = f"Land {task.branch or task.id}\n\nToryo-Task: {task.id}\nToryo-Run: {landing.run}\n"
        past = landings.of_task(tx, task.id)
        before = any(one.accepted_at is not None for one in past)  # and was taken off since: it comes again
        since = (task.base_commit,) if before and task.base_commit else ()
        head = Head(task=task.id, branch=task.branch, commit=landing.head, since=since)
    elif landing.kind == FILES:
        message, head = files.message_of(landing), Head(task="", branch=landing.target, commit=landing.head)
    else:
        message = f"Join {landing.target} with what waits for publishing\n\nToryo-Landing: {landing.id}\n"
        head = Head(task="", branch=landing.target, commit=landing.head)
    inputs = CandidateInputs(
        repo=project.path,
        target=landing.target,
        tip=wish.old,
        heads=(head,),
        message=message,
        subject=blob_hash(task.title)
        if task
        else "",  # words travel as blobs (S1-06); add_task kept this one
        date=iso(landing.created_at) or "",
        linear=landing.kind == FILES,
        restore=files.kept_out(tx, task.mission) if task else (),
        private=private_of(project, task) if task else (),
        **_believed(projects.target(tx, project_id, landing.target)),
    )
    insert(
        tx,
        OrderKind.CANDIDATE,
        wish.key,
        hub(project),
        inputs,
        project=project_id,
        task=landing.task,
        landing=landing.id,
    )
    return True


def _check(tx: Tx, wish: OrderWish, _project: str) -> bool:
    gate = gates.get(tx, wish.gate)
    project = projects.get(tx, gate.project) if gate else None
    if not gate or not project:
        raise OrderImpossible(f"no gate {wish.gate}")
    settings = settings_of(project.settings)
    limit = next((one["limit_s"] for one in gate.checks if one["command"] == wish.command), 300)
    inputs = CheckInputs(
        repo=project.path,
        project=project.id,
        commit=gate.commit,
        tree=gate.tree,
        command=wish.command,
        attempt=wish.attempt,
        limit_s=limit,
        setup=tuple(gate.setup.get("commands", ())),
        setup_inputs=tuple(gate.setup.get("inputs", ())),
        setup_limit_s=settings.setup_timeout,
        exclude=tuple(gate.exclude),
    )
    allowed = limit + settings.setup_timeout + SLACK_S
    insert(
        tx, OrderKind.CHECK, wish.key, hub(project), inputs, project=project.id, gate=gate.id, limit_s=allowed
    )
    return True


def _accept(tx: Tx, wish: OrderWish, project_id: str) -> bool:
    project, landing = projects.get(tx, project_id), landings.get(tx, wish.landing)
    if not project or not landing:
        raise OrderImpossible(f"no landing {wish.landing}")
    target = projects.target(tx, project_id, landing.target)
    is_beside = target is not None and target.seen_relation != "ahead" and landing.head == target.seen
    is_away = target is not None and not (target.seen_contains_published and target.tip)
    gives_way = is_beside and target is not None and subject_facts.following(tx, target) == "adopt"
    is_reset = landing.kind == "adopt" and (is_away or gives_way)
    inputs = AcceptInputs(
        repo=project.path,
        target=landing.target,
        old=wish.old,
        new=wish.new,
        evidence=landing.evidence,
        installation=meta.get(tx, "installation") or "",
        reset=is_reset,
        removed=_removed(tx, target, wish.new) if is_reset and target else (),
        **_believed(target),
    )
    insert(
        tx,
        OrderKind.ACCEPT,
        wish.key,
        hub(project),
        inputs,
        project=project_id,
        task=landing.task,
        landing=landing.id,
    )
    return True


def _removed(tx: Tx, target: TargetRow, new: str) -> tuple[Removal, ...]:
    """What a person took off the branch, and the work that they rejected; whatever else was accepted and
    never published is not among it."""
    found = []
    if not target.seen_contains_published and target.published:
        found.append(Removal(commit=target.published, stays=(new,)))
    for landing in landings.awaiting_publish(tx, target.project, target.name):
        if landing.ended == UNWANTED:
            found.append(Removal(commit=landing.head, stays=(*_stands_on(tx, landing.task), new)))
    return tuple(found)


def _stands_on(tx: Tx, task: str) -> list[str]:
    """What a task's runs were given to begin from and to merge: all that is in its branch and not its own."""
    asked = [orders.by_key(tx, f"prepare/{run.id}") for run in runs.of_task(tx, task)]
    given = [one.inputs.get(name, "") for one in asked if one for name in ("base", "merge")]
    return [str(commit) for commit in dict.fromkeys(given) if commit]


def _publish(tx: Tx, wish: OrderWish, project_id: str, target: str) -> bool:
    """The same move may be wished again after it was refused once: each try has its own number."""
    project = projects.get(tx, project_id)
    if not project:
        raise OrderImpossible(f"no project {project_id}")
    number = 1
    while earlier := orders.by_key(tx, f"{wish.key}/{number}"):
        if earlier.state in (OrderState.OPEN, OrderState.TAKEN):
            return False
        number += 1
    inputs = PublishInputs(
        repo=project.path,
        target=target,
        old=wish.old,
        new=wish.new,
        installation=meta.get(tx, "installation") or "",
        **units.set_aside(tx, projects.target(tx, project_id, target)),
        exported=_exported(tx, project_id, target),
    )
    insert(tx, OrderKind.PUBLISH, f"{wish.key}/{number}", hub(project), inputs, project=project_id)
    return True


def _exported(tx: Tx, project_id: str, target: str) -> tuple[Exported, ...]:
    """Of the missions whose files are published next."""
    landing = landings.awaiting_publish(tx, project_id, target)
    rows = [missions.get(tx, id) for id in dict.fromkeys(one.mission for one in landing if one.kind == FILES)]
    return tuple(
        Exported(path=path, hashes=tuple(hashes))
        for row in rows
        if row is not None
        for path, hashes in exported(tx, row).items()
    )


def _of_run(
    tx: Tx,
    kind: OrderKind,
    key: str,
    subject: Subject,
    inputs: Model,
    place: str,
    limit_s: float,
    taken_by: str = "",
) -> OrderRow:
    return insert(
        tx,
        kind,
        key,
        place,
        inputs,
        project=subject.project.id,
        task=subject.task.id,
        run=subject.run.id,
        generation=subject.run.generation,
        limit_s=limit_s,
        taken_by=taken_by,
    )


def _subject(tx: Tx, run_id: str) -> Subject:
    run = runs.get(tx, run_id)
    task = tasks.get(tx, run.task) if run else None
    project = projects.get(tx, run.project) if run else None
    if not run or not task or not project:
        raise OrderImpossible(f"no run {run_id}")
    return Subject(project, task, run)


def _prepared(tx: Tx, run_id: str) -> dict[str, Any]:
    for fact in facts.of_run(tx, run_id):
        if fact.kind == "prepared":
            return dict(fact.body)
    return {}


_BY_KIND = {
    OrderKind.RUN: _run,
    OrderKind.STOP: _stop,
    OrderKind.COLLECT: _collect,
    OrderKind.REVERT: _revert,
    OrderKind.CLEAN: _clean,
    OrderKind.CANDIDATE: _candidate,
    OrderKind.CHECK: _check,
    OrderKind.ACCEPT: _accept,
    OrderKind.WRITE: files.write,
}
