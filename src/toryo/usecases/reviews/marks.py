"""Review of a task's change: its hunks with a person's marks, which fall when a hunk changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import NotFound
from toryo.engine.context import HeadContext
from toryo.protocol.views import reviews as views
from toryo.store.database.review_rows import MarkRow
from toryo.store.tables.reviews import comments, marks
from toryo.usecases.finding import the_task
from toryo.usecases.reviews import hunks
from toryo.usecases.reviews.comments import shown as shown_comment
from toryo.usecases.reviews.hunks import FileChange, Hunk


def review(
    context: HeadContext, text: str, about: Mapping[str, Any], diff: str, *, since_last: bool, cut: bool
) -> views.Review:
    """`since_last`: only hunks that nobody has seen as they are now."""
    with context.store.read() as tx:
        row = the_task(tx, text)
        seen = {one.hunk for one in marks.of_task(tx, row.id)}
        said = comments.of_task(tx, row.id)
    found = hunks.parse(diff)
    every = [hunk for file in found for hunk in file.hunks]
    files = [_file(one, seen, since_last=since_last) for one in found]
    return {
        "success": True,
        "task": row.id,
        "title": row.title,
        "status": row.status,
        "reason": row.reason,
        "base": str(about["base"]),
        "head": str(about["head"]),
        "files": [one for one in files if one["hunks"] or not since_last],
        "hunks": len(every),
        "seen": sum(one.id in seen for one in every),
        "cut": cut,
        "comments": [shown_comment(one) for one in said],
    }


def _file(one: FileChange, seen: set[str], *, since_last: bool) -> views.ReviewedFile:
    shown = [hunk for hunk in one.hunks if not since_last or hunk.id not in seen]
    return {
        "path": one.path,
        "old_path": one.old_path or None,
        "kind": one.kind,
        "binary": one.binary,
        "hunks": [_hunk(hunk, seen) for hunk in shown],
    }


def _hunk(one: Hunk, seen: set[str]) -> views.HunkView:
    return {
        "id": one.id,
        "header": one.header,
        "old_start": one.old_start,
        "new_start": one.new_start,
        "lines": list(one.lines),
        "seen": one.id in seen,
    }


def mark(
    context: HeadContext, text: str, diff: str, wanted: Sequence[str], *, seen: bool
) -> views.MarkedHunks:
    """Hunks by their ids or unique beginnings of them; without any, all."""
    paths = {hunk.id: file.path for file in hunks.parse(diff) for hunk in file.hunks}
    chosen = [_meant(one, paths) for one in wanted] or list(paths)
    with context.store.change() as tx:
        row = the_task(tx, text)
        for id in chosen:
            if seen:
                marks.set_mark(tx, MarkRow(task=row.id, hunk=id, path=paths[id], at=tx.now))
            else:
                marks.take_mark(tx, row.id, id)
        told = {"hunks": len(chosen), "seen": seen}
        tx.emit("review_marked", told, project=row.project, task=row.id, subject=subjects.task(row.id))
    return {"success": True, "task": row.id, "marked": chosen, "seen": seen}


def _meant(text: str, paths: Mapping[str, str]) -> str:
    found = [text] if text in paths else [id for id in paths if id.startswith(text)]
    if len(found) != 1:
        what = "names several hunks" if found else "is no hunk of that change as it is now"
        raise NotFound(f"{text[:40]!r} {what}.", hint="`toryo review ID` lists them with their ids.")
    return found[0]
