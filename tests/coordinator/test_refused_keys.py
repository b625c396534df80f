"""A key that the daemon does not know any more is replaced where the operator's key can be read."""

from __future__ import annotations

from pathlib import Path

from crew import Crew

from repositories import git
from waiting import eventually


def allow_asking(crew: Crew) -> Path:
    """The operator's key is readable; the file of the coordinator's own."""
    crew.home.operator_key.write_text("op_of_a_person\n")
    return crew.home.coordinator("main") / "key"


def test_a_key_that_is_refused_at_the_start_is_asked_for_again(crew: Crew) -> None:
    key = allow_asking(crew)
    crew.daemon.unknown_keys = {"coord_key"}
    crew.daemon.start()
    crew.start()
    eventually(lambda: crew.daemon.asked("heartbeat"))
    assert key.read_text().strip() == "coord_for_main"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(crew.daemon.asked("issue_coordinator_key")) == 1


def test_a_key_that_is_refused_later_costs_no_order(crew: Crew, repo: Path) -> None:
    allow_asking(crew)
    crew.daemon.start()
    loop = crew.start()
    eventually(lambda: crew.daemon.asked("heartbeat"))
    crew.daemon.unknown_keys = {"coord_key"}
    inputs = {"repo": str(repo), "target": "t", "old": "", "new": git(repo, "rev-parse", "HEAD")}
    crew.daemon.give(crew.order("o1", "accept", {**inputs, "evidence": "e1"}, project="p1"))
    assert eventually(lambda: crew.daemon.about("accepted", "o1"))[0]["moved"] is True
    eventually(lambda: any(one["incarnation"] == 2 for one in crew.daemon.asked("next_orders")))
    assert not loop.lifecycle.superseded


def test_a_key_that_another_process_of_the_name_was_given_is_used(crew: Crew) -> None:
    key = allow_asking(crew)
    crew.daemon.unknown_keys = {"coord_key"}
    key.parent.mkdir(parents=True)
    key.write_text("coord_of_the_other\n")
    crew.daemon.start()
    crew.start()
    eventually(lambda: crew.daemon.asked("heartbeat"))
    assert not crew.daemon.asked("issue_coordinator_key")


def test_a_new_key_is_asked_for_at_most_once_a_minute(crew: Crew) -> None:
    allow_asking(crew)
    crew.daemon.unknown_keys = {"coord_key", "coord_for_main"}
    crew.daemon.start()
    crew.start(interval=0.05)
    eventually(lambda: crew.daemon.asked("issue_coordinator_key"))
    asked = len(crew.daemon.asked("register_coordinator"))
    eventually(lambda: len(crew.daemon.asked("register_coordinator")) > asked + 3)
    assert len(crew.daemon.asked("issue_coordinator_key")) == 1


def test_a_refusal_that_is_not_about_the_key_asks_for_no_other(crew: Crew) -> None:
    allow_asking(crew)
    crew.daemon.refuse["list_active_projects_with_agents"] = "not now"
    crew.daemon.start()
    crew.start(interval=0.05)
    eventually(lambda: len(crew.daemon.asked("list_active_projects_with_agents")) > 2)
    assert not crew.daemon.asked("issue_coordinator_key")
    assert len(crew.daemon.asked("register_coordinator")) == 1
