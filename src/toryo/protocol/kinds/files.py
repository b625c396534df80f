"""Orders about files of a repository that no agent makes: scan what is there, write what a mission lands."""

from __future__ import annotations

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem, Whole


class ScanInputs(Model):
    repo: str
    commit: str
    limit: Whole = 60_000
    """Bytes of the text at the most."""


class Scanned(Model):
    problem: Problem | None = None
    text: str = ""
    """Blob hash: conventions, tree, manifests, entry points, existing specs."""
    has_tests: bool = True
    tests: tuple[str, ...] = ()
    """The commands that run them."""
    paths: tuple[str, ...] = ()
    """Folders and files of the first levels, bounded; of a folder all or none. A plan's paths are compared
    with them."""


class WrittenFile(Model):
    path: str
    blob: str
    """Blob hash of its text; empty: the file goes."""


def path_fault(path: str) -> str:
    """Why no file may be written there; empty: it may."""
    parts = path.split("/")
    if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
        return "is no path below the root of a repository"
    if any(part.lower() == ".git" for part in parts) or parts[0] == ".toryo":
        return "is not for a mission's files"
    return ""


class WriteInputs(Model):
    repo: str
    base: str
    files: tuple[WrittenFile, ...]
    message: str
    date: str
    landing: str


class Written(Model):
    problem: Problem | None = None
    commit: str = ""
    tree: str = ""
    changed: bool = True
    """False: the base holds just these files already."""


KINDS = (
    Kind(OrderKind.SCAN, ScanInputs, {"scanned": Scanned}),
    Kind(OrderKind.WRITE, WriteInputs, {"written": Written}),
)
