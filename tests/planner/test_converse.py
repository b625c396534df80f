"""A purpose from its brief to its answer, over real HTTP against the scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.briefs import a_brief
from planner.scripted_cli import claude_lines, scripted_cli
from planner.test_planner_answers import ANSWERS
from rehearsal.model_process import ModelProcess, model_process
from toryo.planner.answers import PURPOSES
from toryo.planner.asker import Asker
from toryo.planner.call_log import FILE, CallLog
from toryo.planner.converse import Answered, answer
from toryo.planner.models.choosing import Choice, NoModel, chosen
from toryo.planner.models.model import Model, Outage, Request, UsageLimit
from toryo.planner.replies import Replies
from toryo.planner.summaries import Summaries
from toryo.protocol.kinds.planner import Brief, MessageBrief

KEY = "sk-the-KEY-0123456789abcdef"
TASKS = [{"id": f"T00{n}", "title": f"task {n}"} for n in range(1, 10)]


class Talk:
    """An order's conversation, as the planner holds it."""

    def __init__(self, folder: Path, model: Model) -> None:
        self.logged = folder / "logs" / FILE
        self._folder, self._model = folder, model
        self.replies = Replies(folder / "replies")

    def answer(self, purpose: str, brief: Brief | None = None, window: int | None = 100_000) -> Answered:
        log = CallLog(self.logged.parent, [KEY])
        asker = Asker(self._model, log, self.replies, {"mission": "n1"})
        try:
            return answer(purpose, brief or a_brief(), asker, Summaries(self._folder / "summaries"), window)
        finally:
            log.close()


def over_http(folder: Path, model: ModelProcess) -> Talk:
    return Talk(folder, chosen(Choice(f"{model.url}/v1", "tea-1", key=KEY), {}))


def parts(*replies: dict[str, Any], purpose: str = "plan", **more: Any) -> dict[str, Any]:
    return {"model": [{"purpose": purpose, "replies": list(replies), **more}]}


def user_texts(record: dict[str, Any]) -> list[str]:
    return [one["content"] for one in record["body"]["messages"] if one["role"] == "user"]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_each_purpose_has_its_answer_with_what_it_cost(tmp_path, purpose):
    with model_process(tmp_path, parts({"answer": ANSWERS[purpose]}, purpose=purpose)) as model:
        found = over_http(tmp_path, model).answer(purpose)
    assert found.problem is None
    assert found.answer is not None
    assert set(ANSWERS[purpose]) <= set(found.answer)
    assert (found.repaired, found.usage.calls, found.model, found.via) == (0, 1, "tea-1", "http")
    assert found.usage.input_tokens > 100


def test_a_malformed_answer_is_repaired_by_saying_what_is_wrong(tmp_path):
    script = parts({"say": "Gladly!"}, {"answer": {"spec": "s"}}, {"say": "So:", "answer": ANSWERS["plan"]})
    with model_process(tmp_path, script) as model:
        found = over_http(tmp_path, model).answer("plan")
        records = model.requests()
    assert found.answer is not None
    assert (found.repaired, found.usage.calls) == (2, 3)
    assert "There is no JSON object in it" in user_texts(records[1])[-1]
    assert "tasks: Field required" in user_texts(records[2])[-1]
    assert len(user_texts(records[2])) == 3


def test_after_two_repairs_the_text_is_reported(tmp_path):
    with model_process(tmp_path, parts({"say": "1"}, {"say": "2"}, {"say": "three"})) as model:
        found = over_http(tmp_path, model).answer("plan")
        assert len(model.requests()) == 3
    assert found.answer is None
    assert found.problem is not None
    assert (found.problem.code, found.text, found.repaired) == ("malformed", "three", 2)
    assert found.problem.hint


