"""Registration with the daemon: incarnation, heartbeat, and another key where ours is refused."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toryo.domain.errors import ToryoError
from toryo.domain.words import PlaceKind
from toryo.place.daemon_client import Daemon, Registered
from toryo.place.lifecycle import Lifecycle
from toryo.place.listener import Listener
from toryo.place.reporter import Reporter
from toryo.protocol.wire import ToolFailed, WireError

log = logging.getLogger(__name__)


@dataclass
class Registration:
    kind: PlaceKind
    daemon: Daemon
    about: Callable[[], Mapping[str, Any]]
    """What is told with a registration."""
    state: Callable[[], Mapping[str, Any]]
    """What is told with each heartbeat, beside the hindrances."""
    hindrances: Callable[[], Sequence[ToryoError]]
    interval_s: float
    lifecycle: Lifecycle
    reporter: Reporter
    listener: Listener
    renew_key: Callable[[], bool]
    place: Registered | None = None
    beat_at: float = 0.0
    told: tuple[str, ...] = ()
    """What hindered orders at the last heartbeat."""

    def register(self) -> bool:
        try:
            self.place = self.daemon.register(self.kind, self.about())
        except ToolFailed as refused:
            log.warning("Registration refused: %s", refused.message, extra={"hint": refused.hint})
            self.replace_refused_key()
            return False
        log.info("Registered", extra={self.kind.value: self.place.id, "incarnation": self.place.incarnation})
        self.reporter.introduce(self.place)
        self.listener.start(self.place)
        return True

    def replace_refused_key(self) -> None:
        """Only where it is the key that was refused: everybody may ask for the daemon's health."""
        try:
            self.daemon.is_healthy()
        except ToolFailed:
            try:
                renewed = self.renew_key()
            except (WireError, ToolFailed, OSError) as failed:
                log.warning("No other key was given", extra={"reason": str(failed)[:500]})
                return
            if renewed:
                log.info("Another key is in use")
                self.place = None  # by it we register again: the daemon may have forgotten us altogether
        except WireError:
            return

    def beat(self) -> bool:
        """Once per interval, however often we are woken, and when a hindrance came or went."""
        now = time.monotonic()
        is_due = now - self.beat_at >= 0.9 * self.interval_s
        if self.place is None or not (is_due or self.has_news()):
            return False
        hindered = self.hindrances()
        if self.daemon.heartbeat(self.place, hindered, self.state()):
            self.lifecycle.supersede()
        self.beat_at, self.told = now, tuple(one.message for one in hindered)
        return True

    def has_news(self) -> bool:
        """Whether other things hinder orders than at the last heartbeat."""
        return self.told != tuple(one.message for one in self.hindrances())

    def wait_for_daemon(self, is_over: Callable[[], bool]) -> None:
        """One line in the log per interval, but work goes on within a second of its return."""
        end = time.monotonic() + self.interval_s
        while (left := end - time.monotonic()) > 0 and not is_over():
            self.lifecycle.rest(min(1.0, left))
            try:
                if self.daemon.is_healthy():
                    return
            except (WireError, ToolFailed):
                continue
