"""Exported files of a mission in a checkout: what nobody changed since gives way to what lands there.

It is kept in a snapshot, and rewritten as the landing has it; from then on it is what `contents.same` finds.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from toryo.protocol.kinds.landing import Exported
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.publish import contents, landing_paths
from toryo.workbench.git.publish.landing_paths import ABSENT, Change, On

PLAIN = "100644"

Known = Mapping[str, Collection[str]]


def unchanged(git: Git, landing: tuple[Change, ...], exported: Iterable[Exported]) -> tuple[Change, ...]:
    """Those of the landing at whose paths such a text lies, neither staged nor committed."""
    known: Known = {one.path: one.hashes for one in exported}
    mine = [one for one in landing if one.path in known and one.new_mode == PLAIN]
    if not mine:
        return ()
    paths = {one.path for one in landing}
    index = contents.in_index(git, {one.path for one in mine})
    touched, _ = landing_paths.touched_and_unmerged(git)
    return tuple(
        one
        for one in mine
        if index.get(one.path, ABSENT) == one.before
        and (one.before == ABSENT or one.path in touched)  # else git writes it
        and landing_paths.look(git.where, one.path, paths).on is On.FILE
        and _hash(git.where / one.path) in known[one.path]
    )


def renew(git: Git, git_dir: Path, parent: str, found: tuple[Change, ...]) -> str:
    """Rewrite them as they land; the commit that keeps what lay there."""
    before = {one.path: _hash(git.where / one.path) for one in found}
    kept = contents.snapshot(git, parent, tuple(before), "earlier exports of a mission")
    for one in found:
        place, fresh = git.where / one.path, git_dir / f"toryo-export-{os.getpid()}"
        fresh.write_bytes(contents.written(git, one.path, one.new))
        shutil.copymode(place, fresh)
        if _hash(place) == before[one.path]:  # nobody wrote into it meanwhile
            shutil.move(fresh, place)
        fresh.unlink(missing_ok=True)
    return kept


def _hash(place: Path) -> str:
    """Empty where it cannot be read."""
    try:
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError:
        return ""