def test_a_plan_that_was_cut_is_asked_for_in_parts(tmp_path):
    told = [
        {"part": 1, "spec": "SPEC"},
        {"part": 2, "plan": "PLAN", "parallelism": 2},
        {"part": 3, "tasks": TASKS[:6]},
        {"part": 4, "tasks": TASKS[6:]},
        {"part": 5, "tasks": []},
    ]
    script = parts({"answer": ANSWERS["plan"], "cut": 30}, *({"answer": one} for one in told))
    with model_process(tmp_path, script) as model:
        found = over_http(tmp_path, model).answer("plan")
        records = model.requests()
    assert found.answer is not None
    assert (found.answer["spec"], found.answer["plan"], found.answer["parallelism"]) == ("SPEC", "PLAN", 2)
    assert [one["id"] for one in found.answer["tasks"]] == [one["id"] for one in TASKS]
    asked = [user_texts(one)[-1] for one in records[1:]]
    assert "cut off" in asked[0]
    assert [f"Part {n} of the plan" in text for n, text in enumerate(asked, 1)] == [True] * 5
    assert "come after T006" in asked[3]


def test_a_plan_that_does_not_end_is_named_as_cut_and_none_of_its_tasks_is_lost_in_silence(tmp_path):
    told = [{"spec": "SPEC"}, {"plan": "PLAN"}]
    told += [{"tasks": [{"id": f"T{n:03}", "title": "more"}]} for n in range(1, 16)]
    whole = [*told[:16], {"tasks": []}]
    for answers, code in ((told, "cut"), (whole, "")):
        script = parts({"answer": ANSWERS["plan"], "cut": 30}, *({"answer": one} for one in answers))
        folder = tmp_path / (code or "whole")
        folder.mkdir()
        with model_process(folder, script) as model:
            found = over_http(folder, model).answer("plan")
        assert (found.problem.code if found.problem else "") == code
    assert found.answer is not None
    assert len(found.answer["tasks"]) == 14


def test_one_that_is_cut_even_in_parts_is_named_as_that(tmp_path):
    with model_process(tmp_path, parts(*[{"answer": ANSWERS["plan"], "cut": 30}] * 4)) as model:
        found = over_http(tmp_path, model).answer("plan")
    assert found.problem is not None
    assert found.problem.code == "cut"
    assert "cut off" in found.problem.message


def test_another_answer_that_was_cut_is_asked_for_shorter(tmp_path):
    script = parts({"answer": ANSWERS["judge"], "cut": 5}, {"answer": ANSWERS["judge"]}, purpose="judge")
    with model_process(tmp_path, script) as model:
        found = over_http(tmp_path, model).answer("judge")
        assert "much shorter" in user_texts(model.requests()[1])[-1]
    assert found.answer is not None
    assert found.repaired == 1


def test_after_an_outage_what_was_answered_before_is_not_asked_again(tmp_path):
    script = parts({"say": "Gladly!"}, {"error": 500}, {"limit": {"after_s": 3600}})
    with model_process(tmp_path, script) as model:
        talk = over_http(tmp_path, model)
        with pytest.raises(Outage, match="HTTP 500"):
            talk.answer("plan")
        with pytest.raises(UsageLimit):
            talk.answer("plan")
        assert [len(user_texts(one)) for one in model.requests()] == [1, 2, 2]


def test_a_whole_conversation_that_is_kept_costs_no_call_and_its_usage_is_told_again(tmp_path):
    with model_process(tmp_path, parts({"say": "Gladly!"}, {"answer": ANSWERS["plan"]})) as model:
        talk = over_http(tmp_path, model)
        first, again = talk.answer("plan"), talk.answer("plan")
        assert len(model.requests()) == 2
        talk.replies.forget()
        talk.answer("plan")
        assert len(model.requests()) == 4
    assert (first.answer, first.usage, first.repaired) == (again.answer, again.usage, again.repaired)


def test_a_reply_that_was_kept_in_half_is_asked_for(tmp_path):
    replies = Replies(tmp_path / "replies")
    request = Request("plan", "x", ())
    assert replies.get(request) is None
    with model_process(tmp_path, parts({"answer": ANSWERS["plan"]})) as model:
        talk = over_http(tmp_path, model)
        talk.answer("plan")
        (kept,) = (tmp_path / "replies").iterdir()
        assert kept.stat().st_mode & 0o777 == 0o600
        kept.write_text(kept.read_text()[:40])
        talk.answer("plan")
        assert len(model.requests()) == 2


