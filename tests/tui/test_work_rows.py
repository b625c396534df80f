"""Rows of the work: one order whatever happens, the worst child on a folded row, and what a filter leaves."""

from __future__ import annotations

from typing import Any

from toryo.fronts.tui.work.work_rows import Tree

PROJECTS = [{"id": "p1", "name": "front"}]
MISSIONS = [{"id": "n1", "seq": 1, "project": "p1", "title": "Limits", "status": "active"}]


def task(seq: int, status: str = "ready", mission: str | None = "n1") -> dict[str, Any]:
    bare = {"id": f"t{seq}", "seq": seq, "project": "p1", "title": f"Task {seq}", "agent": "dev"}
    return {**bare, "status": status, "mission": mission}


def tree(*tasks: dict[str, Any]) -> Tree:
    made = Tree()
    made.put(PROJECTS, MISSIONS, tasks)
    return made


def keys(made: Tree, *waiting: str) -> list[str]:
    return [row.key for row in made.rows(waiting)]


def line(made: Tree, key: str) -> str:
    row = next(row for row in made.rows(()) if row.key == key)
    return "".join(text for text, _ in (*row.left, *row.right))


def test_the_order_is_that_of_making_whatever_the_statuses_are() -> None:
    made = tree(task(3, "running"), task(1, "done"), task(2, "failed", None))
    assert keys(made) == ["project:p1", "mission:n1", "task:t1", "task:t3", "task:t2"]
    made.put(PROJECTS, MISSIONS, [task(1, "failed"), task(2, "running", None), task(3, "done")])
    assert keys(made) == ["project:p1", "mission:n1", "task:t1", "task:t3", "task:t2"]


def test_a_folded_row_shows_its_worst_child() -> None:
    made = tree(task(1, "done"), task(2, "failed"), task(3, "running"))
    assert made.fold("task:t1") == "mission:n1", "a task folds what it stands below"
    assert keys(made) == ["project:p1", "mission:n1"]
    assert "worst: failed" in line(made, "mission:n1")
    assert "✘" in line(made, "mission:n1")
    made.unfold("task:t3")
    assert "task:t3" in keys(made)


def test_a_filter_leaves_what_it_finds_with_what_that_stands_below() -> None:
    made = tree(task(1), task(2), task(3, mission=None))
    made.filter = "task 2"
    assert keys(made) == ["project:p1", "mission:n1", "task:t2"]
    made.filter, made.only_waiting = "", True
    assert keys(made, "task:t3") == ["project:p1", "task:t3"]


def test_two_thousand_tasks_are_rows_in_a_moment() -> None:
    import time

    made = tree(*(task(seq) for seq in range(2000)))
    begun = time.process_time()
    assert len(made.rows(())) == 2002
    assert time.process_time() - begun < 0.5


def unit(seq: int, parent: str | None, status: str = "running") -> dict[str, Any]:
    return {**task(seq, status), "unit": f"U{seq}", "parent": parent}


def test_a_unit_stands_below_the_one_that_spawned_it_and_folded_shows_the_worst_of_its_tree() -> None:
    made = tree(unit(1, None), unit(2, "t1"), unit(3, "t2", "failed"), unit(4, "t1"))
    assert keys(made)[1:] == ["mission:n1", "task:t1", "task:t2", "task:t3", "task:t4"]
    made.fold("task:t1")
    assert keys(made) == ["project:p1", "mission:n1", "task:t1"]
    assert "worst: failed" in line(made, "task:t1")
