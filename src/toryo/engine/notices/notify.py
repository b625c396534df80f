"""Notifications: an order to run the home's `notify` command, made from the event log.

A cursor in the store says how far the log was told, and moves in the transaction that orders the telling:
after a restart nothing is told twice. When something is told, the reconciler decides; a coordinator runs the
command.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from toryo import processes
from toryo.domain import subjects
from toryo.domain.errors import UserError
from toryo.domain.reasons import BY_A_PERSON
from toryo.domain.times import iso
from toryo.domain.words import OrderKind, OrderState, TaskStatus, Verb
from toryo.engine import attention, home_settings
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.missions import notices
from toryo.engine.notices import stopped_targets
from toryo.engine.notices.stopped_targets import ToldTarget
from toryo.engine.orders.insertion import insert
from toryo.protocol.kinds.notify import NotifyInputs
from toryo.protocol.views import status as views
from toryo.reconciler.notices import DONE, FAILED, NEEDS_YOU, Change, State, Told, decide
from toryo.reconciler.subjects import REMOVED
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import EventRow, OrderRow, TaskRow
from toryo.store.tables import events, meta, missions, orders, projects, tasks, texts
from toryo.yaml.home_settings import HomeSettings

CURSOR, FAILURE = "notify_cursor", "notify_failed"
PAGE = 500
MOST_WAITING = 20
"""Orders to tell that nobody has carried out yet; what comes on top of them is told as a number."""
LONGEST = 2000
"""Characters of a title or a reason in a line."""
LIMIT_S = 10
_VERBS = frozenset(f"task_{verb}" for verb in Verb)
Row = TaskRow | MissionRow | ToldTarget
"""What a person is told of."""


def follow(context: HeadContext) -> None:
    """Order the telling of what has stood long enough since the cursor."""
    settings = home_settings.in_force(context)
    if settings.notify is None:
        if context.read_settings.pop("told_to", "unknown") is not None:
            _be_quiet(context)
            context.read_settings["told_to"] = None
        return
    context.read_settings["told_to"] = settings.notify
    with context.store.read() as tx:
        kept = meta.get(tx, CURSOR)
        newest = events.newest(tx)
    if kept is None:  # from now on: what happened before it was set is no news
        with context.store.change() as tx:
            meta.put(tx, CURSOR, json.dumps({"cursor": newest, "told": {}}))
        return
    known = json.loads(kept)
    if int(known["cursor"]) < newest:
        with context.store.change() as tx:
            _tell(tx, settings, known)


def _be_quiet(context: HeadContext) -> None:
    with context.store.read() as tx:
        kept = meta.get(tx, CURSOR) or meta.get(tx, FAILURE)
    if kept is not None:
        with context.store.change() as tx:
            meta.drop(tx, CURSOR)
            meta.drop(tx, FAILURE)


def _tell(tx: Tx, settings: HomeSettings, known: Mapping[str, Any]) -> None:
    cursor = int(known["cursor"])
    page = events.after(tx, cursor, PAGE)
    named = [(one, name) for one in page if (name := _about(one))]
    rows = {name: row for name in {name for _, name in named} if (row := _row(tx, name))}
    changes = [_change(one, rows[name]) for one, name in named if name in rows]
    decision = decide(
        changes,
        {name: State(_kind(tx, row), row.reason) for name, row in rows.items()},
        {task: Told(**told) for task, told in known["told"].items()},
        cursor=cursor,
        wanted=settings.notify_on,
        now=tx.now,
    )
    if decision.look_at is None:
        decision = replace(decision, cursor=page[-1].seq)  # events of others behind the last one, too
        if len(page) == PAGE:
            tx.mark(subjects.NOTICES)
    else:
        tx.mark(subjects.NOTICES, decision.look_at)
    _order(tx, settings, [rows[name] for name in decision.tell])
    told = {task: asdict(one) for task, one in decision.told.items()}
    text = json.dumps({"cursor": decision.cursor, "told": told})
    if text != json.dumps(known):
        meta.put(tx, CURSOR, text)


def _about(event: EventRow) -> str:
    """The task, target or mission of which a person may be told after it; empty: of none."""
    if event.task and (event.kind == "task_status" or event.kind in _VERBS):
        return event.task
    return stopped_targets.target_of(event) or notices.mission_of(event)


def _row(tx: Tx, name: str) -> Row | None:
    return stopped_targets.get(tx, name) or tasks.get(tx, name) or missions.get(tx, name)


def _kind(tx: Tx, row: Row) -> str:
    if isinstance(row, ToldTarget):
        return stopped_targets.kind_of(tx, row)
    return notices.kind_of(tx, row) if isinstance(row, MissionRow) else kind_of(row)


def _change(event: EventRow, row: Row) -> Change:
    if isinstance(row, MissionRow):
        return notices.change(event, row)
    if isinstance(row, ToldTarget):
        return stopped_targets.change(event)
    if event.kind != "task_status":
        return Change(event.seq, event.at, event.task, by_person=True)
    body = event.body
    then = replace(row, status=str(body.get("status", "")), reason=str(body.get("reason", "")))
    return Change(event.seq, event.at, event.task, kind_of(then))


def kind_of(row: TaskRow) -> str:
    """What a person would be told of a task in that state; empty: nothing, or they did it themselves."""
    if row.status == TaskStatus.DONE:
        return "" if row.reason == REMOVED else DONE
    if row.status == TaskStatus.FAILED:
        return "" if row.reason in BY_A_PERSON else FAILED
    return NEEDS_YOU if row.status != TaskStatus.OPEN and attention.waits(row) else ""


def _order(tx: Tx, settings: HomeSettings, found: Sequence[Row]) -> None:
    if not found:
        return
    waiting = _withdraw_outdated(tx, _waiting(tx))
    room = max(0, MOST_WAITING - waiting)
    if len(found) > room:
        room = max(0, room - 1)
    for row in found[:room]:
        _insert(tx, settings, line_of(tx, row), row.id)
    left = found[room:]
    if left:
        _insert(tx, settings, _line_of_many(tx, left), "")


def _waiting(tx: Tx) -> list[OrderRow]:
    here = orders.for_places(tx, (_place(),))
    return [order for order in here if order.kind == OrderKind.NOTIFY]


def _withdraw_outdated(tx: Tx, waiting: Sequence[OrderRow]) -> int:
    """What no coordinator was there to tell, and is over now; how many are left."""
    left = 0
    for order in waiting:
        _, kind, named = order.key.split("/", 2)
        name = named.rpartition("/")[0]  # a target's has slashes of its own
        row = _row(tx, name) if name else None
        if order.state == OrderState.OPEN and row is not None and _kind(tx, row) != kind:
            orders.set_state(tx, order, OrderState.WITHDRAWN)
        else:
            left += 1
    return left


def line_of(tx: Tx, row: Row) -> dict[str, Any]:
    """What the command is told, as one line of JSON."""
    kind, project = _kind(tx, row), projects.get(tx, row.project)
    name = project.name if project else ""
    word = {NEEDS_YOU: "needs you", FAILED: "failed", DONE: "is done"}[kind]
    if isinstance(row, MissionRow):
        about, evidence = notices.about(tx, row), f"toryo mission show {row.id}"
    elif isinstance(row, ToldTarget):
        about, evidence = stopped_targets.about(tx, row), ""
    else:
        wish, evidence = attention.wish(tx, row), f"toryo evidence {row.id}"
        about = {"task": row.id, "why": wish["why"], "type": wish["type"]}
    why = "" if kind == DONE else str(about["why"])[:LONGEST]
    because = f" ({why})" if why else ""
    return {
        "version": 1,
        "event": kind,
        "text": f"{name}: {row.title[:200]} {word}{because}",
        "at": iso(tx.now),
        "project": name,
        **about,
        "title": row.title[:LONGEST],
        "status": row.status,
        "reason": row.reason,
        "why": why,
        "type": evidence if kind == DONE else about["type"],
    }


def _line_of_many(tx: Tx, rows: Sequence[Row]) -> dict[str, Any]:
    kinds = [_kind(tx, row) for row in rows]
    found = {
        noun: [row for row in rows if isinstance(row, kind)]
        for noun, kind in (("tasks", TaskRow), ("missions", MissionRow), ("targets", ToldTarget))
    }
    return {
        "version": 1,
        "event": next(kind for kind in (NEEDS_YOU, FAILED, DONE) if kind in kinds),
        "text": f"{len(rows)} more {' and '.join(noun for noun in found if found[noun])}: toryo status",
        "at": iso(tx.now),
        **{
            noun: [row.id for row in those[:100]] for noun, those in found.items() if those or noun == "tasks"
        },
        "type": "toryo status",
    }


def _insert(tx: Tx, settings: HomeSettings, line: Mapping[str, Any], task: str) -> OrderRow:
    assert settings.notify is not None
    text = texts.put(tx, json.dumps(line, ensure_ascii=False))
    inputs = NotifyInputs(command=settings.notify, text=text, limit_s=LIMIT_S)
    key = f"notify/{line['event']}/{task}/{new_id('a')}"
    return insert(tx, OrderKind.NOTIFY, key, _place(), inputs, limit_s=LIMIT_S + 5)


def _place() -> str:
    """The daemon's own machine: that is where the person is."""
    return f"machine:{processes.machine_id()}"


