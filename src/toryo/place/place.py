"""Identity of a process that takes orders: what kind of place it is, its name, and its private folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.errors import UserError
from toryo.domain.words import PlaceKind

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Place:
    kind: PlaceKind
    name: str
    folder: Path
    """Its key, journal and outbox; another process of the same kind and name goes on with them."""

    @property
    def key(self) -> Path:
        return self.folder / "key"

    @property
    def journal(self) -> Path:
        return self.folder / "orders"

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"

    def make(self, parts: Iterable[str] = ()) -> None:
        """The folder and what is in it: for the owner alone, also where an older version left it open. The
        umask stays, because what we start has it too."""
        inside = (self.journal, self.outbox, *(self.folder / part for part in parts))
        for one in (self.folder.parent, self.folder, *inside):
            one.mkdir(parents=True, exist_ok=True, mode=0o700)
            if one.stat().st_mode & 0o077:
                one.chmod(0o700)


def insist_on_name(kind: PlaceKind, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name[:80]!r} is no name of a {kind}.",
            hint="Use lower case letters, digits, - and _; at most 64, the first a letter or a digit.",
        )
