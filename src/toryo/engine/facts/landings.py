"""Landing facts, applied: candidates, checks, tips and publishing."""

from __future__ import annotations

from typing import Any

from toryo.domain import subjects
from toryo.domain.ids import TaskId
from toryo.domain.words import TARGET_MOVED
from toryo.engine.facts.runs import note_set_aside
from toryo.engine.orders.compose import settings_changed, survey_settings
from toryo.engine.subjects.files import land_again
from toryo.engine.subjects.queue import mark_owner
from toryo.reconciler import problems
from toryo.reconciler.queueing import FILES, FOLLOWS, NO_TIP
from toryo.reconciler.retries import NO_COMMIT
from toryo.reconciler.subjects import DROPPED
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CheckRow, LandingRow, OrderRow, TargetRow
from toryo.store.tables import gates, landings, orders, projects, tasks

RETRY_S = 30.0
"""After a publish or a follow that git refused."""


OWNED = "owned_elsewhere"
"""Code of a move that was refused because the repository names another installation."""


def _note_sight(tx: Tx, target: TargetRow, relation: str) -> None:
    """Known at once, not only by the next look: what was refused would be tried again at once too."""
    projects.update_target(tx, target.project, target.name, seen_relation=relation)
    tasks.mark_of_target(tx, target.project, target.name)


def note_foreign_tip(tx: Tx, target: TargetRow, found: str) -> None:
    """The tip's ref holds what we did not put there: nothing moves until a person says so."""
    if found and found != target.tip:
        projects.update_target(tx, target.project, target.name, foreign_tip=found)
        told = {"target": target.name, "found": found, "tip": target.tip}
        about = subjects.target(target.project, target.name)
        tx.emit("foreign_move", told, subject=about, project=target.project)


