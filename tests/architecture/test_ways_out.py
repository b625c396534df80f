"""Every error that is raised anywhere has a hint: its own, or its kind's."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import toryo
from toryo.domain.errors import ToryoError

SOURCE = Path(toryo.__file__).parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
NEVER_SHOWN = {
    "OrderImpossible": "the drain's own: a wish for what is no more, tried again from the facts",
    "BadRunName": "a run's id is ours: this stops a bug before it touches the disk",
}
"""Kinds that no person and no agent is ever told of, and why."""


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def kinds_of_errors() -> dict[str, list[ast.ClassDef]]:
    """Every class that is a ToryoError, by name; two files may have one of the same name."""
    known: dict[str, list[ast.ClassDef]] = {ToryoError.__name__: []}
    classes = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while True:
        found = [
            one
            for one in classes
            if any(name_of(base) in known for base in one.bases) and one not in known.get(one.name, [])
        ]
        if not found:
            return known
        for one in found:
            known.setdefault(one.name, []).append(one)


KINDS = kinds_of_errors()


def has_a_way_out(kind: str) -> bool:
    """By itself, by what it does at its making, or by what it is made of."""
    made = KINDS[kind]
    if not made:
        return False
    for one in made:
        assigned = [line for line in one.body if isinstance(line, ast.Assign)]
        names = {name_of(target) for line in assigned for target in line.targets}
        names |= {line.name for line in one.body if isinstance(line, ast.FunctionDef)}
        bases = [name_of(base) for base in one.bases if name_of(base) in KINDS]
        if not names & {"way_out", "__init__"} and not any(map(has_a_way_out, bases)):
            return False
    return True


def made_without_a_hint() -> Iterator[str]:
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            kind = kind_made(node)
            if kind not in KINDS or kind in NEVER_SHOWN or is_foreign(tree, kind):
                continue
            hinted = isinstance(node, ast.Call) and any(one.arg == "hint" for one in node.keywords)
            if not hinted and not has_a_way_out(kind):
                yield f"{path.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)} {kind}"


def kind_made(node: ast.AST) -> str:
    """Of `Kind(…)`, or of `raise Kind`."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    return name_of(node.exc) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name) else ""


def is_foreign(tree: ast.Module, kind: str) -> bool:
    """A class of the same name in this file that is no ToryoError (the bridge imports nothing of ours)."""
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == kind]
    return any(node not in KINDS[kind] for node in defined)


def test_every_error_that_is_raised_says_what_to_do() -> None:
    assert list(made_without_a_hint()) == []


def test_the_list_of_exceptions_names_only_kinds_that_are_there() -> None:
    assert set(NEVER_SHOWN) <= set(KINDS)
    assert len(KINDS) > 25
