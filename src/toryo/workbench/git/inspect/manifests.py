"""Manifests of packages, in brief: name, scripts, dependencies and entry points, as their files say."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

NAMES = (
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "composer.json",
    "Gemfile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "setup.py",
    "requirements.txt",
    "Makefile",
    "deno.json",
    "mix.exs",
    "pubspec.yaml",
)
MOST_NAMED = 60
"""Of scripts or dependencies of one manifest."""
_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]*)\s*:(?!=)", re.MULTILINE)
_GO_NEEDS = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w./~-]+)\s+v\S+(?!.*// indirect)", re.MULTILINE)


@dataclass(frozen=True)
class Manifest:
    name: str = ""
    about: str = ""
    scripts: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


def read(path: str, text: str) -> Manifest:
    """What it says; nothing at all where it cannot be parsed or is of a kind that is only named."""
    match PurePosixPath(path).name:
        case "package.json" | "deno.json" | "composer.json":
            return _node(_json(text))
        case "pyproject.toml":
            return _python(_toml(text))
        case "Cargo.toml":
            return _rust(_toml(text))
        case "go.mod":
            named = re.search(r"^module\s+(\S+)", text, re.MULTILINE)
            needs = dict.fromkeys(_GO_NEEDS.findall(text))
            return Manifest(named[1] if named else "", dependencies=tuple(needs))
        case "requirements.txt":
            lines = (line.partition("#")[0].strip() for line in text.splitlines())
            return Manifest(dependencies=tuple(line for line in lines if line and not line.startswith("-")))
        case "Makefile":
            targets = (one for one in _TARGET.findall(text) if not one.startswith("."))
            return Manifest(scripts=tuple(dict.fromkeys(targets)))
    return Manifest()


def shown(path: str, found: Manifest) -> str:
    lines = [f"{path}: {found.name}".rstrip(": ") + (f" ({found.about})" if found.about else "")]
    for word, listed in (
        ("scripts", found.scripts),
        ("entry points", found.entries),
        ("dependencies", found.dependencies),
    ):
        if listed:
            more = f", and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
            lines.append(f"  {word}: {', '.join(listed[:MOST_NAMED])}{more}")
    return "\n".join(lines)


def _node(body: Mapping[str, Any]) -> Manifest:
    scripts = _table(body, "scripts")
    needs = [*_table(body, "dependencies"), *_table(body, "devDependencies"), *_table(body, "require")]
    bins = body.get("bin")
    entries = list(bins.values()) if isinstance(bins, dict) else [bins]
    entries += [body.get("main"), body.get("module")]
    return Manifest(
        _word(body.get("name")),
        _word(body.get("description")),
        tuple(f"{name}=`{_word(line)}`" for name, line in scripts.items()),
        tuple(needs),
        _words(entries),
    )


def _python(body: Mapping[str, Any]) -> Manifest:
    project, poetry = _table(body, "project"), _table(body, "tool", "poetry")
    groups = [*_table(project, "optional-dependencies").values(), *_table(body, "dependency-groups").values()]
    listed = [project.get("dependencies"), *groups]
    needs = [one for some in listed if isinstance(some, list) for one in some]
    needs += list(_table(poetry, "dependencies"))
    scripts = {**_table(project, "scripts"), **_table(poetry, "scripts")}
    return Manifest(
        _word(project.get("name") or poetry.get("name")),
        _word(project.get("description") or poetry.get("description")),
        dependencies=_words(needs),
        entries=tuple(f"{name}={_word(target)}" for name, target in scripts.items()),
    )


def _rust(body: Mapping[str, Any]) -> Manifest:
    package, workspace = _table(body, "package"), _table(body, "workspace")
    members = workspace.get("members")
    bins = body.get("bin")
    named = (
        [one.get("path") or one.get("name") for one in bins if isinstance(one, dict)]
        if isinstance(bins, list)
        else []
    )
    return Manifest(
        _word(package.get("name")) or ("workspace" if workspace else ""),
        _word(package.get("description")),
        dependencies=(*_table(body, "dependencies"), *_table(body, "dev-dependencies")),
        entries=_words([*named, *(members if isinstance(members, list) else [])]),
    )


def _table(body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    found: Any = body
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _word(value: Any) -> str:
    return " ".join(value.split())[:200] if isinstance(value, str) else ""


def _words(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (_word(one) for one in values))))


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