def order_test(context: HeadContext) -> tuple[str, str]:
    """The order that tries the command, and the command."""
    settings = home_settings.in_force(context)
    if settings.notify is None:
        raise UserError(
            "No command is set that could tell you.",
            hint="toryo config set notify 'COMMAND'; docs/howto/being-told.md has some to copy.",
        )
    with context.store.change() as tx:
        line = {
            "version": 1,
            "event": "test",
            "text": "Toryo can reach you",
            "at": iso(tx.now),
            "type": "toryo status",
        }
        return _insert(tx, settings, line, "").id, settings.notify


def apply_notified(tx: Tx, order: OrderRow, body: Mapping[str, Any]) -> None:
    """The last failure is kept until it works again."""
    why = failure(body)
    if why:
        meta.put(tx, FAILURE, why)
    elif meta.get(tx, FAILURE) is not None:
        meta.drop(tx, FAILURE)


def failure(body: Mapping[str, Any]) -> str:
    """Why a person was not told; empty: the command said that it worked."""
    if body.get("problem"):
        return str(body["problem"]["message"])
    if body.get("timed_out"):
        return f"it did not end within {LIMIT_S} s and was killed"
    if body.get("exit_code") == 0:
        return ""
    last = str(body.get("output") or "").strip().splitlines()
    return f"exit {body.get('exit_code')}" + (f": {last[-1][:300]}" if last else "")


def problems(context: HeadContext, tx: Tx) -> list[views.InstallationProblem]:
    found = home_settings.problems(context)
    why = meta.get(tx, FAILURE)
    if why:
        found.append(
            {"project": "home", "what": f"the notify command failed: {why}", "type": "toryo notify test"}
        )
    return found
