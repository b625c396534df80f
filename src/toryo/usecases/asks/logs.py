"""Reads of what a run prints: pages of its log, a search in it, its window and what stands there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toryo.domain.errors import Refused
from toryo.domain.times import iso
from toryo.engine.context import HeadContext
from toryo.engine.messages import words_of
from toryo.protocol.asks import LogRead, ScreenRead, SearchRead, WindowRead
from toryo.protocol.views import runs as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow
from toryo.store.tables import runs
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import names_run, the_run
from toryo.usecases.runs.say import running
from toryo.usecases.tasks.submit import CLIENT as BY_HAND


def log_page(
    context: HeadContext,
    text: str,
    *,
    offset: int,
    before: int,
    limit: int,
    tail: int,
    raw: bool,
    colours: bool = False,
) -> tuple[Read, bool]:
    """The read, and whether the run has ended: its log then grows no more."""
    with context.store.read() as tx:
        run = _with_log(tx, text)
    inputs = LogRead(
        run=run.id,
        client=run.client,
        raw=raw,
        offset=offset,
        before=before,
        limit=limit,
        tail=tail,
        colours=colours,
    )
    about = {
        "run": run.id,
        "task": run.task,
        "agent": run.agent,
        "outcome": "" if run.live else run.outcome,
        "started_at": iso(run.started_at),
        "ended_at": iso(run.ended_at),
    }
    return Read(run.coordinator, inputs, about), not run.live


def log_search(
    context: HeadContext, text: str, wanted: str, *, any_case: bool, offset: int, limit: int
) -> Read:
    with context.store.read() as tx:
        run = _with_log(tx, text)
    inputs = SearchRead(
        run=run.id, client=run.client, text=wanted, any_case=any_case, offset=offset, limit=limit
    )
    return Read(run.coordinator, inputs, {"run": run.id, "task": run.task})


def window(context: HeadContext, text: str) -> Read:
    with context.store.read() as tx:
        run = running(tx, text)
        insist_heard(tx, run.coordinator)
    return Read(run.coordinator, WindowRead(run=run.id), {"run": run.id})


def screen(context: HeadContext, text: str, *, colours: bool) -> Read:
    with context.store.read() as tx:
        run = running(tx, text)
        insist_heard(tx, run.coordinator)
    return Read(run.coordinator, ScreenRead(run=run.id, colours=colours), {"run": run.id})


def words_in_log(context: HeadContext, run: str, said: Sequence[Sequence[Any]]) -> list[views.WordsInLog]:
    """Words for the agent, each with the line of the text before which it was said."""
    with context.store.read() as tx:
        known = {one["message"]: one for one in words_of(tx, run)} if said else {}
    found = [(line, known[message]) for line, message in said if message in known]
    return [
        {
            "line": line,
            "message": one["message"],
            "text": one["text"],
            "state": one["state"],
            "said_at": one["said_at"],
        }
        for line, one in found
    ]


def _with_log(tx: Tx, text: str) -> RunRow:
    run = the_run(tx, text)
    if not run.coordinator and not names_run(text):  # what a person did themselves printed nothing
        started = [one for one in runs.of_task(tx, run.task) if one.coordinator]
        run = started[-1] if started else run
    if not run.coordinator and run.client == BY_HAND:
        raise Refused(
            f"{run.id} was made by hand: no agent ran.",
            hint=f"`toryo diff {run.task}` shows what it changed.",
        )
    if not run.coordinator:
        raise Refused(
            f"{run.id} is an outside agent's run: its output is not ours.",
            hint=f"`toryo run show {run.id}` has what it reported.",
        )
    insist_heard(tx, run.coordinator)
    return run
