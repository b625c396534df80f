"""The list of points is what the code has, each has its cases, and each kind of order passes its three."""

from __future__ import annotations

import ast
from pathlib import Path

from chaos import playing, points
from chaos.cases import CASES, SCENES
from chaos.place import Place
from chaos.victims import EVERYWHERE, VICTIMS

PACKAGE = Path(__file__).parents[2] / "src" / "toryo"


def names_in_the_code() -> set[str]:
    """Of every `step(…)`, and of the shim's own `self.crash(…)`."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text())
        imported = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
        steps = any(one.module == "toryo.steps" for one in imported)
        for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
            called = ast.unparse(call.func)
            if (steps and called == "step") or (file.name == "shim.py" and called == "self.crash"):
                found |= names_of(call.args[0], "shim." if called == "self.crash" else "")
    return found


def names_of(argument: ast.expr, before: str) -> set[str]:
    if isinstance(argument, ast.Constant):
        return {before + str(argument.value)}
    text = ast.unparse(argument)
    assert text.startswith("f'{order.kind}."), f"a step's name must be known beforehand: {text}"
    return {text[2:-1].replace("{order.kind}", kind) for kind in points.KINDS}


def test_the_list_of_points_is_what_the_code_has() -> None:
    assert set(points.POINTS) == names_in_the_code()
    assert len(points.POINTS) == len(set(points.POINTS))


def test_every_point_is_in_the_campaign_with_everybody_who_is_alive_everywhere() -> None:
    for victim in EVERYWHERE:
        assert {case.point for case in CASES if case.victim == victim} == set(points.POINTS)
    assert {case.victim for case in CASES} == set(VICTIMS)
    assert len({case.name for case in CASES}) == len(CASES)


def test_every_kind_of_order_passes_its_three_points_in_turn() -> None:
    seen: set[str] = set()
    place = Place()
    try:
        for state, act in dict.fromkeys((scene.state, scene.act) for scene in SCENES):
            playing.undisturbed(place, state, act)
            passed = place.passed()
            for kind in points.KINDS:
                mine = [passed.index(point) for point in points.of_order(kind) if point in passed]
                assert mine == sorted(mine), (kind, passed)
            seen |= set(passed)
    finally:
        place.close()
    assert seen == {*points.ORDERS, *points.FINER}
