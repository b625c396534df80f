"""Finds a project's checks and set-up in the files of a checkout; `python_project` knows Python's many forms.

Nothing is run and nothing is written: the survey reports what was found and a person's settings overrule it.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toryo.protocol.kinds.repository import CheckFound, PackageFound
from toryo.workbench.gates import linters, packages, python_project

TESTS, LINT, BUILD = "tests_pass", "lint_passes", "build_succeeds"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_OWN_SETUP = re.compile(
    r"\bvenv\b|pip3? install|\buv (sync|run|pip)\b|poetry|\b(npm|pnpm|yarn) (ci|install)\b|\btox\b"
)


@dataclass(frozen=True)
class Detected:
    checks: tuple[CheckFound, ...] = ()
    setup: tuple[str, ...] = ()
    setup_inputs: tuple[str, ...] = ()
    offered: tuple[CheckFound, ...] = ()
    """Linters and type checkers that are configured: a person chooses them."""
    unreached: tuple[PackageFound, ...] = ()
    """Packages with tests that no chosen check runs."""


@dataclass(frozen=True)
class _Language:
    """What one language's files ask for; `fallback` is offered only where nobody found tests."""

    tests: str = ""
    setup: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    fallback: tuple[CheckFound, ...] = ()


def detect(root: Path) -> Detected:
    """The checks of all languages found at the root, and what a person may add to them."""
    chosen = _chosen(root)
    commands = tuple(one.command for one in chosen.checks)
    makefile = _makefile(root)
    targets = tuple(one for one in ("lint", "typecheck", "type-check") if _has_target(makefile, one))
    offered = linters.offered(root, node_tool=_installer(root)[1], make_targets=targets)
    return replace(
        chosen,
        offered=tuple(one for one in offered if one.command not in commands),
        unreached=()
        if _has_target(makefile, "test")
        else packages.unreached(root, commands, lambda folder: _tests_of(folder, _installer(root)[1])),
    )


def _tests_of(folder: Path, node_tool: str) -> str:
    """The test command of one package; what it needs installed is the root's matter, or a person's."""
    tests = [one.command for one in _chosen(folder).checks if one.type == TESTS]
    named = [_node_test(node_tool) if one == "npm test" else one for one in tests]
    return " && ".join(named)


def _chosen(root: Path) -> Detected:
    """A Makefile's own `test` target wins over what the languages' files ask for."""
    languages = [found for found in (_python(root), _node(root), _rust(root), _go(root)) if found is not None]
    makefile = _makefile(root)
    setup = tuple(command for found in languages for command in found.setup)
    inputs = tuple(pattern for found in languages for pattern in found.inputs)
    if _has_target(makefile, "test"):
        check = CheckFound(type=TESTS, command="make test")
        # such a Makefile installs what it needs; installing beside it could only fail in another way
        return Detected((check,)) if _OWN_SETUP.search(makefile) else Detected((check,), setup, inputs)
    tests = tuple(CheckFound(type=TESTS, command=found.tests) for found in languages if found.tests)
    if tests:
        return Detected(tests, setup, inputs)
    # a linter that is red on the base would stop every task: it is offered only where there is no test at all
    rest = [check for found in languages for check in found.fallback]
    rest += [
        CheckFound(type=kind, command=f"make {target}")
        for kind, target in ((BUILD, "build"), (LINT, "lint"))
        if _has_target(makefile, target)
    ]
    return Detected(tuple(rest), setup, inputs) if rest else Detected()


def _python(root: Path) -> _Language | None:
    found = python_project.look(root)
    return None if found is None else _Language(found.tests, found.setup, found.inputs)


_INSTALLERS = (
    # lock file, installer, install command
    ("pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn", "yarn install --frozen-lockfile"),
    ("bun.lock", "bun", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun", "bun install --frozen-lockfile"),
    ("package-lock.json", "npm", "npm ci"),
    ("npm-shrinkwrap.json", "npm", "npm ci"),
)


def _node(root: Path) -> _Language | None:
    package = _json(root / "package.json")
    if package is None:
        return None
    lock, tool, install = _installer(root)
    if tool == "yarn" and (root / ".yarnrc.yml").is_file():
        install = "yarn install --immutable"  # the flag's name since yarn 2
    needs = ("dependencies", "devDependencies", "optionalDependencies", "workspaces")
    setup = (install,) if lock or any(package.get(name) for name in needs) else ()
    inputs = ("package.json", *((lock,) if lock else ())) if setup else ()
    scripts = package.get("scripts")
    scripts = scripts if isinstance(scripts, dict) else {}
    test = str(scripts.get("test") or "").strip()
    real = bool(test) and "no test specified" not in test
    fallback = tuple(
        CheckFound(type=kind, command=f"{tool} run {script}")
        for kind, script in ((BUILD, "build"), (LINT, "lint"))
        if scripts.get(script)
    )
    if not real and not fallback:
        return None
    return _Language(_node_test(tool) if real else "", setup, inputs, fallback)


def _installer(root: Path) -> tuple[str, str, str]:
    return next((row for row in _INSTALLERS if (root / row[0]).is_file()), ("", "npm", "npm install"))


def _node_test(tool: str) -> str:
    # `bun test` is bun's own runner, not the script
    return "bun run test" if tool == "bun" else f"{tool} test"


def _rust(root: Path) -> _Language | None:
    if not (root / "Cargo.toml").is_file():
        return None
    lock = ("Cargo.lock",) if (root / "Cargo.lock").is_file() else ()
    # without --workspace, a package at the root is tested alone
    tests = "cargo test --workspace" if _is_workspace(root / "Cargo.toml") else "cargo test"
    return _Language(tests, ("cargo fetch",), ("Cargo.toml", *lock))


def _is_workspace(manifest: Path) -> bool:
    try:
        return "workspace" in tomllib.loads(manifest.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return False


def _go(root: Path) -> _Language | None:
    if not (root / "go.mod").is_file():
        return None
    sums = ("go.sum",) if (root / "go.sum").is_file() else ()
    return _Language("go test ./...", ("go mod download",), ("go.mod", *sums))


def _makefile(root: Path) -> str:
    for name in _MAKEFILES:
        if (root / name).is_file():
            return (root / name).read_text(errors="replace")
    return ""


def _has_target(makefile: str, target: str) -> bool:
    """`test:`, `test check:` or `test::`; neither `test := value` nor `.PHONY: test`."""
    line = rf"^(?:[\w./-]+[ \t]+)*{target}(?:[ \t]+[\w./-]+)*[ \t]*::?(?!=)"
    return re.search(line, makefile, re.MULTILINE) is not None


def _json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
