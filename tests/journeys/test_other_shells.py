"""Agents work in the environment of a person's shell, which may be another one than started Toryo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from house import House

from waiting import eventually


def test_up_says_that_this_shell_is_another_and_refresh_takes_it_over_while_an_agent_runs(
    make_house: Callable[..., House],
) -> None:
    house = make_house(init=False)
    folders = house.env["PATH"].split(":")
    house.env["PATH"] = ":".join(one for one in folders if not Path(one, "claude").exists())
    house.ok("init", "--yes", "--base", "main")
    go = house.root / "go"
    house.agent(f'echo "$NEW_API_KEY" > {house.root}/seen; while [ ! -e {go} ]; do sleep 0.05; done; exit 1')
    task = house.add("Wait", "--agent", "worker")
    eventually(lambda: len(house.started()) == 1, what="the agent runs", within_s=30)
    assert house.toryo("up").stderr == ""

    mine = house.root / "mine"
    mine.mkdir()
    (mine / "claude").write_text("#!/bin/sh\nexit 1\n")
    (mine / "claude").chmod(0o755)
    house.env |= {"PATH": f"{mine}:{house.env['PATH']}", "NEW_API_KEY": "sk-new"}
    told = house.toryo("up").stderr
    assert f"PATH (only here: {mine})" in told
    assert "NEW_API_KEY (only here)" in told
    assert "toryo up --refresh" in told
    assert "sk-new" not in told
    added = house.ok("agent", "add", "cc", "--client", "claude")
    assert "note: claude is on your PATH, not on the coordinator's; type: toryo up --refresh" in added

    before = house.pids()
    house.ok("up", "--refresh")
    after = house.pids()
    assert (after[0], after[1] != before[1]) == (before[0], True)
    assert house.toryo("up").stderr == ""
    assert "PATH" not in house.ok("agent", "add", "c2", "--client", "claude")
    assert house.task(task)["status"] == "running"
    go.touch()
    house.rest(task)
    assert len(house.started()) == 1
    house.ok("task", "retry", task)
    house.rest(task)
    assert (house.root / "seen").read_text() == "sk-new\n"
