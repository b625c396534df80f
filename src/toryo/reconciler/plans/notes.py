"""Notes with a plan: what a person should see before they approve it, and nothing that stops it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, takewhile

from toryo.domain.dependency_graphs import ancestors
from toryo.domain.scopes import may_overlap
from toryo.reconciler.plans.facts import Note, NoteCode, PlanFacts

TEST_WORDS = ("test", "テスト", "测试", "測試", "테스트", "тест", "prueba", "prova")
"""One of them is in what a set-up task says of itself, whatever its language."""


def notes_of(plan: PlanFacts) -> Iterator[Note]:
    if plan.unfinished and not plan.has_tests and not has_setup(plan):
        yield Note(NoteCode.NO_SETUP)
    folders = Folders(plan.paths)
    for task in plan.unfinished:
        unknown = tuple(path for path in task.write or () if not is_known(path, folders))
        if unknown:
            yield Note(NoteCode.UNKNOWN_PATH, (task.id,), unknown)
    for other in plan.others:
        met = tuple(task.id for task in plan.unfinished if may_overlap(task.write, other.write))
        if met:
            yield Note(NoteCode.OTHER_MISSION, met, (other.id, other.title))


class Folders:
    """Folders of the repository, as far as it was looked at."""

    def __init__(self, paths: Collection[str]) -> None:
        self._is_seen = bool(paths)
        self._seen = {above for path in paths for above in _above(path)}
        self._named = self._seen | {path.rstrip("/") for path in paths if path.endswith("/")}

    def may_hold(self, folder: Sequence[str]) -> bool:
        """Whether it is there; below one that nobody looked into it may be."""
        if not self._is_seen:
            return True
        for path in accumulate(folder, _join):
            if path not in self._seen:
                return path in self._named
        return True


def is_known(pattern: str, folders: Folders) -> bool:
    """Whether the folder is there in which such a file lies or would lie: a new file in it is no surprise."""
    body = pattern.lstrip("/")
    if "/" not in body:
        return True  # a name at any depth, or a new file at the root
    parts = [part for part in body.removesuffix("**").split("/") if part]
    head = list(takewhile(lambda part: not any(sign in part for sign in "*?["), parts))
    if not head:
        return True
    return folders.may_hold(head if len(head) < len(parts) else head[:-1] or head)


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


def _above(path: str) -> Iterator[str]:
    return accumulate(path.rstrip("/").split("/")[:-1], _join)


def _join(above: str, name: str) -> str:
    return f"{above}/{name}"