def apply_candidate(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    landing = landings.get(tx, order.landing)
    if landing is None:
        return
    problem = body.get("problem") or {}
    target = projects.target(tx, landing.project, landing.target)
    if target and problem.get("code") == NO_TIP:
        _note_sight(tx, target, NO_TIP)
        problem, body = {}, body | {"stale": NO_TIP}  # it is not about this landing: it is built anew later
    elif target and body.get("stale") and landing.old_tip == target.tip:
        note_foreign_tip(tx, target, body["stale"])
    if problem and landing.kind in FOLLOWS:
        projects.update_target(tx, landing.project, landing.target, retry_at=tx.now + RETRY_S)
        tx.mark(subjects.queue(landing.project, landing.target), tx.now + RETRY_S)
    if body.get("restored"):
        told = {"landing": landing.id, "paths": list(body["restored"])}
        tx.emit("paths_set_back", told, project=landing.project, task=landing.task)
    landings.update(
        tx,
        landing.id,
        candidate=body["commit"],
        tree=body["tree"],
        conflict=body.get("conflict"),
        stale=body.get("stale", "") or (TARGET_MOVED if body.get("moved_to") else ""),
        problem=problems.stored(problems.of_fact(problem)),
    )
    _look(tx, landing)


def apply_written(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """The head of a landing of files. Written on the tip of then, it is judged like anything that lands."""
    landing = landings.get(tx, order.landing)
    if landing is None:
        return
    problem = body.get("problem") or {}
    landings.update(
        tx,
        landing.id,
        head=body["commit"],
        unchanged=not problem and not body["changed"],
        problem=problems.stored(problems.of_fact(problem)),
    )
    _look(tx, landing)


def apply_checked(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    gate = gates.get(tx, order.gate)
    if gate is None:
        return
    row = CheckRow(
        gate=gate.id,
        project=gate.project,
        tree=gate.tree,
        command=str(order.inputs["command"]),
        attempt=int(order.inputs["attempt"]),
        result=body["result"],
        interrupted=bool(body.get("interrupted")),
        exit_code=body.get("exit_code"),
        signal=body.get("signal", ""),
        duration_s=body.get("duration_s", 0),
        output=body.get("output", ""),
        tail=body.get("tail", ""),
        setup_key=body.get("setup_key", ""),
        fingerprint=body.get("fingerprint", ""),
        reason=body.get("reason", ""),
        at=tx.now,
    )
    gates.add_check(tx, row)
    shown = {"command": row.command, "result": row.result, "exit_code": row.exit_code, "attempt": row.attempt}
    about = subjects.gate(gate.id)
    tx.emit("check_finished", shown | {"gate": gate.id}, subject=about, project=gate.project, task=order.task)
    tx.mark(subjects.gate(gate.id))


def apply_accepted(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    landing = landings.get(tx, order.landing)
    if landing is None:
        _put_back(tx, order, body)
        return
    target = projects.target(tx, landing.project, landing.target)
    if target is None:
        return
    if not body["moved"]:
        note_foreign_tip(tx, target, str(body.get("tip", "")))
        problem = body.get("problem") or {}
        if problem.get("code") == OWNED:
            _note_sight(tx, target, "owned")
            problem = {}  # it is not about this landing: it goes on once the project is ours again
        text = problems.stored(problems.of_fact(problem))
        landings.update(tx, landing.id, accept_refused=not problem, problem=text)
        if problem and landing.kind in FOLLOWS:
            projects.update_target(tx, landing.project, landing.target, retry_at=tx.now + RETRY_S)
            tx.mark(subjects.queue(landing.project, landing.target), tx.now + RETRY_S)
        _look(tx, landing)
        return
    number = target.accepted_count + 1
    past = landings.of_task(tx, landing.task)
    first = not any(one.accepted_at is not None and one.ended != DROPPED for one in past)
    landings.update(tx, landing.id, accepted_at=tx.now, accept_number=number, ended="landed")
    moved = _moved_tip(target, landing, number)
    if landing.kind not in FOLLOWS and not _is_judged(tx, target.tip_gate):
        moved["tip_gate"] = ""  # other checks were put in force meanwhile: the new tip is judged by those too
    projects.update_target(tx, target.project, target.name, **moved)
    if landing.kind not in FOLLOWS and landing.candidate == target.published:  # somebody else merged it
        _settle(tx, target.project, target.name, landing.candidate)
    if landing.task:
        tasks.update(tx, landing.task, landed_commit=landing.candidate)
        for dependent in tasks.unblock_dependents(tx, landing.task) if first else ():
            tx.mark(subjects.task(TaskId(dependent)))
    elif landing.kind in FOLLOWS:
        if order.inputs.get("reset"):
            _drop(tx, target.project, target.name, landing.id)
        if landing.kind == "adopt":  # the branch stands there already, with all that was accepted before
            _settle(tx, target.project, target.name, landing.candidate)
        tasks.mark_of_target(tx, target.project, target.name)
    tx.emit(
        "tip_moved",
        {
            "target": target.name,
            "old": landing.old_tip,
            "new": landing.candidate,
            "evidence": landing.evidence,
        },
        subject=subjects.target(target.project, target.name),
        project=target.project,
        task=landing.task,
    )
    project = projects.get(tx, target.project)
    if project and target.name == project.base and settings_changed(project, body.get("settings_tree", "")):
        survey_settings(tx, project, body.get("settings_tree", ""), landing.candidate)
    _look(tx, landing)


def _is_judged(tx: Tx, gate_id: str) -> bool:
    gate = gates.get(tx, gate_id) if gate_id else None
    return gate is not None and bool(gate.verdict)


def _put_back(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """A person had our tip put back where we know it to be."""
    target = projects.target(tx, order.project, str(order.inputs["target"]))
    if target is None:
        return
    problem = body.get("problem") or {}
    if problem.get("code") == NO_COMMIT and order.inputs["new"] == target.tip:
        forget_tip(tx, target)
    elif body["tip"] != target.tip:
        note_foreign_tip(tx, target, body["tip"])  # it was moved once more: the next yes is about that
    else:
        projects.update_target(tx, target.project, target.name, foreign_tip="")
        tasks.mark_of_target(tx, target.project, target.name)
        tx.mark(subjects.queue(target.project, target.name))


def forget_tip(tx: Tx, target: TargetRow) -> None:
    """What was accepted is in the repository no more: the tip begins again where the branch stands, and
    whatever was not published yet is landed once more from its own branch."""
    known = {"tip": "", "tip_tree": "", "tip_gate": "", "foreign_tip": "", "retry_at": 0}
    projects.update_target(tx, target.project, target.name, waiting=[], waiting_why="", **known)
    about = subjects.target(target.project, target.name)
    told = {"target": target.name, "tip": target.tip}
    tx.emit("tip_lost", told, subject=about, project=target.project)
    tasks.mark_of_target(tx, target.project, target.name)
    tx.mark(subjects.queue(target.project, target.name))


def _moved_tip(target: TargetRow, landing: LandingRow, number: int) -> dict[str, Any]:
    moved: dict[str, Any] = {
        "tip": landing.candidate,
        "tip_tree": landing.tree,
        "tip_gate": landing.gate,
        "accepted_count": number,
    }
    if landing.kind == "adopt":
        moved |= {"published": landing.candidate, "seen": landing.candidate, "seen_relation": "same"}
        moved["seen_contains_published"] = True
    if landing.kind == "restack":
        moved["published"] = landing.head
        moved["seen_relation"] = "behind" if target.seen == landing.head else "diverged"
        moved["trusted_tree"] = landing.tree if landing.trusted else target.trusted_tree
    if landing.kind not in FOLLOWS:
        # a person's yes was about the tip of then: moved back there once more, they are asked again
        moved["trusted_tree"] = landing.tree if landing.trusted else ""
    if landing.kind not in FOLLOWS and target.seen_relation == "ahead":
        moved["seen_relation"] = "diverged"  # ahead of the old tip, and without what the new one holds
    return moved


def apply_waiting(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    target = str(order.inputs["target"])
    projects.update_target(tx, order.project, target, waiting=list(body["paths"]), waiting_why=body["why"])
    about = subjects.target(order.project, target)
    tx.emit("publish_waiting", {"target": target, **body}, subject=about, project=order.project)
    _look_at_unpublished(tx, order.project, target)
    tx.mark(subjects.queue(order.project, target))


def apply_published(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    target = str(order.inputs["target"])
    about = subjects.target(order.project, target)
    known: dict[str, Any] = {"waiting": [], "waiting_why": ""}
    if body["published"]:
        commit = str(order.inputs["new"])
        known |= {"published": commit, "seen_contains_published": True, "retry_at": 0}
        if body.get("found") in ("", commit):  # the branch may stand further on: a look will tell
            known |= {"seen": commit, "seen_relation": "same"}
        _settle(tx, order.project, target, commit)
        if body.get("snapshot"):
            note_set_aside(tx, order, body["snapshot"])
        told = {"target": target, "commit": commit}
        tx.emit("target_published", told, subject=about, project=order.project)
    else:
        # told again by the next look at the branch; else tried again after a while
        known["retry_at"] = tx.now + RETRY_S
        tx.mark(subjects.queue(order.project, target), tx.now + RETRY_S)
        problem = body.get("problem")
        if problem and problem["code"] == OWNED:
            known["seen_relation"] = "owned"
        elif problem:
            known |= {"waiting": [problem["message"][:500]], "waiting_why": "publish_failed"}
            tx.emit("publish_failed", {"target": target, **problem}, subject=about, project=order.project)
    projects.update_target(tx, order.project, target, **known)
    _look_at_unpublished(tx, order.project, target)
    tx.mark(subjects.queue(order.project, target))


def _settle(tx: Tx, project: str, target: str, commit: str) -> None:
    """Everything accepted up to that commit is published with it."""
    waiting = [one for one in landings.awaiting_publish(tx, project, target) if one.ended != DROPPED]
    upto = max((one.accept_number for one in waiting if one.candidate == commit), default=0)
    for landing in waiting:
        if landing.accept_number <= upto:
            landings.update(tx, landing.id, published_at=tx.now)
            mark_owner(tx, landing)


def _drop(tx: Tx, project: str, target: str, reset: str) -> None:
    """A person set the target back: what was accepted and not published is not in the tip any more."""
    for landing in landings.awaiting_publish(tx, project, target):
        if landing.id != reset and landing.ended != DROPPED:
            landings.update(tx, landing.id, ended=DROPPED, ended_detail="the target was set back")
            if landing.kind == FILES:
                land_again(tx, landing)
            if landing.task:
                tasks.update(tx, landing.task, landed_commit="")
                tasks.block_dependents(tx, landing.task)
            mark_owner(tx, landing)


def _look_at_unpublished(tx: Tx, project: str, target: str) -> None:
    for landing in landings.awaiting_publish(tx, project, target):
        mark_owner(tx, landing)


def _look(tx: Tx, landing: LandingRow) -> None:
    tx.mark(subjects.queue(landing.project, landing.target))
    mark_owner(tx, landing)
    for order in orders.of_landing(tx, landing.id):
        tx.touch_place(order.place)
