"""Units in the map of tasks and by their ids in the log, of real trees in two projects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from page_client import PageClient

from journeys.house import House
from repositories import make_repository

SPLITS = """
cd "$TARGET_REPO"
echo "said by $UNIT_ID in $(basename "$(dirname "$(dirname "$PWD")")")"
case "$UNIT_ID $TORYO_PURPOSE" in
"root decompose")
    printf 'tasks:\\n  - {id: part, description: The part.}\\n' > task-breakdown.yml
    toryo spawn --from-breakdown ;;
root-part*) echo part > part.txt; git add part.txt; git commit -qm part ;;
esac
"""


def a_tree(house: House, repo: Path) -> dict[str, Any]:
    """Landed whole; its units by their ids."""
    (repo / "requirements.yml").write_text("goal: one part\n")
    begun = house.toryo("spawn", "--yes", "--agent", "splits", "--onto", "main", cwd=repo)
    assert begun.returncode == 0, begun.stderr
    done = house.toryo("task", "wait", "root", "--timeout", "90", cwd=repo, limit_s=120)
    assert done.returncode == 0, house.story()
    return {one["unit"]: one for one in tree_of(house, repo)["units"]}


def tree_of(house: House, repo: Path) -> Any:
    return json.loads(house.toryo("unit", "tree", "--json", cwd=repo).stdout)


@pytest.fixture(scope="module")
def trees(house: House) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the house's own project, and of a newer one."""
    house.agent(SPLITS, "splits")
    first = a_tree(house, house.repo)
    other = make_repository(house.root / "other", {"README.md": "hello\n"})
    for argv in (("init", "--yes", "--base", "main"), ("agent", "assign", "splits")):
        assert house.toryo(*argv, cwd=other).returncode == 0
    return first, a_tree(house, other)


def test_the_map_of_tasks_has_each_unit_with_its_place_and_its_children(
    trees: tuple[dict[str, Any], dict[str, Any]], page: PageClient
) -> None:
    found = page.get("/api/tasks")
    for tree in trees:
        root, part = tree["root"]["id"], tree["root-part"]["id"]
        assert (found[root]["unit"], found[root]["children"]) == ("root", [part])
        assert (found[part]["unit"], found[part]["status"]) == ("root-part", "completed")


def test_the_log_of_a_unit_is_found_by_its_task_and_by_its_own_id(
    trees: tuple[dict[str, Any], dict[str, Any]], page: PageClient
) -> None:
    first, newer = trees
    by_task = page.get(f"/api/logs/{first['root-part']['id']}")
    assert "said by root-part in repo" in by_task["content"]
    assert page.get("/api/logs/root-part") == page.get(f"/api/logs/{newer['root-part']['id']}")
    assert "said by root in other" in page.get("/api/logs/root")["content"], "of the newest tree"
    assert page.ask("GET", "/api/logs/root-nobody", page.bearer).status == 404


def test_of_trees_in_two_projects_the_named_one_is_meant(
    trees: tuple[dict[str, Any], dict[str, Any]], page: PageClient
) -> None:
    for name, tree in zip(("repo", "other"), trees, strict=True):
        assert page.get(f"/api/logs/root?project={name}")["task_id"] == tree["root"]["id"]
        assert page.get(f"/api/tasks?project={name}").keys() >= {one["id"] for one in tree.values()}
    assert page.ask("GET", "/api/logs/root?project=nowhere", page.bearer).status == 404
    task = trees[0]["root"]["id"]
    assert page.get(f"/api/logs/{task}?project=other")["task_id"] == task, "an id means one task alone"
