"""A person's branch through the real processes: merged by the gate, deleted, opened, and had back."""

from __future__ import annotations

from collections.abc import Callable

from house import House

from repositories import commit_files, git

MakeHouse = Callable[..., House]
CHECKED = {
    ".toryo/config.yaml": "base: main\ndod:\n  checks:\n    - {type: test, command: '! test -e broken.txt'}\n"
}


def with_branch(house: House, name: str, files: dict[str, str]) -> str:
    """Its newest commit."""
    here = git(house.repo, "branch", "--show-current")
    git(house.repo, "switch", "-q", "-c", name, "main")
    at = commit_files(house.repo, files, f"work on {name}")
    git(house.repo, "switch", "-q", here)
    return at


def test_a_branch_is_merged_through_the_gate_and_then_deleted(make_house: MakeHouse) -> None:
    house = make_house(CHECKED)
    house.agent("exit 3")
    with_branch(house, "feature/red", {"broken.txt": "no\n"})
    at = with_branch(house, "feature/x", {"x.txt": "x\n"})

    red = house.read("branch", "merge", "feature/red")["task"]
    assert house.rest(red) == 1
    assert house.state(red) == "failed checks_failed", house.story(red)
    assert "broken.txt" not in house.files_on()
    assert house.started() == [], "no agent began"

    merged = house.read("branch", "merge", "feature/x")
    assert house.rest(merged["task"]) == 0, house.story(merged["task"])
    assert house.text_on("x.txt") == "x"
    assert git(house.repo, "merge-base", "--is-ancestor", at, "main") == ""
    assert house.evidence(merged["task"])["verdict"] == "green"
    assert "has all of feature/x" in house.toryo("branch", "merge", "feature/x").stderr
    assert house.recomputed() == []

    told = house.read("branch", "delete", "feature/red", "--yes")
    assert told["unmerged"] == 1
    assert git(house.repo, "branch", "--list", "feature/*").split() == ["feature/x"]
    assert git(house.repo, "cat-file", "-t", told["kept"]) == "commit"
    assert house.recomputed() == []
