"""Installed programs of clients and of commands: looked for before a claim, so at each interval, and reported
when they change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from toryo.coordinator.daemon_calls import CoordinatorDaemon
from toryo.place.daemon_client import Registered


def _nothing(programs: frozenset[str]) -> dict[str, str]:
    return {}


@dataclass
class Programs:
    look: Callable[[frozenset[str]], dict[str, str]] = _nothing
    """Client → the path of its program, empty where that is not found; and so of the programs of commands."""
    _expected: frozenset[str] = frozenset()
    _told: dict[str, str] = field(default_factory=dict)

    def expect(self, programs: Iterable[str]) -> None:
        """Agents start them: they are looked for from now on."""
        self._expected |= frozenset(programs)

    def registered(self) -> dict[str, str]:
        """What is told with a registration."""
        self._told = self.look(self._expected)
        return self._told

    def tell(self, daemon: CoordinatorDaemon, place: Registered) -> None:
        found = self.look(self._expected)
        if self._told != found:
            daemon.tell_clients(place, found)
            self._told = found
