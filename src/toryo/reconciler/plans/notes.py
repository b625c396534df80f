"""Notes with a plan: what a person should see before they approve it, and nothing that stops it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import accumulate, takewhile

from toryo.domain.dependency_graphs import ancestors
from toryo.domain.scopes import may_overlap
from toryo.reconciler.plans.facts import Note, NoteCode, PlanFacts

TEST_WORDS = ("test", "テスト", "测试", "測試", "테스트", "тест", "prueba", "prova")
"""One of them is in what a set-up task says of itself, whatever its language."""


def notes_of(plan: PlanFacts) -> Iterator[Note]:
    if plan.unfinished and not plan.has_tests and not has_setup(plan):
        yield Note(NoteCode.NO_SETUP)
    folders = plan.top if plan.paths is None else _folders(plan.paths)
    for task in plan.unfinished:
        unknown = tuple(path for path in task.write or () if not is_known(path, folders, plan.paths is None))
        if unknown:
            yield Note(NoteCode.UNKNOWN_PATH, (task.id,), unknown)
    for other in plan.others:
        met = tuple(task.id for task in plan.unfinished if may_overlap(task.write, other.write))
        if met:
            yield Note(NoteCode.OTHER_MISSION, met, (other.id, other.title))


def is_known(pattern: str, folders: Collection[str], top_only: bool) -> bool:
    """Whether the folder is there in which such a file lies or would lie: a new file in it is no surprise."""
    body = pattern.lstrip("/")
    if "/" not in body:
        return True  # a name at any depth, or a new file at the root
    parts = [part for part in body.removesuffix("**").split("/") if part]
    head = list(takewhile(lambda part: not any(sign in part for sign in "*?["), parts))
    if not head:
        return True
    if top_only:
        return head[0] in folders
    folder = head if len(head) < len(parts) else head[:-1] or head
    return "/".join(folder) in folders


def has_setup(plan: PlanFacts) -> bool:
    """Whether a task that speaks of tests comes before all others; a task alone sets nothing up."""
    behind = ancestors(plan.graph)
    for task in plan.unfinished:
        others = [one.id for one in plan.unfinished if one.id != task.id]
        text = " ".join((task.title, task.description, *(task.write or ()))).casefold()
        if (
            others
            and all(task.id in behind[one] for one in others)
            and any(word in text for word in TEST_WORDS)
        ):
            return True
    return False


def _folders(paths: Collection[str]) -> set[str]:
    return {
        folder
        for path in paths
        for folder in accumulate(path.split("/")[:-1], lambda above, name: f"{above}/{name}")
    }
