"""Evidence for people: of the landing that counts, or of the newest try."""

from __future__ import annotations

from typing import Any

from toryo.domain.times import iso
from toryo.engine import attention
from toryo.engine.context import HeadContext
from toryo.engine.evidence import base_of, pending, run_facts, verbs_said
from toryo.store.tables import evidence, landings, runs
from toryo.usecases.finding import the_task
from toryo.usecases.tasks.changes import changed_files, running_check


def get_evidence(context: HeadContext, text: str) -> dict[str, Any]:
    with context.store.read() as tx:
        task = the_task(tx, text)
        records = evidence.of_task(tx, task.id)
        landed = [one for one in landings.of_task(tx, task.id) if one.accepted_at is not None]
        chosen = next((one for one in records if landed and one.landing == landed[-1].id), None)
        body = dict(chosen.body) if chosen else pending(tx, task.id)
        # facts that came after the record (late claims, a snapshot's restore) are shown too
        body["runs"] = [run_facts(tx, run) for run in runs.of_task(tx, task.id)]
        body["verbs"] = verbs_said(tx, task.id)
        return {
            "success": True,
            **body,
            "id": chosen.id if chosen else None,
            "at": iso(chosen.at) if chosen else None,
            "status": task.status,
            "reason": task.reason,
            "title": task.title,
            "changed_files": changed_files(tx, task.id),
            "checking": running_check(tx, task),
            "next": list(attention.lines(tx, task)),
            "base": base_of(tx, task.project, task.target) if task.reason.startswith("base_") else None,
        }
