"""One concept, one door: SQL, `subprocess`, the environment, MCP, YAML and the logger have one each."""

from __future__ import annotations

import ast
import marshal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toryo.workbench.runs import compiled

PACKAGE = Path(__file__).parents[2] / "src" / "toryo"
SHIM = "workbench/runs/shim"
"""Copied into a run's directory and alone there, so it has its own doors."""

DOORS = {
    "subprocess": ("processes.py", SHIM),
    "sqlalchemy": ("store/",),
    "sqlite3": ("store/",),
    "psycopg": ("store/",),
    "structlog": ("daemon/",),
    "mcp": ("daemon/",),
    "mcp_types": ("daemon/",),
    "rich": ("fronts/demo/", "fronts/tui/"),
    "textual": ("fronts/tui/",),
    "fastapi": ("fronts/web/",),
    "starlette": ("fronts/web/",),
    "uvicorn": ("fronts/web/",),
    "websockets": ("fronts/web/",),
    "openai": ("planner/models/http.py",),
    "pydantic_ai": ("planner/models/http.py",),
    "yaml": ("yaml/", "workbench/contexts/skills.py"),
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text())


def imported(tree: ast.Module) -> set[str]:
    """Top-level names of everything imported, wherever in the module."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.partition(".")[0])
    return found


def reads_environment(tree: ast.Module) -> bool:
    names = {"environ", "environb", "getenv", "putenv", "unsetenv"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) == "os":
            return True
        if (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and names & {one.name for one in node.names}
        ):
            return True
    return False


@pytest.mark.parametrize("library", sorted(DOORS))
def test_a_library_is_imported_only_behind_its_door(library):
    doors = DOORS[library]
    assert [
        name for name, tree in modules() if library in imported(tree) and not name.startswith(doors)
    ] == []


def test_the_environment_is_read_in_one_place():
    doors = ("settings.py", SHIM)
    assert [name for name, tree in modules() if reads_environment(tree) and not name.startswith(doors)] == []


def test_the_wall_clock_is_read_in_one_place():
    """People set it while we run; fronts only show it, and the shim writes it down for people."""
    doors = ("clock.py", SHIM, "fronts/", "rehearsal/")
    assert [
        name
        for name, tree in modules()
        if "time.time" in {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        and not name.startswith(doors)
    ] == []


def test_the_shim_imports_nothing_of_ours_and_nothing_installed():
    for name in ("shim.py", "shim_parts.py", "spare.py"):
        tree = ast.parse((PACKAGE / "workbench/runs" / name).read_text())
        tree.body = [one for one in tree.body if "shim_parts" not in ast.unparse(one).partition("\n")[0]]
        assert imported(tree) - set(sys.stdlib_module_names) == set()


def test_the_compiled_shim_is_whole_in_one_file():
    code = marshal.loads(compiled.shim()[16:])
    assert not [name for name in code.co_names if name.startswith("toryo")]
    assert {"Run", "Tree", "encode", "start_time"} <= set(code.co_names)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import os\nos.environ['A']", True),
        ("from os import getenv", True),
        ("import os\nos.getcwd()", False),
        ("import psutil\npsutil.Process(7).environ()", False),
    ],
)
def test_reading_the_environment_is_recognised(code, found):
    assert reads_environment(ast.parse(code)) is found


def test_imports_inside_functions_are_recognised():
    assert imported(ast.parse("def f():\n    import subprocess\n    from sqlalchemy.orm import x")) == {
        "subprocess",
        "sqlalchemy",
    }
