"""Installed programs of clients: looked for before a claim, so at each interval, and reported when they
change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from toryo.coordinator.daemon_calls import CoordinatorDaemon
from toryo.place.daemon_client import Registered


@dataclass
class Programs:
    look: Callable[[], dict[str, str]] = dict
    """Client → the path of its program, empty where that is not found."""
    _told: dict[str, str] = field(default_factory=dict)

    def registered(self) -> dict[str, str]:
        """What is told with a registration."""
        self._told = self.look()
        return self._told

    def tell(self, daemon: CoordinatorDaemon, place: Registered) -> None:
        found = self.look()
        if self._told != found:
            daemon.tell_clients(place, found)
            self._told = found
