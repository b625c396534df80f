"""Fronts name views for the type checker only: no command loads them."""

from __future__ import annotations

import ast
from pathlib import Path

import toryo
from toryo.protocol import views

FRONTS = Path(toryo.__file__).parent / "fronts"
VIEWS = Path(views.__file__).parent


def loaded_views(source: str) -> list[str]:
    """What a module imports of the views when it runs, at its top or inside a function."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    return [name for name in named if name.startswith("toryo.protocol.views")]


def test_no_command_loads_a_view() -> None:
    """The page's process does: it makes its OpenAPI document of them."""
    light = [path for path in FRONTS.rglob("*.py") if not path.is_relative_to(FRONTS / "web")]
    assert {path: found for path in light if (found := loaded_views(path.read_text()))} == {}


def test_a_view_that_is_loaded_would_be_noticed() -> None:
    line = "from toryo.protocol.views.tasks import TaskLine"
    assert loaded_views(f"def f():\n    {line}") == ["toryo.protocol.views.tasks"]
    assert loaded_views(f"if TYPE_CHECKING:\n    {line}") == []


def test_views_import_nothing_but_types_and_words() -> None:
    for path in VIEWS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                allowed = ("__future__", "typing", "toryo.domain", "toryo.protocol.views")
                assert (node.module or "").startswith(allowed), path
            assert not isinstance(node, ast.Import), path
