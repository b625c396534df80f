"""Finds packages of a monorepo with tests that the root's own checks do not run."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from toryo.protocol.kinds.repository import PackageFound

MANIFESTS = ("package.json", "Cargo.toml", "go.mod", "pyproject.toml")
_SKIPPED = frozenset({"node_modules", "venv", "build", "dist", "target", "vendor", "site-packages"})
_DEEPEST = 4
_MOST = 20
_MOST_FOLDERS = 5_000
_RECURSIVE = re.compile(
    r"--workspaces?\b|(^|\s)-(ws|r|w)\b|--recursive|--filter|\b(turbo|nx|lerna|wireit|foreach|moon)\b"
    r"|\b(jest|vitest)\b|\bnode --test\b"
)
"""Scripts that run the tests of packages below: workspace runners, and test runners that search them."""


def unreached(root: Path, tests: tuple[str, ...], look: Callable[[Path], str]) -> tuple[PackageFound, ...]:
    """`tests` are the commands chosen at the root; `look` finds the test command of one folder."""
    found = []
    for folder, manifests in _packages(root):
        if all(_reaches(root, folder, one, tests) for one in manifests):
            continue
        command = look(folder)
        if command:
            path = folder.relative_to(root).as_posix()
            found.append(PackageFound(path=path, command=f"cd {shlex.quote(path)} && {command}"))
        if len(found) == _MOST:
            break
    return tuple(found)


def _packages(root: Path) -> Iterator[tuple[Path, list[str]]]:
    seen = 0
    for folder, names, files in os.walk(root):
        here = Path(folder)
        seen += 1
        deep = len(here.relative_to(root).parts)
        if seen > _MOST_FOLDERS or deep == _DEEPEST:
            names.clear()
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in _SKIPPED)
        if here == root:
            continue
        if ".git" in files or (here / ".git").exists() or "pyvenv.cfg" in files:
            names.clear()  # another repository, or an installed environment
            continue
        manifests = [one for one in MANIFESTS if one in files]
        if manifests:
            yield here, manifests


def _reaches(root: Path, folder: Path, manifest: str, tests: tuple[str, ...]) -> bool:
    path = folder.relative_to(root).as_posix()
    match manifest:
        case "package.json":
            scripts = _json(root / "package.json").get("scripts")
            script = str(scripts.get("test") or "") if isinstance(scripts, dict) else ""
            return bool(_RECURSIVE.search(script)) or bool(re.search(rf"\b{re.escape(path)}\b", script))
        case "Cargo.toml":
            workspace = _toml(root / "Cargo.toml").get("workspace")
            if not isinstance(workspace, dict):
                return False
            members, excluded = (_strings(workspace.get(one)) for one in ("members", "exclude"))
            return any(fnmatch(path, one) for one in members) and path not in excluded
        case "pyproject.toml":
            return _pytest_reaches(root, path, tests)
        case _:
            return False  # `./...` ends where another Go module begins


def _pytest_reaches(root: Path, path: str, tests: tuple[str, ...]) -> bool:
    if not any("pytest" in one for one in tests):
        return False
    project = _toml(root / "pyproject.toml")
    for key in ("tool", "pytest", "ini_options"):
        inner = project.get(key)
        project = inner if isinstance(inner, dict) else {}
    paths = _strings(project.get("testpaths"))
    return not paths or any(
        one in (".", path) or one.startswith(f"{path}/") or path.startswith(f"{one.rstrip('/')}/")
        for one in paths
    )


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
