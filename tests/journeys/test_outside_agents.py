"""An agent that nobody started comes to the socket with its passkey, works in a real worktree and reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from house import House

from repositories import commit_files, make_repository
from toryo.protocol.wire import ToolFailed, call
from toryo.settings import Home

MakeHouse = Callable[..., House]


class Visitor:
    """The outside agent `visitor` in one project."""

    def __init__(self, house: House, project: str, passkey: str) -> None:
        self._socket = Home(house.home).socket_in_use()
        self._who = {"agent_id": "visitor", "project_id": project, "passkey": passkey}
        self.session = ""

    def come(self) -> dict[str, Any]:
        body = call(self._socket, "authenticate", self._who, "")
        self.session = body["session_token"]
        return body

    def call(self, tool: str, **arguments: str) -> dict[str, Any]:
        return call(self._socket, tool, {"session_token": self.session, **arguments}, "")


def test_an_outside_agent_works_in_two_projects_at_once_and_a_person_lands_it(make_house: MakeHouse) -> None:
    """S1-17, S1-21, S1-23, S1-25, S1-28, S1-34, S1-47."""
    house = make_house({"README.md": "hello\n", "Makefile": "test:\n\ttest -e work.txt -o ! -e .started\n"})
    passkey = house.read("agent", "add", "visitor", "--client", "outside")["passkey"]
    other = make_repository(house.root / "other")
    assert house.toryo("init", "--yes", cwd=other).returncode == 0
    projects = {one["path"]: one["id"] for one in house.read("status")["projects"]}
    mine = house.add("Visit here", "--agent", "visitor")
    theirs = house.add("Visit there", "--agent", "visitor", "--project", projects[str(other)])
    here = Visitor(house, projects[str(house.repo)], passkey)
    there = Visitor(house, projects[str(other)], passkey)
    assert "get_my_task" in here.come()["instruction"]
    assert there.come()["project_name"] == "other"
    given = here.call("get_my_task")["task"]
    assert (given["task_id"], given["title"]) == (mine, "Visit here")
    place = Path(given["working_directory"])
    assert place.parent == house.repo / ".worktrees"
    assert Path(there.call("get_my_task")["task"]["working_directory"]).parent == other / ".worktrees"
    assert house.state(mine) == house.state(theirs) == "running outside"
    commit_files(place, {"work.txt": "by a visitor\n"})
    (place / "draft.txt").write_text("left behind\n")
    assert "End now" in here.call("report_completed", result="success", summary="done")["instruction"]
    assert here.come()["success"], "the pair is free at once"
    assert here.call("get_my_task")["has_task"] is False
    here.call("report_completed", result="success")
    there.call("report_completed", result="blocked", summary="no idea")
    assert house.rest(mine, theirs) == 1, house.story(mine, theirs)
    assert house.state(mine) == "needs_review outside_run"
    assert house.state(theirs) == "needs_review claimed_blocked"
    (run,) = house.task(mine)["runs"]
    assert (run["client"], run["commits"], run["uncommitted"]) == ("outside", 1, ["draft.txt"])
    assert "work.txt" not in house.files_on("main")
    house.ok("task", "approve", mine)
    assert house.rest(mine) == 0, house.story(mine)
    assert house.text_on("work.txt") == "by a visitor"
    assert house.recomputed() == []


def test_a_person_ends_an_outside_session_and_the_task_may_be_taken_again(make_house: MakeHouse) -> None:
    """S1-48."""
    house = make_house()
    passkey = house.read("agent", "add", "visitor", "--client", "outside")["passkey"]
    task = house.add("Come and go")
    visitor = Visitor(house, house.read("status")["projects"][0]["id"], passkey)
    for verb in ("stop", "release"):
        visitor.come()
        place = Path(visitor.call("get_my_task")["task"]["working_directory"])
        (place / f"{verb}.txt").write_text("half done\n")
        run = house.task(task)["runs"][-1]["id"]
        house.ok("run", verb, run)
        with pytest.raises(ToolFailed, match="This session has ended"):
            visitor.call("get_my_task")
        assert visitor.call("report_completed", result="success", summary=verb)["late"] is True
        assert house.rest(task) == 1
        assert house.state(task) == "needs_review released"
        shown = house.task(task)["runs"][-1]
        assert (shown["id"], shown["uncommitted"]) == (run, [f"{verb}.txt"])
        assert [claim["late"] for claim in shown["claims"]] == [True]
        house.ok("task", "retry", task)
    assert visitor.come()["success"], "the pair is free"
    assert visitor.call("get_my_task")["task"]["task_id"] == task
    house.ok("task", "cancel", task)
