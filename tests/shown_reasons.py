"""Every (status, reason) that a task can be shown with, read out of the reconciler's own decisions."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import toryo.reconciler
from toryo.domain.reasons import STOPS as STOPPED
from toryo.domain.reasons import Reason
from toryo.domain.words import TaskStatus
from toryo.reconciler.parking import WORDS

FOLDER = Path(toryo.reconciler.__file__).parent
STOPS = ("base_red", "base_could_not_run")
"""Of a base that is not green, besides all that stops a target."""

DYNAMIC: dict[str, tuple[str, ...]] = {
    "run.purpose": ("implement", "fix", "resolve", "revert", "decompose", "integrate"),
    "task.stopped": STOPPED,
    "run.problem.code": ("no_result", "api_error"),
    "limit.code": tuple(WORDS),
    "f'claimed_{run.claim}'": ("claimed_failed", "claimed_blocked"),
    "f'signal:{run.signal}'": ("signal:",),
    "f'exit:{run.exit_code}'": ("exit:",),
    "f'{DEPENDENCY_FAILED}:{dependency.id}'": ("dependency_failed:",),
    "f'base_{task.base}'": STOPS,
    "landing.ended": ("could_not_run", "flaky", "problem", "review"),
}
"""Reasons that are no constant where they are decided. One that ends with a colon has more behind it."""

PARTS = {"_review": TaskStatus.NEEDS_REVIEW, "_failed": TaskStatus.FAILED}
PASSED_ON = {"decide.py:reason", "dispatch.py:why", "retries.py:reason"}
"""Parameters of the helpers below; what they are called with is read."""


def shown() -> set[tuple[TaskStatus, str]]:
    return {pair for path in sorted(FOLDER.glob("*.py")) for pair in _of_module(path)}


def _of_module(path: Path) -> Iterator[tuple[TaskStatus, str]]:
    tree = ast.parse(path.read_text())
    module = importlib.import_module(f"toryo.reconciler.{path.stem}")
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from _of_function(function, module, path.name)


def _of_function(function: ast.FunctionDef, module: object, file: str) -> Iterator[tuple[TaskStatus, str]]:
    named = {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for status, reason in _decided(node):
                for word in _words(reason, module, named, file):
                    yield status, word
        # `case reason: return _ask(…)`: how a landing ended
        elif isinstance(node, ast.MatchAs) and node.name == "reason" and node.pattern is None:
            yield from ((TaskStatus.NEEDS_REVIEW, one) for one in DYNAMIC["landing.ended"])


def _decided(node: ast.Call) -> Iterator[tuple[TaskStatus, ast.expr]]:
    assert isinstance(node.func, ast.Name)
    match node.func.id, node.args:
        case ("TaskDecision", [ast.Attribute() as status, reason, *_]):
            yield TaskStatus[status.attr], reason
        case ("_end", [_, _, _, ast.Attribute() as status, reason]):
            yield TaskStatus[status.attr], reason
        case ("again", [_, _, _, reason, *_]):
            yield TaskStatus.READY, reason
        case (("_review" | "_failed") as kind, [reason, *_]):
            yield PARTS[kind], reason


def _words(node: ast.expr, module: object, named: dict[str, ast.expr], file: str) -> Iterator[str]:
    text = ast.unparse(node)
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _words(node.body, module, named, file)
        yield from _words(node.orelse, module, named, file)
    elif text in DYNAMIC:
        yield from DYNAMIC[text]
    elif isinstance(node, ast.Attribute) and text == "Outcome.UNKNOWN":
        yield "unknown"
    elif isinstance(node, ast.Attribute) and text.startswith("Reason."):
        yield Reason[node.attr].value
    elif isinstance(getattr(module, text, None), str):
        yield getattr(module, text)
    elif isinstance(node, ast.Name) and isinstance(named.get(text), ast.JoinedStr):
        yield from _words(named[text], module, named, file)
    else:
        assert f"{file}:{text}" in PASSED_ON, f"a reason that this helper does not know: {file}: {text}"
