"""Directory names of specs: `specs/SPEC-XXXXXXXX/`, or numbered `specs/NNN-name/`. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

from toryo.domain.naming import slug

ROOT = "specs/"
LONGEST_NAME = 40
_NUMBERED = re.compile(r"^(\d{3,})-")


def by_id(mission: str, existing: Collection[str] = ()) -> str:
    """Eight hex digits of the mission's id, others where a directory has them already."""
    taken = {name.casefold() for name in existing}
    tries = 0
    while True:
        digits = hashlib.sha256(f"{mission}:{tries}".encode()).hexdigest()[:8]
        if f"spec-{digits}" not in taken:
            return f"{ROOT}SPEC-{digits}/"
        tries += 1


def by_number(title: str, existing: Collection[str] = ()) -> str:
    """The number behind the highest one; a title without Latin letters gives `NNN-mission`."""
    numbers = [int(found[1]) for name in existing if (found := _NUMBERED.match(name))]
    name = slug(title)[:LONGEST_NAME].strip("-_") or "mission"
    return f"{ROOT}{max(numbers, default=0) + 1:03d}-{name}/"
