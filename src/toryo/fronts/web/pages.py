"""Built files of the page: read from the package at the start, so that no request names a path on a disk."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).parent / "static"
HASHED = "/assets/"
"""Files whose names carry a hash of what is in them."""


@dataclass(frozen=True)
class Page:
    body: bytes
    kind: str
    kept: str
    """The `cache-control` of it."""


def built(folder: Path = STATIC) -> dict[str, Page]:
    """By path of the address."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            path = f"/{file.relative_to(folder).as_posix()}"
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            if kind.startswith("text/") or kind.endswith("javascript"):
                kind += "; charset=utf-8"
            kept = "private, max-age=31536000, immutable" if path.startswith(HASHED) else "no-cache"
            found[path] = Page(file.read_bytes(), kind, kept)
    return found
