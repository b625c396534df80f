"""Finds linters, formatters and type checkers by their configuration in a checkout.

They are offered to a person and never chosen: one that is red on the target would hold up every task.
"""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toryo.protocol.kinds.repository import CheckFound

LINT, TYPES = "lint_passes", "types_pass"
_TYPE_SCRIPTS = ("typecheck", "type-check", "check-types", "types")
_RUNNERS = {"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx"}
_ESLINT = ("eslint.config.*", ".eslintrc", ".eslintrc.*")
_PRETTIER = (".prettierrc", ".prettierrc.*", "prettier.config.*")


def offered(root: Path, *, node_tool: str, make_targets: tuple[str, ...]) -> tuple[CheckFound, ...]:
    """`node_tool` installs node's packages there; `make_targets` of the Makefile stand for their tools."""
    found = [
        *(CheckFound(type=TYPES if name != "lint" else LINT, command=f"make {name}") for name in make_targets)
    ]
    kinds = {one.type for one in found}
    rest = (*_python(root), *_node(root, node_tool), *_rust(root), *_go(root))
    return (*found, *(one for one in rest if one.type not in kinds))


def _python(root: Path) -> Iterator[CheckFound]:
    tools = _toml(root / "pyproject.toml").get("tool")
    tools = tools if isinstance(tools, dict) else {}
    run = "uv run " if (root / "uv.lock").is_file() else ""
    for kind, command in _python_tools(root, tools):
        yield CheckFound(type=kind, command=f"{run}{command}")


def _python_tools(root: Path, tools: dict[str, Any]) -> Iterator[tuple[str, str]]:
    own = next((one for one in ("ruff.toml", ".ruff.toml") if (root / one).is_file()), "")
    ruff = _toml(root / own) if own else tools.get("ruff")
    if isinstance(ruff, dict):
        yield LINT, "ruff check ."
        if "format" in ruff:
            yield LINT, "ruff format --check ."
    if "black" in tools:
        yield LINT, "black --check ."
    if (root / ".flake8").is_file() or _has_section(root, ("setup.cfg", "tox.ini"), "flake8"):
        yield LINT, "flake8"
    mypy = tools.get("mypy") if isinstance(tools.get("mypy"), dict) else None
    if mypy is None:
        mypy = _section(root, ("mypy.ini", ".mypy.ini", "setup.cfg"), "mypy")
    if mypy is not None:
        yield TYPES, "mypy" if {"files", "packages", "modules"} & set(mypy) else "mypy ."
    if "pyright" in tools or (root / "pyrightconfig.json").is_file():
        yield TYPES, "pyright"


def _node(root: Path, tool: str) -> Iterator[CheckFound]:
    package = _json(root / "package.json")
    if package is None:
        return
    scripts = package.get("scripts")
    scripts = scripts if isinstance(scripts, dict) else {}
    run = _RUNNERS[tool]
    if scripts.get("lint"):
        yield CheckFound(type=LINT, command=f"{tool} run lint")
    else:
        for is_there, command in (
            (_any(root, *_ESLINT) or "eslintConfig" in package, "eslint ."),
            (_any(root, "biome.json", "biome.jsonc"), "biome check ."),
            (_any(root, *_PRETTIER) or "prettier" in package, "prettier --check ."),
        ):
            if is_there:
                yield CheckFound(type=LINT, command=f"{run} {command}")
    own = next((one for one in _TYPE_SCRIPTS if scripts.get(one)), "")
    if own:
        yield CheckFound(type=TYPES, command=f"{tool} run {own}")
    elif (root / "tsconfig.json").is_file():
        yield CheckFound(type=TYPES, command=f"{run} tsc --noEmit")


def _rust(root: Path) -> Iterator[CheckFound]:
    if (root / "Cargo.toml").is_file():
        for command in ("cargo clippy --all-targets -- -D warnings", "cargo fmt --check"):
            yield CheckFound(type=LINT, command=command)


def _go(root: Path) -> Iterator[CheckFound]:
    if not (root / "go.mod").is_file():
        return
    yield CheckFound(type=LINT, command="go vet ./...")
    if _any(root, ".golangci.*"):
        yield CheckFound(type=LINT, command="golangci-lint run")


def _any(root: Path, *patterns: str) -> bool:
    return any(True for pattern in patterns for _ in root.glob(pattern))


def _has_section(root: Path, files: tuple[str, ...], name: str) -> bool:
    return _section(root, files, name) is not None


def _section(root: Path, files: tuple[str, ...], name: str) -> dict[str, str] | None:
    for file in files:
        config = configparser.RawConfigParser(strict=False)
        try:
            config.read_string((root / file).read_text(errors="replace"))
        except (OSError, configparser.Error):
            continue
        if config.has_section(name):
            return dict(config[name])
    return None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}


def _json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
