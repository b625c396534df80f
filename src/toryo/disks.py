"""Full disks: known by an error's number, by a program's words, or by asking the disk. Standard library only.

What waits for one to be emptied is left to whoever wanted to write.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from toryo.domain.errors import DiskFull

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("No space left on device", "Disk quota exceeded")
SCARCE = 256 * 1024
"""A disk with fewer bytes than this is full: the next object or log line may be the one that does not fit."""


def free_bytes(path: Path) -> int | None:
    """What is left where the path is, or will be; None: that cannot be asked."""
    for place in (path, *path.parents):
        try:
            found = os.statvfs(place)
        except FileNotFoundError:
            continue
        except OSError:
            return None
        no_names_left = found.f_files > 0 and found.f_favail == 0
        return 0 if no_names_left else found.f_bavail * found.f_frsize
    return None


def is_full(path: Path) -> bool:
    free = free_bytes(path)
    return free is not None and free < SCARCE


def says_full(text: str) -> bool:
    return any(words in text for words in WORDS)


def is_about_space(error: BaseException) -> bool:
    return isinstance(error, DiskFull) or (
        isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    )


def full(path: Path | str) -> DiskFull:
    return DiskFull(f"The disk of {path} is full.", hint=f"df -h {path}")


def insist_on_space(error: BaseException, path: Path | str, *others: Path) -> None:
    """A failure for want of space says nothing about what was tried: it is told as such.

    A write that failed names no file: it was on the disk of one of the others if that is full."""
    if isinstance(error, DiskFull):
        raise error
    if is_about_space(error):
        named = getattr(error, "filename", None)
        raise full(named or next(filter(is_full, others), path)) from error
