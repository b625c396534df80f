"""A task lands on the branch that was named for it; a branch that is not there is refused."""

from __future__ import annotations

from collections.abc import Callable

from house import House

from repositories import git

WORK = 'echo "$TORYO_RUN" > new.txt; git add -A; git commit -qm work'


def test_a_task_starts_from_and_lands_on_the_named_branch(make_house: Callable[..., House]) -> None:
    house = make_house({"a.txt": "a\n"}, branch="main")
    house.agent(WORK)
    git(house.repo, "branch", "next")
    made = house.read("task", "add", "Change it", "--onto", "next")
    assert "it starts from next and lands there" in made["notes"]
    assert house.rest(made["id"]) == 0, house.story(made["id"])
    assert "new.txt" in house.files_on("next")
    assert "new.txt" not in house.files_on("main")
    refused = house.toryo("task", "add", "Change it", "--onto", "nowhere")
    assert refused.returncode == 1
    assert "nowhere" in refused.stderr
    assert len(house.read("task", "list")["tasks"]) == 1
