"""The planner as a process: its key, its journal, its back-off, and who asks after a kill."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from planner.planner_process import Mind
from planner.scripted_cli import claude_lines, scripted_cli
from planner.test_planner_answers import ANSWERS
from rehearsal.model_process import ModelProcess, model_process
from toryo.protocol.kinds.planner import KINDS
from waiting import eventually

KEY = "sk-the-KEY-0123456789abcdef"
SCRIPT = {"model": [{"purpose": one, "replies": [{"answer": ANSWERS[one]}]} for one in ANSWERS]}


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    made = Mind(tmp_path)
    made.daemon.start()
    yield made
    made.close()


def env(model: ModelProcess) -> dict[str, str]:
    return {
        "TORYO_PLANNER_BASE_URL": f"{model.url}/v1",
        "TORYO_PLANNER_MODEL": "tea-1",
        "TORYO_PLANNER_API_KEY": KEY,
    }


def purposes(model: ModelProcess) -> list[str]:
    return [one["purpose"] for one in model.requests()]


def test_it_registers_with_a_key_of_its_own_kind_and_answers_every_kind_of_order(mind, tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        process = mind.start(**env(model))
        for kind in KINDS:
            mind.order(kind.kind, f"o-{kind.kind}")
        for kind in KINDS:
            (fact,) = kind.ends_by
            body = mind.told(fact, f"o-{kind.kind}")
            assert body["problem"] is None
            assert (body["via"], body["model"], body["usage"]["calls"]) == ("http", "tea-1", 1)
            answer = json.loads(mind.answer(fact, f"o-{kind.kind}"))
            assert set(ANSWERS[kind.kind]) <= set(answer)
        assert sorted(purposes(model)) == sorted(str(kind.kind) for kind in KINDS)
        assert mind.leave(process) == 0
    assert mind.daemon.credentials >= {"plnr_for_main"}
    assert (mind.home.planner("main") / "key").read_text().strip() == "plnr_for_main"
    assert not list((mind.home.planner("main") / "replies").iterdir())


def test_a_repeated_order_is_answered_from_its_journal(mind, tmp_path):
    mind.daemon.acknowledges = False
    with model_process(tmp_path, SCRIPT) as model:
        first = mind.start(**env(model))
        mind.order("plan")
        eventually(lambda: mind.daemon.asked("report_facts"), within_s=30, what="a report")
        mind.leave(first, signal.SIGKILL)
        mind.daemon.acknowledges = True
        mind.start(**env(model))
        mind.told("planned")
        assert purposes(model) == ["plan"]


@pytest.mark.parametrize("step", ["plan.before", "plan.after", "plan.reported"])
def test_killed_at_any_step_it_asks_once(mind, tmp_path, step):
    with model_process(tmp_path, SCRIPT) as model:
        mind.crash.write_text(step)
        first = mind.start(**env(model))
        mind.order("plan")
        assert first.wait(40) == -signal.SIGKILL
        mind.crash.write_text("")
        mind.start(**env(model))
        assert json.loads(mind.answer("planned"))["spec"] == ANSWERS["plan"]["spec"]
        assert purposes(model) == ["plan"]


def test_an_outage_is_told_once_and_waited_for(mind, tmp_path):
    replies = [{"error": 500, "times": 3}, {"answer": ANSWERS["judge"]}]
    with model_process(tmp_path, {"model": [{"purpose": "judge", "replies": replies}]}) as model:
        mind.start(**env(model))
        mind.order("judge")
        assert mind.told("judged")["problem"] is None
        assert len(purposes(model)) == 4
    waiting = mind.daemon.about("model_waiting")
    assert [one["why"] for one in waiting] == ["outage"]
    assert "HTTP 500" in waiting[0]["message"]
    log = (mind.home.logs / "planner-main.jsonl").read_text()
    assert [json.loads(line).get("after_s") for line in log.splitlines() if "asked again later" in line] == [
        1,
        2,
        4,
    ]


def test_a_limit_is_told_with_its_end_and_a_withdrawn_order_is_asked_no_more(mind, tmp_path):
    script = {"model": [{"purpose": "judge", "replies": [{"limit": {"after_s": 3600}}]}]}
    with model_process(tmp_path, script) as model:
        mind.start(**env(model))
        mind.order("judge")
        waiting = mind.told("model_waiting")
        assert waiting["why"] == "usage_limit"
        assert waiting["until"].startswith("20")
        mind.daemon.withdraw("o1")
        assert len(purposes(model)) == 1


def test_a_malformed_answer_is_told_with_its_text(mind, tmp_path):
    script = {"model": [{"purpose": "judge", "replies": [{"say": "No idea."}] * 3}]}
    with model_process(tmp_path, script) as model:
        mind.start(**env(model))
        mind.order("judge")
        body = mind.told("judged")
    assert (body["problem"]["code"], body["repaired"], body["answer"]) == ("malformed", 2, "")
    assert mind.daemon.blobs[body["text"]] == "No idea."


def test_without_settings_it_waits_and_settings_are_in_force_at_once(mind, tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        mind.start()
        mind.order("plan")
        waiting = mind.told("model_waiting")
        assert waiting["why"] == "settings"
        assert "AI settings are required" in waiting["message"]
        mind.home.planner_api_key.write_text(f"{KEY}\n")
        mind.settings(base_url=f"{model.url}/v1", model="tea-2")
        assert mind.told("planned")["model"] == "tea-2"


def test_a_brief_that_cannot_be_read_ends_the_order_with_a_problem(mind, tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        mind.start(**env(model))
        order = mind.order("plan")
        mind.daemon.texts[order["inputs"]["brief"]] = "nonsense"
        assert mind.told("planned")["problem"]["code"] == "failed"
        assert purposes(model) == []


def test_one_that_is_superseded_leaves_and_tells_nothing(mind, tmp_path):
    script = {"model": [{"purpose": "plan", "replies": [{"hang": 60, "answer": ANSWERS["plan"]}]}]}
    with model_process(tmp_path, script) as model:
        process = mind.start(**env(model))
        mind.order("plan")
        eventually(lambda: purposes(model), within_s=30, what="the model is asked")
        mind.daemon.superseded = True
        mind.daemon.look()
        assert process.wait(30) == 0
    assert not mind.daemon.about("planned")


def test_a_cli_that_thinks_is_ended_with_the_planner(mind, tmp_path):
    cli = scripted_cli(tmp_path / "bin", *claude_lines("{}"), sleep=300, child=True)
    mind.settings(via="claude")
    process = mind.start(PATH=f"{cli.program.parent}")
    mind.order("plan")
    eventually(lambda: cli.child.exists() and cli.child.read_text(), within_s=30, what="the program runs")
    child = int(cli.child.read_text())
    assert mind.leave(process) == 0
    from toryo import processes

    eventually(lambda: not processes.is_alive(child, None), what="the end of its child")


def test_the_key_is_in_no_file_and_no_command_line_of_ours(mind, tmp_path):
    script = {
        "model": [
            {"purpose": "judge", "replies": [{"error": 500, "message": f"with {KEY}"}, {"say": f"{KEY}"}]},
            {"purpose": "plan", "replies": [{"deny": True, "message": f"Bad {KEY}"}]},
        ]
    }
    with model_process(tmp_path, script) as model:
        process = mind.start(**env(model))
        mind.order("judge")
        mind.order("plan", "o2")
        mind.told("judged")
        told = [mind.told("planned", "o2"), *mind.daemon.about("model_waiting")]
        argv = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert mind.leave(process) == 0
    assert KEY not in json.dumps(told)
    assert KEY.encode() not in argv
    found = [
        file for file in mind.home.path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()
    ]
    assert [file.name for file in found] == []
