"""Dependency cycles: whether a new list of dependencies would make a task wait for itself.

Searched from the task to those who wait for it, not from what it shall wait for: behind a task that has not
begun are only others that have not, before it lies all that was ever done. Level by level, each task once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlalchemy import bindparam, select

from toryo.domain.errors import Refused
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.schema import dependencies
from toryo.store.database.statements import texts

MOST_NAMED = 10
"""Of a cycle, and of a list in a hint: an error is one line, however long the chain is."""
AT_ONCE = 500
"""Tasks per question: SQLite bounds the number of parameters."""
MOST_QUESTIONS = 64
"""Then all links are read at once. A recursive query would do it in one, but PostgreSQL reads the whole table
at each of its levels: minutes for a chain of 100,000."""

_LINKS = select(dependencies.c.task, dependencies.c.needs)
_LINKS_TO = _LINKS.where(dependencies.c.needs.in_(bindparam("them", expanding=True)))
_NEEDS = select(dependencies.c.needs).where(dependencies.c.task == bindparam("it"))


def refuse(tx: Tx, id: str, needs: Sequence[str]) -> None:
    """Raise if the task would wait for itself, were these what it waits for."""
    found = [id, id] if id in needs else _closed_by(tx, id, frozenset(needs))
    if not found:
        return
    hint = f"Leave {found[1]} out"
    hint += f", or first type: {_without(tx, found[-2], id)}" if len(found) > 2 else "."
    raise Refused(f"{id} would wait for itself: {' → '.join(_few(found))}.", hint=hint)


def _closed_by(tx: Tx, id: str, needs: Collection[str]) -> list[str]:
    """The shortest cycle, each followed by what it waits for, the task first and last; [] without one."""
    links = _Links(tx)
    towards = {id: ""}
    level = [id] if needs else []
    while level:
        reached = []
        for task, needed in links.to(level):
            if task in towards:
                continue
            towards[task] = needed
            if task in needs:
                return [id, *_way(task, id, towards)]
            reached.append(task)
        level = reached
    return []


def _way(one: str, end: str, towards: dict[str, str]) -> list[str]:
    way = [one]
    while way[-1] != end:
        way.append(towards[way[-1]])
    return way


class _Links:
    """Who waits for whom, by few questions or by a single large one."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._left = MOST_QUESTIONS
        self._all: dict[str, list[str]] | None = None

    def to(self, needed: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each (task, what it waits for) where it waits for one of these."""
        self._left -= -(-len(needed) // AT_ONCE)
        if self._left >= 0:
            for start in range(0, len(needed), AT_ONCE):
                given = {"them": needed[start : start + AT_ONCE]}
                for task, one in prepared.rows(self._tx.conn, _LINKS_TO, given)[1]:
                    yield task, one
            return
        if self._all is None:
            self._all = self._read()
        for one in needed:
            for task in self._all.get(one, ()):
                yield task, one

    def _read(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for task, needed in prepared.rows(self._tx.conn, _LINKS, {})[1]:
            found.setdefault(needed, []).append(task)
        return found


def _without(tx: Tx, id: str, need: str) -> str:
    """What takes that one link away."""
    rest = [one for one in texts(tx, _NEEDS, it=id) if one != need]
    if len(rest) > MOST_NAMED:
        return f"toryo task show {id}"
    return f"toryo task update {id} " + (" ".join(f"--after {one}" for one in rest) or "--no-after")


def _few(way: Sequence[str]) -> list[str]:
    if len(way) <= MOST_NAMED:
        return list(way)
    side = MOST_NAMED // 2
    return [*way[:side], f"… {len(way) - 2 * side} more …", *way[-side:]]
