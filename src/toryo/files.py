"""Small files, many of which are written at each launch. Standard library only."""

from __future__ import annotations

import os
import threading
from pathlib import Path


def write_whole(path: Path | str, content: bytes, *, durably: bool = False) -> None:
    """Whole or not at all, 0600; `durably`: also after a power cut."""
    # two processes of one name may write at once (one supersedes the other): never into the same half file
    half = f"{path}.{os.getpid()}.{threading.get_ident()}"
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        _write_all(handle, content)
        if durably:
            os.fsync(handle)
    except OSError:
        Path(half).unlink()
        raise
    finally:
        os.close(handle)
    os.replace(half, path)  # noqa: PTH105 — a Path costs as much as the call
    if durably:
        sync_folder(Path(path).parent)


def put(path: Path | str, content: bytes) -> None:
    """Where it stands, with the rights that the umask leaves: for files that nobody looks for yet."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        _write_all(handle, content)
    finally:
        os.close(handle)


def _write_all(handle: int, content: bytes) -> None:
    """On a disk that is almost full the kernel takes a part and is content."""
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def sync_folder(folder: Path | str) -> None:
    """A new name is on the disk only after this."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
