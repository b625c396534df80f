"""What a run may reach: a connected one speaks for itself with its own token, a sealed one with nobody."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from house import House, opened_by

from repositories import make_repository
from toryo.settings import Home
from waiting import eventually

MakeHouse = Callable[..., House]
TORYO = f"{sys.executable} -P -m toryo"
SECRETS = re.compile(rb"\b(sess|op|coord|pass|run_r[a-z0-9]{8})_[A-Za-z0-9_\-]{24,}")


def asking(house: House, *lines: str) -> str:
    """Shell lines that try the command line inside a run and keep what it said, one file per project."""
    shell = [f"said={house.root}/said-$PROJECT_ID"]
    for number, line in enumerate(lines):
        shell.append(f'{TORYO} {line} > $said-{number} 2>&1; echo "exit $?" >> $said-{number}')
    return "\n".join(shell)


def said(house: House, project: str) -> list[str]:
    """What each of them printed, its exit code last."""
    return [path.read_text() for path in sorted(house.root.glob(f"said-{project}-*"))]


def environment(path: Path) -> dict[str, str]:
    pairs = (line.partition("=") for line in path.read_text().splitlines())
    return {name: value for name, _, value in pairs}


def seen_at(house: House) -> float:
    moment: Any = house.read("status")["coordinators"][0]["seen_at"]
    return datetime.fromisoformat(moment).timestamp()


def test_a_connected_run_that_starts_slowly_is_started_once_and_its_claims_are_shown(
    make_house: MakeHouse,
) -> None:
    """S1-03, S1-04, S1-17, S1-23, S1-25, S1-39, S1-41, S1-47, S1-50, S1-58."""
    house = make_house(init=False)
    (house.home / "coordinators" / "main" / "coordinator.yaml").write_text("polling_interval: 0.2\n")
    house.ok("init", "--yes", "--base", "main")
    go, env_file, pid = house.root / "go", house.root / "env", house.root / "pid"
    begin = f"echo $TORYO_RUN >> {house.starts}; env > {env_file}; echo $PPID > {pid}.new; mv {pid}.new {pid}"
    steps = [
        {"run": f"{begin}; while [ ! -e {go} ]; do sleep 0.05; done"},
        {"mcp": {"tool": "authenticate"}},
        {"mcp": {"tool": "get_my_task"}},
        {"mcp": {"tool": "report_progress", "arguments": {"summary": "half way"}}},
        {"run": asking(house, "task add More", "status", "down")},
        {"write": {"path": "work.txt", "text": "done\n"}},
        {"commit": "work"},
        {"claim": {"result": "success", "summary": "it works", "next_steps": "rest"}},
    ]
    script = house.root / "script.yaml"
    script.write_text(json.dumps(steps))
    added = ("agent", "add", "worker", "--client", "scripted", "--command", str(script))
    house.ok(*added, "--access", "connected")
    task = house.add("Take your time")
    eventually(pid.exists, within_s=30)
    first = seen_at(house)
    eventually(lambda: seen_at(house) - first > 5 * 0.2, within_s=30, what="five rounds of polling")
    (run,) = house.task(task)["runs"]
    assert house.started() == [run["id"]]
    home = Home(house.home)
    folder = home.coordinator("main") / "runs" / run["id"]
    credential = json.loads((folder / "credential.json").read_text())
    assert (folder / "credential.json").stat().st_mode & 0o777 == 0o600
    assert credential["socket"] == str(home.socket_in_use())
    env = environment(env_file)
    assert env["AGENT_PASSKEY"] == credential["token"]
    assert env["TORYO_RUN_FILE"] == str(folder / "credential.json")
    assert (env["AGENT_ID"], env["WORKING_DIRECTORY"]) == ("worker", run["worktree"])
    assert "TORYO_HOME" not in env
    assert credential["token"].encode() not in Path(f"/proc/{pid.read_text().strip()}/cmdline").read_bytes()
    assert not [name for name in opened_by(house.pids()[1]) if "toryo.db" in name], (
        "only the daemon opens the database"
    )
    go.touch()
    assert house.rest(task) == 0, house.story(task) + house.ok("log", task)
    assert house.started() == [run["id"]]
    claims = [(one["kind"], one["result"], one["summary"]) for one in house.task(task)["claims"]]
    assert claims == [("progress", "", "half way"), ("completed", "success", "it works")]
    printed = house.ok("log", task)
    assert f'"task_id": "{task}"' in printed
    assert run["worktree"] in printed
    prompt = (folder / "prompt.md").read_text()
    steps_told = ("authenticate", "system_prompt", "get_my_task", "working directory", "report_completed")
    assert all(word in prompt for word in steps_told)
    adding, status, down = said(house, env["PROJECT_ID"])
    assert "only a person may do that" in adding
    assert "get_status needs the operator key" in status
    assert "only a person may do that" in down
    assert all(text.endswith("exit 1\n") for text in (adding, status, down))
    assert [one["title"] for one in house.read("task", "list")["tasks"]] == ["Take your time"]
    eventually(lambda: not (folder / "credential.json").exists(), what="the run's own secrets are gone")
    kept = secrets_in(house.home) | secrets_in(house.repo)
    assert {path.name for path in kept} == {"operator.key", "key"}
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}


def secrets_in(folder: Path) -> set[Path]:
    """Files that hold a key or a token in the clear: none of them a log, a database or a prompt."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path for path in files if SECRETS.search(path.read_bytes())}


def test_one_agent_runs_sealed_in_two_projects_at_once_and_cannot_act_as_a_person(
    make_house: MakeHouse,
) -> None:
    """S1-05, and Credentials: no passkey, no run file, no home; operator verbs are refused in words."""
    house = make_house()
    other = make_repository(house.root / "other")
    (house.root / "barrier").mkdir()
    house.agent(
        f"cd {house.root}; env > env-$PROJECT_ID; echo $OLDPWD > cwd-$PROJECT_ID\n"
        "touch barrier/$PROJECT_ID; n=0\n"
        "while [ $(ls barrier | wc -l) -lt 2 ]; do n=$((n+1)); [ $n -gt 600 ] && exit 7; sleep 0.05; done\n"
        "cd $OLDPWD\n"
        f"{asking(house, 'task add More', 'status', 'up', 'daemon')}\n"
        "echo x > x.txt; git add -A; git commit -qm work"
    )
    assert house.toryo("init", "--yes", cwd=other).returncode == 0
    projects = {one["path"]: one["id"] for one in house.read("status")["projects"]}
    before = house.pids()
    tasks = [house.add("Both", "--project", one) for one in projects.values()]
    assert house.rest(*tasks) == 0, house.story(*tasks)
    for path, project in projects.items():
        env = environment(house.root / f"env-{project}")
        assert not {"AGENT_PASSKEY", "TORYO_RUN_FILE", "TORYO_HOME"} & set(env)
        place = Path((house.root / f"cwd-{project}").read_text().strip())
        assert place.parent == Path(path) / ".worktrees"
        assert env["WORKING_DIRECTORY"] == str(place)
        answers = said(house, project)
        verdicts = ["only a person may do that", "is sealed", *["only a person may do that"] * 2]
        assert [word in text for word, text in zip(verdicts, answers, strict=True)] == [True] * 4
        assert all(text.endswith("exit 1\n") for text in answers)
    assert house.pids() == before
    assert not (house.root / "user" / ".local").exists(), "no second installation was begun"
    assert [one["title"] for one in house.read("task", "list")["tasks"]] == ["Both"]
