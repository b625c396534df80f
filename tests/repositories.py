"""Small real git repositories for tests."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(where: Path, *argv: str) -> str:
    """git as a user of that repository would run it."""
    done = subprocess.run(["git", *argv], cwd=where, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"git {' '.join(argv)}: {done.stderr or done.stdout}"
    return done.stdout.rstrip("\n")


def commit_files(where: Path, files: dict[str, str], message: str = "change") -> str:
    for name, text in files.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(where, "add", "-A", "-f")
    git(where, "commit", "-q", "-m", message)
    return git(where, "rev-parse", "HEAD")


def make_repository(where: Path, files: dict[str, str] | None = None, branch: str = "main") -> Path:
    where.mkdir(parents=True, exist_ok=True)
    git(where, "init", "-q", "-b", branch)
    git(where, "config", "user.name", "Some One")
    git(where, "config", "user.email", "some.one@localhost")
    commit_files(where, files or {"README.md": "hello\n"}, "first")
    return where
