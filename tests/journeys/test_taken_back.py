"""What a person takes off a branch with git stays off it, whatever was begun meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]
WORK = 'echo "$TORYO_RUN" > "f-$TORYO_RUN.txt" && git add -A && git commit -qm work'


@pytest.mark.slow
def test_a_commit_that_was_reset_away_does_not_come_back_and_its_task_says_so(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent(WORK)
    first = house.add("Thrown away")
    assert house.rest(first) == 0, house.story(first)
    removed = git(house.repo, "rev-parse", "main")
    git(house.repo, "reset", "-q", "--hard", "HEAD~1")
    here = git(house.repo, "rev-parse", "main")
    eventually(lambda: "no longer on main" in house.ok("task", "list"), within_s=30, what="the list says so")
    assert "no longer on main" in house.ok("task", "show", first)
    status = house.ok("status")
    assert "moved back by hand" in status  # although no task waits
    assert any(f" {first} " in line and "done, no longer on main" in line for line in status.splitlines())
    second = house.add("Go on")
    eventually(lambda: "target_rewound" in house.state(second), within_s=30, what="it asks")
    house.ok("task", "approve", second)
    assert house.rest(second) == 0, house.story(second)
    assert house.task(second)["base_commit"] == here
    landed = git(house.repo, "rev-list", "main").split()
    assert removed not in landed
    assert house.state(first) == "done removed"
    assert len([name for name in house.files_on() if name.startswith("f-")]) == 1
    assert house.recomputed() == []
    again = git(house.repo, "rev-parse", "main")
    git(house.repo, "reset", "-q", "--hard", here)  # the yes of before was about another tip
    eventually(
        lambda: "moved back by hand" in house.ok("status"), within_s=30, what="it is asked about again"
    )
    git(house.repo, "reset", "-q", "--hard", again)
    git(house.repo, "merge", "-q", "-m", "I want it after all", removed)
    eventually(lambda: house.state(first) == "done", within_s=30, what="it is on main again")
