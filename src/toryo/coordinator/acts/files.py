"""Acts about files that no agent makes: what a repository holds at a commit, what a mission lands."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from toryo.protocol.base import Problem
from toryo.protocol.kinds.files import ScanInputs, Scanned, WriteInputs, Written
from toryo.workbench.gates import detect
from toryo.workbench.git.door.git import GitFailed
from toryo.workbench.git.inspect import commit_files, scan
from toryo.workbench.git.landing import writes


def scanned(inputs: ScanInputs) -> tuple[Scanned, dict[str, str]]:
    """The fact, and the text that it names by its hash."""
    try:
        return _scanned(inputs)
    except FileNotFoundError as missing:
        return Scanned(problem=Problem(code="no_repository", message=str(missing))), {}
    except GitFailed as failed:  # it was only to read
        return Scanned(problem=Problem(code="git_failed", message=str(failed))), {}


def _scanned(inputs: ScanInputs) -> tuple[Scanned, dict[str, str]]:
    files = commit_files.at(inputs.repo, inputs.commit)
    if files is None:
        message = f"{inputs.commit} is not in the hub"
        return Scanned(problem=Problem(code="unknown_commit", message=message)), {}
    with tempfile.TemporaryDirectory(prefix="toryo-scan-") as folder:
        files.outline(Path(folder))
        found = detect.detect(Path(folder))
    tests = [one.command for one in found.checks if one.type == detect.TESTS]
    tests += [one.command for one in found.unreached]
    made = scan.scan(files, tests, inputs.limit)
    blob = hashlib.sha256(made.text.encode()).hexdigest()
    return Scanned(text=blob, has_tests=bool(tests), tests=tuple(tests), paths=made.paths), {blob: made.text}


def written(inputs: WriteInputs, bench_root: Path, words: Callable[[str], str]) -> Written:
    return writes.write(inputs, bench_root, words)
