"""An agent's program that is not there is named before anything is made for its task."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]


@pytest.mark.slow
def test_a_program_that_is_not_there_costs_no_run_and_installing_it_is_enough(make_house: MakeHouse) -> None:
    """S3-104, for a program of the user's own."""
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    folder = house.root / "bin"
    folder.mkdir()
    house.env["PATH"] = f"{folder}:{house.env['PATH']}"
    house.ok("init", "--yes")
    house.ok("agent", "add", "ghost", "--client", "command", "--command", "no-such-prog {prompt_file}")
    task = house.add("Who does it", "--agent", "ghost")
    eventually(lambda: house.state(task) == "blocked no_program", what="the program is missed")
    shown = house.task(task)
    assert (shown["runs"], shown["worktree"]) == ([], "")
    assert git(house.repo, "branch", "--list", "agent/*") == ""
    assert "no-such-prog is not on PATH" in house.ok("status")
    program = folder / "no-such-prog"
    program.write_text("#!/bin/sh\necho new > b.txt && git add -A && git commit -qm work\n")
    program.chmod(0o755)
    assert house.rest(task) == 0, house.story(task)
    assert house.state(task) == "done"
