"""How a Python project's tests are run and what they need first, read from its files only.

The plain commands rely on the gate's environment, which puts a `.venv` made by set-up first on PATH.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTEST = "python3 -m pytest -q"
UNITTEST = "python3 -m unittest"
_SKIPPED = frozenset(
    {"node_modules", "venv", "build", "dist", "target", "vendor", "site-packages", "__pycache__"}
)
_MOST_FILES = 20_000
_MOST_READ = 200


@dataclass(frozen=True)
class PythonProject:
    tests: str
    setup: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


def look(root: Path) -> PythonProject | None:
    """None where there are no Python tests: pytest without a test exits 5, which would be a red base."""
    project = _toml(root / "pyproject.toml")
    files = list(_test_files(root, project))
    if not files:
        return None
    unittest = (
        "" if _configures_pytest(root, project) or not _only_unittest(files) else _unittest(root, files)
    )
    if (root / "uv.lock").is_file():
        return _with_uv(project, unittest)
    arguments, inputs, lists_pytest, groups = _wanted(root, project)
    if not arguments:
        return _without_install(root, unittest)
    if not unittest and not lists_pytest:
        arguments.append("pytest")
    steps = ["python3 -m venv .venv"]
    if groups:
        steps.append(".venv/bin/pip install -q 'pip>=25.1'")  # the first pip that knows --group
    steps.append(f".venv/bin/pip install -q {' '.join(arguments)}")
    return PythonProject(unittest or PYTEST, (" && ".join(steps),), inputs)


def _with_uv(project: dict[str, Any], unittest: str) -> PythonProject:
    extra = _extra_with_pytest(project)
    sync = f"uv sync --extra {extra}" if extra else "uv sync"
    run = f"uv run --extra {extra}" if extra else "uv run"
    return PythonProject(f"{run} {unittest or 'pytest'}", (sync,), ("pyproject.toml", "uv.lock"))


def _without_install(root: Path, unittest: str) -> PythonProject:
    if unittest:
        return PythonProject(unittest)
    # the machine's own pytest is enough for plain test files; it is fetched only where there is none
    setup = (
        "python3 -m pytest --version >/dev/null 2>&1 || "
        "{ python3 -m venv .venv && .venv/bin/pip install -q pytest; }"
    )
    inputs = ("pyproject.toml",) if (root / "pyproject.toml").is_file() else ()
    return PythonProject(PYTEST, (setup,), inputs)


def _wanted(root: Path, project: dict[str, Any]) -> tuple[list[str], tuple[str, ...], bool, bool]:
    """What pip is to install, the files that say so, whether pytest is among it, whether groups are used."""
    arguments: list[str] = []
    inputs: list[str] = []
    lists_pytest = groups = False
    requirements = sorted(path.name for path in root.glob("requirements*.txt") if path.is_file())
    if requirements:
        inputs.append("requirements*.txt")
        arguments += [f"-r {shlex.quote(name)}" for name in requirements]
        texts = [(root / name).read_text(errors="replace") for name in requirements]
        lists_pytest = any(_names_pytest(line) for text in texts for line in text.splitlines())
    if _is_installable(root, project):
        extra = _extra_with_pytest(project)
        arguments.append(f"-e '.[{extra}]'" if extra else "-e .")
        lists_pytest = lists_pytest or bool(extra) or any(map(_names_pytest, _dependencies(project)))
        inputs += [
            n for n in ("pyproject.toml", "setup.cfg", "setup.py", "poetry.lock") if (root / n).is_file()
        ]
    group = _group_with_pytest(project)
    if group and not lists_pytest:
        arguments.append(f"--group {shlex.quote(group)}")
        inputs += [] if "pyproject.toml" in inputs else ["pyproject.toml"]
        lists_pytest = groups = True
    return arguments, tuple(inputs), lists_pytest, groups


def _is_installable(root: Path, project: dict[str, Any]) -> bool:
    """A pyproject that only configures tools, or names nothing to install or build, needs no install."""
    if (root / "setup.py").is_file() or "build-system" in project or "poetry" in project.get("tool", {}):
        return True
    if _dependencies(project) or _table(_table(project, "project"), "optional-dependencies"):
        return True
    config = _ini(root / "setup.cfg")
    return config.has_section("metadata") and config.has_option("metadata", "name")


def _configures_pytest(root: Path, project: dict[str, Any]) -> bool:
    if "pytest" in _table(project, "tool") or (root / "pytest.ini").is_file():
        return True
    return _ini(root / "setup.cfg").has_section("tool:pytest") or _ini(root / "tox.ini").has_section("pytest")


def _test_files(root: Path, project: dict[str, Any]) -> Iterator[Path]:
    configured = _configures_pytest(root, project)
    seen = 0
    for folder, names, files in os.walk(root):
        here = Path(folder)
        names[:] = sorted(
            n
            for n in names
            if not n.startswith(".") and n not in _SKIPPED and not (here / n / "pyvenv.cfg").exists()
        )
        seen += len(files)
        if seen > _MOST_FILES:
            return
        in_tests = configured and here != root and here.name in ("tests", "test")
        for name in sorted(files):
            named = re.fullmatch(r"test_.*\.py|.*_test\.py", name)
            own_name = in_tests and name.endswith(".py") and name not in ("__init__.py", "conftest.py")
            if named or own_name:
                yield here / name


def _only_unittest(files: list[Path]) -> bool:
    """Whether unittest alone finds every test: it sees neither bare functions nor `x_test.py`."""
    for path in files[:_MOST_READ]:
        text = path.read_text(errors="replace")
        if not re.search(r"^\s*(import|from) unittest\b", text, re.MULTILINE):
            return False
        if re.search(r"^(async )?def test|^\s*(import|from) pytest\b", text, re.MULTILINE):
            return False
        if not path.name.startswith("test"):
            return False
    return True


def _unittest(root: Path, files: list[Path]) -> str:
    """The unittest command that finds all of them; empty where one discovery cannot.

    Discovery enters packages only, so a folder without `__init__.py` must be its starting point."""
    starts = {_outermost_bare(root, path.parent) for path in files}
    if len(starts) > 1:
        return ""
    start = starts.pop()
    return UNITTEST if start == Path() else f"{UNITTEST} discover -s {shlex.quote(str(start))}"


def _outermost_bare(root: Path, folder: Path) -> Path:
    """Where discovery must start to reach `folder` through packages."""
    while folder != root and (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder.relative_to(root)


def _dependencies(project: dict[str, Any]) -> list[str]:
    listed = _table(project, "project").get("dependencies", [])
    return [str(one) for one in listed] if isinstance(listed, list) else []


def _extra_with_pytest(project: dict[str, Any]) -> str:
    return _naming_pytest(_table(_table(project, "project"), "optional-dependencies"))


def _group_with_pytest(project: dict[str, Any]) -> str:
    return _naming_pytest(_table(project, "dependency-groups"))


def _naming_pytest(lists: dict[str, Any]) -> str:
    for name, listed in lists.items():
        if isinstance(listed, list) and any(_names_pytest(str(one)) for one in listed):
            return name
    return ""


def _names_pytest(requirement: str) -> bool:
    return re.match(r"\s*pytest\s*($|[\[<>=!~;#@ ])", requirement) is not None


def _table(table: dict[str, Any], name: str) -> dict[str, Any]:
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def _ini(path: Path) -> configparser.ConfigParser:
    config = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(path.read_text())
    except (OSError, ValueError, configparser.Error):
        return configparser.ConfigParser()
    return config