def test_a_refusal_ends_it_with_a_problem_for_a_person(tmp_path):
    with model_process(tmp_path, parts({"deny": True})) as model:
        found = over_http(tmp_path, model).answer("plan")
    assert found.problem is not None
    assert (found.problem.code, found.answer) == ("refused", None)
    assert "toryo planner check" in found.problem.hint


def test_without_settings_there_is_no_model_and_the_line_that_sets_one():
    with pytest.raises(NoModel, match="AI settings are required") as told:
        chosen(Choice(model="only-a-model"), {})
    assert "toryo planner use" in told.value.hint


def test_old_messages_are_summarised_once_and_the_summary_stands_in_the_request(tmp_path):
    conversation = tuple(MessageBrief(who="person", text=f"m{n} " + "word " * 300) for n in range(60))
    script = {
        "model": [
            {"purpose": "summarise", "replies": [{"answer": {"summary": "SUMMARY-of-old"}}]},
            {"purpose": "impact", "replies": [{"answer": ANSWERS["impact"]}]},
        ]
    }
    brief = a_brief(conversation=conversation)
    with model_process(tmp_path, script) as model:
        talk = over_http(tmp_path, model)
        first = talk.answer("impact", brief, window=None)
        talk.replies.forget()  # of another order
        again = talk.answer("impact", brief, window=None)
        records = model.requests()
    assert first.answer == again.answer is not None
    assert [one["purpose"] for one in records] == ["summarise", "summarise", "impact", "impact"]
    (one,), (two,) = map(user_texts, records[:2])
    assert all((f"m{n} word" in one) != (f"m{n} word" in two) for n in range(40)), "each is summarised once"
    assert ("SUMMARY-of-old" in one, "SUMMARY-of-old" in two) == (False, True)
    (text,) = user_texts(records[2])
    assert "SUMMARY-of-old" in text
    assert "m39 " not in text
    assert all(f"m{n} word" in text for n in range(40, 60))
    assert "TASKTEXT-one" in text
    assert (first.usage.calls, again.usage.calls) == (3, 1)


def test_every_call_is_in_the_log_and_the_key_is_nowhere(tmp_path):
    script = parts(
        {"error": 500, "message": f"your key {KEY}"}, {"say": f"no {KEY}"}, {"answer": ANSWERS["plan"]}
    )
    with model_process(tmp_path, script) as model:
        talk = over_http(tmp_path, model)
        brief = a_brief(text="REQUEST-kumo with `Bearer abcdef0123456789` by mistake")
        with pytest.raises(Outage) as outage:
            talk.answer("plan", brief)
        found = talk.answer("plan", brief)
        talk.replies.forget()
    assert found.answer is not None
    lines = [json.loads(line) for line in talk.logged.read_text().splitlines()]
    assert [line.get("error", "") for line in lines] == ["Outage", "", ""]
    assert all(line["mission"] == "n1" and "REQUEST-kumo" in line["prompt"][0]["text"] for line in lines)
    # what the model itself was sent or says is the script's; everything that we wrote is ours
    ours = [file for file in tmp_path.rglob("*") if file.is_file() and file.name not in NOT_OURS]
    assert talk.logged in ours
    assert KEY not in str(outage.value)
    assert "abcdef0123456789" not in talk.logged.read_text()
    assert [file for file in ours if KEY.encode() in file.read_bytes()] == []


NOT_OURS = {"script.yaml", "requests.jsonl"}


def test_a_cli_is_repaired_in_a_conversation_told_anew_each_time(tmp_path):
    cli = scripted_cli(tmp_path / "cli", *claude_lines("I cannot say."))
    model = chosen(Choice(via="claude", program=str(cli.program)), {"PATH": ""})
    found = Talk(tmp_path, model).answer("judge")
    assert found.problem is not None
    assert (found.problem.code, found.via, found.usage.calls) == ("malformed", "claude", 3)
    assert found.usage.cost == "observed"
    assert found.usage.cost_usd == pytest.approx(0.75)
    prompts = [one["stdin"] for one in cli.calls()]
    assert [one.startswith("Toryo purpose: judge\n") for one in prompts] == [True] * 3
    assert prompts[2].count("I cannot say.") == 2
    assert "There is no JSON object in it" in prompts[1]
