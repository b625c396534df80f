"""Texts too large for rows, in files named by the SHA-256 of their UTF-8 bytes, written once."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

_HASH = re.compile(r"[0-9a-f]{64}")


def blob_hash(text: str) -> str:
    """The name of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Blobs:
    path: Path

    def put(self, text: str) -> str:
        """The text's hash; when this returns the text is on the disk."""
        data = text.encode("utf-8", "surrogatepass")
        name = blob_hash(text)
        place = self._place(name)
        if not place.exists():
            if not place.parent.exists():
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _sync(self.path)
            _write_whole(place, data)
        return name

    def get(self, hash: str) -> str | None:
        if not _HASH.fullmatch(hash):  # it comes from outside and becomes a path
            return None
        try:
            return self._place(hash).read_bytes().decode("utf-8", "surrogatepass")
        except FileNotFoundError:
            return None

    def _place(self, name: str) -> Path:
        return self.path / name[:2] / name[2:]


def _write_whole(place: Path, data: bytes) -> None:
    handle, half = tempfile.mkstemp(dir=place.parent, prefix=".half-")  # made with mode 0600
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(half).replace(place)
    except BaseException:
        Path(half).unlink(missing_ok=True)
        raise
    _sync(place.parent)


def _sync(folder: Path) -> None:
    """A new name in a directory is on the disk only after this."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
