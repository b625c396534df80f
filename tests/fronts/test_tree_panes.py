"""The layout of a unit tree: root upper left, the bus below it, children at the right, as many as fit."""

from __future__ import annotations

import pytest

from toryo.fronts.text.tree_panes import LEAST_COLUMNS, LEAST_ROWS, Box, arranged, checksum, tmux_layout


def test_root_stands_upper_left_the_bus_below_it_and_children_at_the_right() -> None:
    left, right = arranged(161, 41, ["a", "b"]).columns
    assert left == (Box("root", 0, 0, 80, 20), Box("bus", 0, 21, 80, 20))
    assert right == (Box("a", 81, 0, 80, 20), Box("b", 81, 21, 80, 20))


def test_without_children_the_left_side_has_the_whole_width() -> None:
    (column,) = arranged(100, 31, []).columns
    assert [(one.what, one.width) for one in column] == [("root", 100), ("bus", 100)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50), (300, 80), (41, 12)])
@pytest.mark.parametrize("number", [1, 3, 8, 40])
def test_panes_fill_the_window_overlap_nowhere_and_are_never_too_small(
    size: tuple[int, int], number: int
) -> None:
    width, height = size
    names = [f"u{one}" for one in range(number)]
    layout = arranged(width, height, names)
    cells: set[tuple[int, int]] = set()
    for box in layout.boxes:
        assert box.x + box.width <= width
        assert box.y + box.height <= height
        mine = {(x, y) for x in range(box.x, box.x + box.width) for y in range(box.y, box.y + box.height)}
        assert not mine & cells, box
        cells |= mine
    children = [box for box in layout.boxes if box.what not in ("root", "bus")]
    assert [box.what for box in children] == names[: len(children)], "the first ones, in their order"
    assert all(box.width >= LEAST_COLUMNS and box.height >= LEAST_ROWS for box in children)
    room = ((width + 1) // (LEAST_COLUMNS + 1) - 1) * ((height + 1) // (LEAST_ROWS + 1))
    assert len(children) == min(number, max(0, room)), "as many as fit"
    for column in layout.columns:
        assert column[-1].y + column[-1].height == height


def test_tmux_gets_it_with_the_checksum_that_its_manual_shows() -> None:
    assert checksum("159x48,0,0{79x48,0,0,79x48,80,0}") == 0xBB62
    told = tmux_layout(arranged(159, 48, ["a"]), 159, 48)
    assert told.partition(",")[2] == "159x48,0,0{79x48,0,0[79x24,0,0,0,79x23,0,25,0],79x48,80,0,0}"
