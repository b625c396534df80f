"""The ground of the campaign in one test process: a few places, and how each state ends when nobody dies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue

from chaos import invariants, playing
from chaos.cases import CASES, Case
from chaos.place import Place
from chaos.playing import End

PLACES = 2
"""Cases mostly wait: for the disk, for a look, for a process that comes up."""


class Ground:
    def __init__(self) -> None:
        self._free: SimpleQueue[Place] = SimpleQueue()
        self._hands = ThreadPoolExecutor(PLACES)
        self._ends: dict[tuple[str, str], End] = {}
        self._lock = threading.Lock()
        for _ in range(PLACES):
            self._free.put(Place())

    @contextmanager
    def place(self) -> Iterator[Place]:
        """One of them, for a test that plays by itself."""
        taken = self._free.get()
        try:
            yield taken
        finally:
            self._free.put(taken)

    def check(self, cases: Iterable[Case], wrong: Callable[[Case, End, End], str]) -> list[str]:
        """Every case side by side; what is wrong, each with its name."""
        return [told for told in self._hands.map(lambda case: self._play(case, wrong), cases) if told]

    def _play(self, case: Case, wrong: Callable[[Case, End, End], str]) -> str:
        with self.place() as place:
            try:
                wanted = self._undisturbed(place, case)
                end = playing.play(place, case)
                told = [wrong(case, end, wanted), *invariants.broken(place)]
            except Exception as failed:  # noqa: BLE001 — a case's outermost edge: the others are played, too
                told = [f"{type(failed).__name__}: {failed}"]
        return "\n".join(f"{case.name}: {one}" for one in told if one)

    def _undisturbed(self, place: Place, case: Case) -> End:
        key = (case.state, case.act)
        with self._lock:
            known = self._ends.get(key)
        if known is None:
            known = self._ends[key] = playing.undisturbed(place, *key)
        return known

    def close(self) -> None:
        self._hands.shutdown()
        for _ in range(PLACES):
            self._free.get().close()


def of_victims(*victims: str) -> dict[str, list[Case]]:
    """Point and state → the cases with one of these victims."""
    found: dict[str, list[Case]] = {}
    for case in CASES:
        if case.victim in victims:
            found.setdefault(f"{case.point}-{case.state}", []).append(case)
    return found


def difference(end: End, wanted: End, *fields: str) -> str:
    """In which of these the two differ; all by default."""
    names = fields or tuple(End.__dataclass_fields__)
    told = [(name, getattr(end, name), getattr(wanted, name)) for name in names]
    return "; ".join(
        f"{name} is {found}, not {expected}" for name, found, expected in told if found != expected
    )
