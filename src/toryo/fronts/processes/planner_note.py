"""Start note of the planner: its pid, its start time, and a keyed hash of the settings that it was given."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toryo import processes
from toryo.files import write_whole
from toryo.fronts.processes.reach import operator_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from toryo.settings import Home


@dataclass(frozen=True)
class Noted:
    pid: int
    start: str
    settings: str

    @property
    def lives(self) -> bool:
        return processes.is_alive(self.pid, self.start)


def noted(home: Home) -> Noted | None:
    try:
        said = json.loads(_file(home).read_text(encoding="utf-8"))
        return Noted(int(said["pid"]), str(said["start"]), str(said["settings"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def note(home: Home, one: Noted) -> None:
    _file(home).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(_file(home), json.dumps(vars(one)).encode())


def forget(home: Home) -> None:
    _file(home).unlink(missing_ok=True)


def hashed(home: Home, given: Mapping[str, str]) -> str:
    """Whoever reads it cannot try keys without the operator's."""
    told = "\0".join(f"{name}={given[name]}" for name in sorted(given))
    return hmac.new(operator_key(home).encode(), told.encode(), hashlib.sha256).hexdigest()


def _file(home: Home) -> Path:
    return home.path / "planner" / "up.json"
