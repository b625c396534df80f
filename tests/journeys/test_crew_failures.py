"""What goes wrong with real CLIs: each ends as a named fact, and nothing hangs."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from crew_house import LONG_S, NOBODY, Crew, crew, part, writes

from repositories import git
from waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * LONG_S)]

both = pytest.mark.parametrize("client", ["claude", "codex"])


def parked(house: Crew, task: str) -> dict[str, Any]:
    """Its only run, which an outage stopped."""
    shown = house.until(task, lambda one: one["reason"] == "parked", what="the run is parked")
    (run,) = shown["runs"]
    assert (shown["status"], run["outcome"], run["exit_code"]) == ("ready", "parked", 1)
    told = f"outage of {house.client} until {run['parked_until'][:16].replace('T', ' ')} UTC"
    assert told in house.ok("task", "show", task)
    return dict(run)


@both
def test_a_service_that_answers_500_parks_the_run_and_a_retry_goes_on_with_its_conversation(
    client: str,
) -> None:
    parts = (
        part("Add a file", *writes("src/end.txt"), {"say": "After all."}, when="stopped by an outage"),
        part("Add a file", {"write": {"path": "src/begun.txt", "text": "half\n"}}, {"error": 500}),
    )
    with crew(client, *parts) as house:
        task = house.add("Add a file")
        run = parked(house, task)
        assert run["reason"].startswith("outage:")
        assert run["uncommitted"] == ["src/begun.txt"]
        house.ok("task", "retry", task)
        house.lands(task)
        last = house.run(task)
        assert (last["conversation"], last["message"]) == (run["conversation"], "After all.")
        again = next(one for one in house.requests("Add a file") if one["part"] == 1)
        assert "src/begun.txt" in json.dumps(again["body"])
        assert {"src/begun.txt", "src/end.txt"} <= house.files_on()


@both
def test_a_service_that_cannot_be_reached_parks_the_run(client: str) -> None:
    with crew(client, part("Add a file", {"say": "nobody hears it"}), url=NOBODY) as house:
        run = parked(house, house.add("Add a file"))
        assert "connection" in run["reason"].lower()
        assert house.requests() == []


@both
def test_a_cli_that_gets_sigterm_has_failed_and_what_its_tools_started_is_gone_before_that_is_said(
    client: str,
) -> None:
    hold = 'setsid sh -c \'echo $$ > "$HOME/new"; mv "$HOME/new" "$HOME/child"; exec sleep 600\' & sleep 600'
    with crew(client, part("Hold on", {"run": hold})) as house:
        task = house.add("Hold on")
        pid_file = Path(house.env["HOME"]) / "child"
        eventually(pid_file.exists, within_s=LONG_S, what="the tool's child")
        child = Path(f"/proc/{pid_file.read_text().strip()}")
        assert child.exists()
        folder = house.run_dir(house.run(task)["id"])
        os.kill(int(json.loads((folder / "started.json").read_text())["pid"]), signal.SIGTERM)
        eventually((folder / "exit.json").exists, within_s=120, what="the exit record")
        assert not child.exists()
        assert house.rest(task, limit_s=LONG_S) != 0
        assert house.task(task)["status"] == "failed"
        (run,) = house.task(task)["runs"]
        assert run["outcome"] == "failed"
        # Claude Code ends its children itself and exits; Codex dies and leaves them to us
        assert (run["exit_code"], run["signal"]) == ((143, None) if client == "claude" else (None, "SIGTERM"))
        assert [line for line in run["children_killed"] if "sleep 600" in line] or client == "claude"
        assert house.pids_of_runs() == []


def deny(house: Crew) -> str:
    """The user's own rules forbid what the agent wants to do; the tool's name."""
    if house.client == "claude":
        settings = {"permissions": {"deny": ["Bash(git commit *)"]}}
        (Path(house.env["HOME"]) / ".claude" / "settings.json").write_text(json.dumps(settings))
        return "Bash"
    rules = Path(house.env["HOME"]) / ".codex" / "rules" / "default.rules"
    rules.parent.mkdir()
    rules.write_text('prefix_rule(pattern=[["bash", "/bin/bash"], "-lc"], decision="forbidden")\n')
    return "exec_command"


@both
def test_tools_that_were_denied_are_named_although_the_cli_exits_with_zero(client: str) -> None:
    with crew(client, part("Add a file", *writes("a.txt"))) as house:
        tool = deny(house)
        task = house.add("Add a file")
        assert house.rest(task, limit_s=LONG_S) != 0
        shown = house.task(task)
        assert (shown["status"], shown["reason"]) == ("needs_review", "no_commit")
        assert f"denied: {tool}" in house.ok("task", "show", task)
        runs = house.evidence(task)["runs"]
        assert [(run["exit_code"], run["commits"], run["denied"]) for run in runs] == [(0, 0, [tool])] * 2
        assert "a.txt" not in house.files_on()


@both
def test_edits_outside_the_scope_wait_for_a_person(client: str) -> None:
    with crew(client, part("Wander", *writes("docs/a.txt")), worker=("--write", "src/**")) as house:
        task = house.add("Wander")
        assert house.rest(task, limit_s=LONG_S) != 0
        assert house.state(task) == "needs_review scope_violation"
        (run,) = house.evidence(task)["runs"]
        assert [one["path"] for one in run["violations"]] == ["docs/a.txt"]
        assert "docs/a.txt" not in house.files_on()


@both
def test_edits_of_the_main_checkout_are_shown_as_foreign_and_stay_where_they_are(client: str) -> None:
    reach = {"run": "echo stray > ../../stray.txt; echo more >> ../../README.md"}
    with crew(client, part("Reach out", reach, *writes("src/a.txt"))) as house:
        task = house.add("Reach out")
        house.lands(task)
        foreign = house.evidence(task)["runs"][0]["foreign"]
        assert {one["name"] for one in foreign if one["what"] == "checkout"} == {"README.md", "stray.txt"}
        assert git(house.repo, "status", "--short", "README.md", "stray.txt") == " M README.md\n?? stray.txt"
        assert house.text_on("README.md") == "hello"


MEET = """touch "$HOME/$TORYO_RUN.here"
for i in 1 2 3 4 5 6 7 8 9 0; do for j in 1 2 3 4 5 6 7 8 9 0; do
  ls "$HOME" | grep -c here$ | grep -qx 2 && break 2; sleep 0.2
done; done"""


@both
def test_two_workers_at_once_with_one_home_both_land(client: str) -> None:
    parts = [part(f"Part {name}", {"run": MEET}, *writes(f"src/{name}.txt")) for name in ("one", "two")]
    with crew(client, *parts, worker=("--slots", "2")) as house:
        tasks = [house.add(f"Part {name}") for name in ("one", "two")]
        house.lands(*tasks)
        one, two = (house.run(task) for task in tasks)
        assert max(one["started_at"], two["started_at"]) < min(one["ended_at"], two["ended_at"])
        assert one["conversation"] != two["conversation"]
        assert {"src/one.txt", "src/two.txt"} <= house.files_on()
