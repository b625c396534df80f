"""The `packed-refs` file, into which git moves refs that no longer change.

It grows with every run that was, and changes when git tidies up: what was read of it is kept until then.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.clock import wall
from toryo.workbench.git.door import layout

Stamp = tuple[int, ...]
RACY_S = 0.1
"""What changed so short before a look may change again within one tick of the file system's clock."""


@dataclass(frozen=True)
class _Read:
    stamp: Stamp
    refs: Mapping[str, str]


_lock = threading.Lock()
_known: dict[tuple[str, frozenset[str]], _Read] = {}


def told(common: Path, leave_out: frozenset[str]) -> Mapping[str, str]:
    """Each ref and the object it names, but for those in these folders."""
    path = common / "packed-refs"
    stamp = _stamp(path)
    key = str(path), leave_out
    with _lock:
        known = _known.get(key)
    if known is not None and known.stamp == stamp:
        return known.refs
    refs = dict(_lines(layout.read(path), leave_out))
    with _lock:
        _known.pop(key, None)
        if stamp:  # of before it was read: a change in between is another stamp
            _known[key] = _Read(stamp, refs)
    return refs


def names_below(common: Path, space: str) -> set[str]:
    """The first parts of the names of all refs there."""
    return set(re.findall(rf" {re.escape(space)}([^/\n]+)", layout.read(common / "packed-refs")))


def _stamp(path: Path) -> Stamp:
    """Empty: there is nothing to keep, or it may change without another stamp."""
    try:
        seen = path.stat()
    except OSError:
        return ()
    if seen.st_ctime_ns > (wall() - RACY_S) * 1e9:
        return ()
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _lines(text: str, leave_out: Iterable[str]) -> Iterable[tuple[str, str]]:
    ours = tuple(f"{folder}/" for folder in leave_out)
    for line in text.split("\n"):
        if line and line[0] not in "#^":  # a comment, and what a tag peels to
            object, _, ref = line.partition(" ")
            if not ref.startswith(ours):
                yield ref, object
