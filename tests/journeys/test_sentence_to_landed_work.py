"""From one sentence to landed work through the real processes; only the model follows a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from house import House

from rehearsal.model_process import ModelProcess, model_process
from rehearsal.real_clients import clean_environment
from toryo import processes
from toryo.rehearsal.environments import environment
from waiting import eventually

WORD = r"the word (?P<word>kumo\w+)"
QUESTION = {"id": "q1", "text": "Which language for {{word}}?", "options": ["en", "ja"], "default": "en"}
TASKS = [
    {"id": "T001", "title": "Write {{word}}", "description": "first {{word}}", "write": ["one.txt"]},
    {"id": "T002", "title": "Go on with {{word}}", "description": "then {{word}}", "depends_on": ["T001"]},
]
PLAN = {
    "spec": "# Feature Specification: {{word}}",
    "plan": "# Implementation Plan: one agent is enough",
    "tasks": [{**one, "checks": ["true"]} for one in TASKS],
}


def script(*before_the_plan: dict[str, Any]) -> dict[str, Any]:
    def part(purpose: str, *replies: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"purpose": purpose, "replies": list(replies), **more}

    return {
        "model": [
            part(
                "question",
                {"answer": {"title": "{{word}}", "size": "normal", "questions": [QUESTION]}},
                when=WORD,
            ),
            part("plan", *before_the_plan, {"answer": PLAN}, when=WORD),
            part("analyze", {"answer": {"findings": []}}),
        ]
    }


def prepared(house: House, model: ModelProcess) -> None:
    house.ok("init", "--yes")
    house.agent('grep -o "kumo[0-9a-z]*" "$1" | head -1 > "$TORYO_RUN.txt"; git add -A; git commit -qm work')
    house.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")


def landed(house: House, branch: str) -> str:
    return "".join(house.text_on(path, branch) for path in house.files_on(branch) if path.startswith("r"))


def purposes(model: ModelProcess) -> list[str]:
    return [one["purpose"] for one in model.requests()]


def test_the_word_of_the_sentence_is_in_the_request_the_tasks_and_what_landed(
    make_house: Callable[..., House], tmp_path: Path
) -> None:
    house = make_house(init=False)
    with model_process(tmp_path, script({"say": "Gladly."})) as model:
        prepared(house, model)
        done = house.toryo("do", "Greet with the word kumo42x, please", "--defaults", "--yes", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        requests = model.requests()
    answer = json.loads(done.stdout)
    assert answer["status"] == "completed"
    assert [one["title"] for one in answer["tasks"]] == ["Write kumo42x", "Go on with kumo42x"]
    assert [one["purpose"] for one in requests] == ["question", "plan", "plan", "analyze"]
    assert all("kumo42x" in json.dumps(one["body"]) for one in requests)
    assert "Answer: en" in json.dumps(requests[1]["body"])
    assert landed(house, "side").count("kumo42x") == 2


def test_an_outage_and_a_killed_planner_hold_it_up_and_each_answer_is_asked_for_once(
    make_house: Callable[..., House], tmp_path: Path
) -> None:
    house = make_house(init=False)
    trouble = {"error": 503, "times": 3}
    with model_process(tmp_path, script(trouble)) as model:
        prepared(house, model)
        house.ok("do", "Greet with the word kumo77, please", "--no-wait", "--json")
        mission = house.read("mission", "list")["missions"][0]["id"]
        eventually(lambda: _shown(house, mission)["questions"], within_s=60, what="its questions")
        house.ok("mission", "answer", mission, "--defaults")
        eventually(lambda: purposes(model).count("plan") >= 2, within_s=60, what="the outage")
        house.kill(_planner(house))
        house.ok("up")
        eventually(lambda: _shown(house, mission)["reason"] == "plan_ready", within_s=60, what="its plan")
        house.ok("mission", "approve", mission)
        assert house.toryo("mission", "wait", mission, limit_s=120).returncode == 0
        assert purposes(model).count("question") == 1
        answered = [one for one in model.requests() if one["purpose"] == "plan" and one["verb"] == "answer"]
        assert len(answered) == 1
    assert landed(house, "side").count("kumo77") == 2


@pytest.mark.xdist_group("agent-clis")
def test_the_real_claude_plans_without_a_key_of_an_endpoint(
    make_house: Callable[..., House], tmp_path: Path
) -> None:
    house = make_house(init=False)
    with model_process(tmp_path, script()) as model:
        house.env |= environment("claude", model.url, tmp_path / "client") | {
            "PATH": clean_environment()["PATH"]
        }
        prepared(house, model)
        house.ok("planner", "use", "claude")
        done = house.toryo("do", "Greet with the word kumo99, please", "--defaults", "--yes", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        asked = [one for one in model.requests() if one.get("purpose")]
    assert json.loads(done.stdout)["status"] == "completed"
    assert [(one["purpose"], one["dialect"]) for one in asked] == [
        (purpose, "anthropic") for purpose in ("question", "plan", "analyze")
    ]
    assert landed(house, "side").count("kumo99") == 2


def _shown(house: House, mission: str) -> Any:
    return house.read("mission", "show", mission)


def _planner(house: House) -> int:
    """The pid of its planner."""
    return next(
        pid
        for pid in map(int, (one.name for one in Path("/proc").iterdir() if one.name.isdigit()))
        if "planner run" in processes.command_line(pid) and str(house.home) in _environment(pid)
    )


def _environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""
