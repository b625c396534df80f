"""The loop: who may start is asked in order, and nothing that goes wrong ends it (S1-10, S1-35…37, S1-42)."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from crew import Crew, project, waiting_agent

from repositories import git, make_repository
from waiting import eventually


def asked_pairs(crew: Crew) -> list[tuple[str, str]]:
    return [(one["agent_id"], one["project_id"]) for one in crew.daemon.asked("should_start")]


def test_a_cycle_asks_for_health_then_the_list_then_every_pair(crew: Crew, tmp_path: Path) -> None:
    crew.daemon.projects = [project("p1", tmp_path, ["a", "b"]), project("p2", tmp_path, ["a"])]
    crew.daemon.start()
    crew.start(interval=30)
    eventually(lambda: len(asked_pairs(crew)) == 3)
    tools = [name for name, _ in crew.daemon.calls]
    ours = [name for name in tools if name not in ("next_orders", "heartbeat", "report_facts")]
    assert ours == [
        "register_coordinator",
        "health_check",
        "list_active_projects_with_agents",
        *["should_start"] * 3,
    ]
    assert asked_pairs(crew) == [("a", "p1"), ("b", "p1"), ("a", "p2")]
    assert crew.daemon.credentials == {"coord_key"}


def test_it_survives_a_daemon_that_is_away_and_goes_on_when_it_is_back(
    crew: Crew, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crew.daemon.projects = [project("p1", tmp_path, ["a"])]
    crew.start()
    eventually(lambda: "MCP server not available, retrying..." in caplog.messages)
    crew.daemon.start()
    eventually(lambda: asked_pairs(crew))
    crew.daemon.stop()
    caplog.clear()
    eventually(lambda: "MCP server not available, retrying..." in caplog.messages)
    before = len(crew.daemon.calls)
    crew.daemon.start()
    eventually(lambda: ("a", "p1") in [tuple(one.values())[:2] for name, one in crew.daemon.calls[before:]])
    assert len(crew.daemon.asked("register_coordinator")) == 1


def test_an_unhealthy_daemon_costs_the_cycle(
    crew: Crew, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crew.daemon.projects = [project("p1", tmp_path, ["a"])]
    crew.daemon.status = "sick"
    crew.daemon.start()
    crew.start()
    eventually(lambda: caplog.messages.count("MCP server unhealthy, skipping cycle") >= 2)
    assert not crew.daemon.asked("list_active_projects_with_agents")
    crew.daemon.status = "ok"
    eventually(lambda: asked_pairs(crew))


def test_a_refused_list_costs_the_cycle(crew: Crew, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    crew.daemon.projects = [project("p1", tmp_path, ["a"])]
    crew.daemon.refuse["list_active_projects_with_agents"] = "not now"
    crew.daemon.start()
    crew.start()
    eventually(lambda: "Failed to get project list: not now" in caplog.messages)
    del crew.daemon.refuse["list_active_projects_with_agents"]
    eventually(lambda: asked_pairs(crew))


def test_an_error_on_one_pair_does_not_stop_the_others(
    crew: Crew, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crew.daemon.projects = [project("p1", tmp_path, ["bad", "good"])]
    real = crew.daemon._should_start

    def moody(arguments: dict[str, str]) -> dict[str, object]:
        if arguments["agent_id"] == "bad":
            return {"success": False, "error": "no such thing"}
        return real(arguments)

    crew.daemon._should_start = moody  # type: ignore[method-assign]
    crew.daemon.start()
    crew.start(interval=30)
    eventually(lambda: ("good", "p1") in asked_pairs(crew))
    assert "Failed to check bad/p1: no such thing" in caplog.messages


def test_an_agent_outside_the_allow_list_is_skipped_with_a_debug_line(
    crew: Crew, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "toryo")
    crew.daemon.projects = [project("p1", tmp_path, ["stranger", "dev"])]
    crew.daemon.start()
    crew.start(interval=30, agents={"dev": {"passkey": "x"}})
    eventually(lambda: asked_pairs(crew) == [("dev", "p1")])
    assert "No passkey config for stranger, skipping" in caplog.messages


def test_a_project_of_another_machine_is_left_alone(crew: Crew, tmp_path: Path) -> None:
    crew.daemon.projects = [
        project("far", tmp_path, ["a"]) | {"machine": "another"},
        project("near", tmp_path, ["a"]),
    ]
    crew.daemon.start()
    crew.start(interval=30)
    eventually(lambda: asked_pairs(crew) == [("a", "near")])


def test_a_claim_whose_answer_is_lost_is_repeated_under_the_same_request(crew: Crew, tmp_path: Path) -> None:
    crew.daemon.projects = [project("p1", tmp_path, ["a"])]
    crew.daemon.work["a", "p1"] = 1
    crew.daemon.lose_answer["claim_run"] = 2
    crew.daemon.start()
    crew.start()
    eventually(lambda: len(crew.daemon.asked("claim_run")) == 3)
    assert len({one["request_id"] for one in crew.daemon.asked("claim_run")}) == 1
    crew.daemon.work["a", "p1"] = 1
    crew.daemon.look()
    eventually(lambda: len({one["request_id"] for one in crew.daemon.asked("claim_run")}) == 2)
    assert len(crew.daemon.requests) == 2


def test_max_concurrent_caps_our_live_runs_over_all_pairs(crew: Crew, repo: Path, tmp_path: Path) -> None:
    crew.daemon.projects = [project("p1", repo, ["a", "b", "c"]), project("p2", repo, ["a", "b"])]
    for agent, name in [("a", "p1"), ("b", "p1"), ("c", "p1"), ("a", "p2"), ("b", "p2")]:
        crew.daemon.work[agent, name] = 1
    trace = tmp_path / "trace"
    real = crew.daemon._claim_run

    def claim(arguments: dict[str, str]) -> dict[str, object]:
        body = real(arguments)
        run = body["run_id"]
        crew.daemon.give(crew.run_order(run, repo, waiting_agent(tmp_path / f"end-{run}", trace)))
        return body

    crew.daemon._claim_run = claim  # type: ignore[method-assign]
    crew.daemon.start()
    crew.start(max_concurrent=2)
    for done in range(4):
        eventually(lambda done=done: len(crew.daemon.about("started")) == 2 + done)
        heard = len(crew.daemon.asked("health_check"))
        eventually(lambda heard=heard: len(crew.daemon.asked("health_check")) > heard + 1)
        assert len(crew.daemon.requests) == 2 + done, "a third run was claimed beside two live ones"
        (tmp_path / f"end-r{done + 1:04d}").touch()
        eventually(lambda done=done: len(crew.daemon.about("exited")) == done + 1)
        crew.daemon.withdraw(f"or{done + 1:04d}")
        if len(crew.daemon.requests) == 5:
            break
    assert len(crew.daemon.requests) == 5


def test_the_heartbeat_names_the_live_runs(crew: Crew, repo: Path, tmp_path: Path) -> None:
    crew.daemon.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(tmp_path / "end", tmp_path / "trace")))
    crew.start()
    eventually(lambda: ["r1"] in crew.daemon.heartbeats)
    (tmp_path / "end").touch()
    eventually(lambda: crew.daemon.about("exited"))
    beats = len(crew.daemon.heartbeats)
    eventually(lambda: len(crew.daemon.heartbeats) > beats + 1)
    assert crew.daemon.heartbeats[-1] == []


def test_what_hinders_orders_is_told_when_it_comes_and_when_it_is_over(crew: Crew, tmp_path: Path) -> None:
    """Not at the next heartbeat, which may be ten seconds away."""
    repo = make_repository(tmp_path / "repo", {"a.txt": "one\n"})
    (repo / ".git" / "toryo").mkdir()
    (repo / ".git" / "toryo" / "project").write_text("p1\n")
    away = repo.rename(tmp_path / "elsewhere")
    accept = {"repo": str(repo), "target": "main", "old": "", "new": git(away, "rev-parse", "main")}
    crew.daemon.start()
    crew.start(interval=60)
    eventually(lambda: crew.daemon.asked("heartbeat"))
    crew.daemon.give(crew.order("o1", "accept", accept, project="p1"))
    eventually(lambda: "hindered" in crew.daemon.asked("heartbeat")[-1], within_s=8)
    away.rename(repo)
    eventually(lambda: "hindered" not in crew.daemon.asked("heartbeat")[-1], within_s=8)
