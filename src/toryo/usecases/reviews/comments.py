"""Review comments: drafts on ranges of lines, sent once: as a fix, as words, or as a new task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toryo.domain import subjects
from toryo.domain.errors import NotFound, Refused, UserError
from toryo.domain.ids import TaskId
from toryo.domain.times import iso
from toryo.domain.words import OrderKind, OrderState, TaskStatus, Verb
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.subjects.withdrawal import withdraw_landing
from toryo.protocol.views import reviews as views
from toryo.store.database.engine import Tx
from toryo.store.database.review_rows import CommentRow
from toryo.store.database.rows import TaskRow, VerbRow
from toryo.store.tables import landings, orders, projects, runs, tasks, texts, verbs
from toryo.store.tables.reviews import comments
from toryo.usecases.finding import the_task

LONGEST = 20_000
EXCERPT = 4000
WITHOUT_WORK = (TaskStatus.OPEN, TaskStatus.CANCELLED)


def comment(
    context: HeadContext, text: str, path: str, first: int, last: int, words: str, excerpt: str
) -> views.KeptComment:
    said = words.strip()[:LONGEST]
    if not said:
        raise UserError("A comment needs words.", hint="toryo review comment ID src/a.py:3-5 'rename it'")
    if not 0 < first <= last:
        raise UserError(f"{first}-{last} are no lines.", hint="For example src/a.py:3-5, or src/a.py:3.")
    with context.store.change() as tx:
        row = the_task(tx, text)
        kept = CommentRow(
            id=new_id("c"),
            task=row.id,
            path=path,
            first=first,
            last=last,
            excerpt=excerpt[:EXCERPT],
            text=said,
            created_at=tx.now,
        )
        comments.insert(tx, kept)
        tx.emit("review_commented", {"path": path, "comment": kept.id}, project=row.project, task=row.id)
    return {"success": True, "comment": shown(kept)}


def change_comment(context: HeadContext, id: str, words: str) -> views.KeptComment:
    """Other words for a draft; none: it goes."""
    with context.store.change() as tx:
        row = comments.get(tx, id)
        if row is None:
            raise NotFound(f"There is no comment {id[:40]!r}.", hint="`toryo review ID` lists them.")
        if row.sent_at is not None:
            raise Refused(f"{id} was sent at {iso(row.sent_at)}.", hint="Write another one.")
        said = words.strip()[:LONGEST]
        if said:
            comments.update(tx, id, text=said)
        else:
            comments.forget_draft(tx, id)
    return {"success": True, "comment": shown(replace(row, text=said))}


def send(context: HeadContext, text: str) -> views.SentReview:
    """All drafts at once: an agent gets one list, not one interruption each."""
    with context.store.change() as tx:
        row = the_task(tx, text)
        drafts = [one for one in comments.of_task(tx, row.id) if one.sent_at is None]
        if not drafts:
            raise Refused(
                f"{row.id} has no comment that was not sent.",
                hint=f"toryo review comment {row.id} PATH:LINES 'words'",
            )
        sent_as = _sent(tx, row, composed(drafts))
        for one in drafts:
            comments.update(tx, one.id, sent_at=tx.now, sent_as=sent_as)
        told = {"comments": len(drafts), "as": sent_as}
        tx.emit("review_sent", told, project=row.project, task=row.id)
        tx.mark(subjects.task(row.id))
    return {"success": True, "task": row.id, "sent": len(drafts), "sent_as": sent_as}


def composed(drafts: Sequence[CommentRow]) -> str:
    parts = ["A person reviewed your change and asks for this:"]
    for one in drafts:
        lines = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
        quoted = "".join(f"> {line}\n" for line in one.excerpt.splitlines())
        parts.append(f"{one.path}:{lines}\n{quoted}{one.text}")
    return "\n\n".join(parts)


def _sent(tx: Tx, row: TaskRow, words: str) -> str:
    if row.landed_commit:
        return f"task:{_new_task(tx, row, words)}"
    if row.status in WITHOUT_WORK or not row.generation:
        raise Refused(
            f"{row.id} is {row.status}: there is no change of it.", hint=f"toryo task show {row.id}"
        )
    if any(
        one.kind == OrderKind.ACCEPT and one.state == OrderState.TAKEN
        for one in orders.pending_of_task(tx, row.project, row.id)
    ):
        raise Refused(f"{row.id} is being accepted just now.", hint="Once more: it becomes a new task then.")
    live = any(run.live for run in runs.of_task(tx, row.id))
    for landing in landings.of_task(tx, row.id):
        if not landing.ended:
            withdraw_landing(tx, landing)
    fact = VerbRow(
        subject=subjects.task(row.id),
        verb=Verb.COMMENT,
        generation=row.generation,
        landing_seq=landings.newest_seq_of_task(tx, row.id),
        reason=row.reason,
        note=words,
        at=tx.now,
    )
    verbs.add(tx, fact)
    return "said" if live else "fix"


def _new_task(tx: Tx, row: TaskRow, words: str) -> str:
    """For work that is done. It may change what that might. It is of no mission and of no parent: those were
    planned, approved and perhaps completed without it."""
    title = f"Review of: {row.title}"[:500]
    texts.put(tx, title)
    made = TaskRow(
        id=TaskId(new_id("t")),
        project=row.project,
        agent=row.agent,
        title=title,
        description=words,
        type=row.type,
        priority=row.priority,
        write=None if row.write is None else list(row.write),
        predicted=row.predicted,
        checks=list(row.checks),
        timeout_s=row.timeout_s,
        target=_open_target(tx, row),
        created_at=tx.now,
    )
    tasks.insert(tx, made)
    tx.emit("task_added", {"title": title[:200], "reviews": row.id}, project=row.project, task=made.id)
    tx.mark(subjects.task(made.id))
    return made.id


def _open_target(tx: Tx, row: TaskRow) -> str:
    """Where its work has come to by now: the branch of a unit that is over was landed on the one above."""
    name = row.target
    while (target := projects.target(tx, row.project, name)) and target.closed and target.unit:
        unit = tasks.get(tx, TaskId(target.unit))
        if unit is None:
            break
        name = unit.target
    return name


def shown(row: CommentRow) -> views.CommentView:
    return {
        "id": row.id,
        "path": row.path,
        "first": row.first,
        "last": row.last,
        "excerpt": row.excerpt,
        "text": row.text,
        "created_at": iso(row.created_at),
        "sent_at": iso(row.sent_at),
        "sent_as": row.sent_as or None,
    }
