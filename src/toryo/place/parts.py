"""Parts that every place has: its lines to the daemon, its records on disk, and what is wanted of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from toryo.place.daemon_client import Daemon
from toryo.place.daemon_pool import DaemonPool
from toryo.place.journal import Journal
from toryo.place.keys import Key
from toryo.place.lifecycle import Lifecycle
from toryo.place.listener import Listener, Take
from toryo.place.order_set import OrderSet
from toryo.place.outbox import Outbox
from toryo.place.place import Place
from toryo.place.registration import Registration
from toryo.place.reporter import Reporter
from toryo.settings import Home

D = TypeVar("D", bound=Daemon)
Told = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class Parts(Generic[D]):
    place: Place
    lifecycle: Lifecycle
    key: Key
    daemon: Callable[[], D]
    """A connection of its own, for each thread that speaks to the daemon."""
    pool: DaemonPool[D]
    """For one question of any thread."""
    reporter: Reporter
    journal: Journal
    orders: OrderSet

    def registration(
        self, daemon: D, interval_s: float, take: Take, about: Told, state: Told
    ) -> Registration:
        """`take`: what becomes of each complete set. `about`, `state`: what is told with a registration, with
        each heartbeat."""
        return Registration(
            kind=self.place.kind,
            daemon=daemon,
            about=about,
            state=state,
            hindrances=self.orders.hindrances,
            interval_s=interval_s,
            lifecycle=self.lifecycle,
            reporter=self.reporter,
            listener=Listener(self.daemon(), self.lifecycle, interval_s, take),
            renew_key=self.key.renew,
        )


def parts(
    home: Home,
    place: Place,
    socket_path: Path,
    key: str,
    lifecycle: Lifecycle,
    client: Callable[[Path, Callable[[], str]], D],
) -> Parts[D]:
    """`client`: the class of its connections."""
    known = Key(home, place, socket_path, key)

    def daemon() -> D:
        return client(socket_path, known)

    return Parts(
        place=place,
        lifecycle=lifecycle,
        key=known,
        daemon=daemon,
        pool=DaemonPool(daemon),
        reporter=Reporter(Outbox(place.outbox), daemon(), on_superseded=lifecycle.supersede),
        journal=Journal(place.journal),
        orders=OrderSet(),
    )
