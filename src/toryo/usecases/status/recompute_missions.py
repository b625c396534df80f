"""Recomputation of missions: the cached status against a fresh decision over their rows."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.engine.context import HeadContext
from toryo.engine.subjects.mission import facts_of, tree_of
from toryo.protocol.views.status import Difference
from toryo.reconciler.missions.decide import decide_mission
from toryo.reconciler.unit_trees import decide_tree
from toryo.store.database.engine import Tx
from toryo.store.tables import marks, missions, projects
from toryo.usecases.status.recompute_targets import difference

PAGE = 500


def compare_missions(context: HeadContext, tx: Tx, project: str) -> list[Difference]:
    """Of one project; one that is about to be looked at may be behind its facts."""
    row_of_project = projects.get(tx, project)
    found: list[Difference] = []
    after = 0
    while row_of_project is not None:
        page = missions.page(tx, project=project, after_seq=after, limit=PAGE)
        for row in page:
            if marks.is_due(tx, subjects.mission(row.id)):
                continue
            if row.root:
                decided = decide_tree(tree_of(context, tx, row_of_project, row))
            else:
                decided = decide_mission(facts_of(context, tx, row_of_project, row))
            hold = (decided.reason or decided.status.value) if decided.hold else ""
            compared = (
                (
                    "status",
                    f"{row.status} {row.reason}".strip(),
                    f"{decided.status} {decided.reason}".strip(),
                ),
                ("hold", row.hold, hold),
                ("stop", row.stop, decided.stop),
                ("hold_tasks", list(row.hold_tasks), list(decided.hold_tasks)),
            )
            found += [
                difference(project, f"mission {row.id} {what}", cached, said)
                for what, cached, said in compared
                if cached != said
            ]
        if len(page) < PAGE:
            break
        after = page[-1].seq
    return found
