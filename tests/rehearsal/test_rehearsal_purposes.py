"""The scripted model as the planner's model: answers by purpose and content, never by a call's number."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rehearsal.model_process import Answered, ModelProcess, model_process
from toryo.rehearsal.scripts import BadScript, parse

SCRIPT = {
    "model": [
        {"purpose": "plan", "when": "small", "replies": [{"answer": {"tasks": ["{{word}}", "{{ other }}"]}}]},
        {
            "purpose": "plan",
            "when": [r"the word (?P<word>\w+)", "please"],
            "replies": [{"say": "Well", "cut": 2}, {"say": "Here:", "answer": {"title": "Greet {{word}}"}}],
        },
        {"purpose": "judge", "replies": [{"hang": 0.05, "answer": {"action": "retry"}}]},
        {"when": "the word", "replies": [{"write": {"path": "a.txt", "text": "{{word}}"}}]},
        {"when": r"say (?P<it>\w+)", "replies": [{"say": "{{it}}!"}]},
    ]
}


def ask(model: ModelProcess, purpose: str, *spoken: str) -> Answered:
    """The first text is the instructions, then user and model in turn."""
    roles = ["system", *(["user", "assistant"] * len(spoken))]
    messages = [{"role": role, "content": text} for role, text in zip(roles, spoken, strict=False)]
    headers = {"X-Toryo-Purpose": purpose} if purpose else {}
    return model.ask("/v1/chat/completions", {"model": "m", "messages": messages}, **headers)


def told(answered: Answered) -> tuple[str, str]:
    choice = answered.json["choices"][0]
    return choice["message"]["content"], choice["finish_reason"]


def test_an_answer_is_chosen_by_purpose_and_by_what_the_request_says(tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        plan = ask(model, "plan", "RULES", "use the word kumo, please")
        mended = ask(model, "plan", "the word mori, please", "use the word kumo, please", "We", "Not usable.")
        again = ask(model, "plan", "RULES", "use the word kumo, please")
        judge = ask(model, "judge", "RULES", "the word kumo")
        kept = model.requests()
    assert told(plan) == told(again) == ("We", "length")
    assert told(mended) == ('Here:\n{"title": "Greet kumo"}', "stop")
    assert json.loads(told(judge)[0]) == {"action": "retry"}
    assert [one["purpose"] for one in kept] == ["plan", "plan", "plan", "judge"]
    assert kept[0]["headers"]["x-toryo-purpose"] == "plan"


def test_words_that_nothing_found_stay_as_they_are(tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        assert json.loads(told(ask(model, "plan", "", "a small one"))[0]) == {
            "tasks": ["{{word}}", "{{ other }}"]
        }


def test_a_planners_request_never_gets_a_workers_line_and_the_other_way_round(tmp_path):
    shell = [{"name": "Bash", "input_schema": {"type": "object"}}]
    with model_process(tmp_path, SCRIPT) as model:
        nobodys = ask(model, "impact", "", "say hello")
        content = [{"type": "text", "text": "say hello"}]
        worker = model.ask(
            "/v1/messages", {"messages": [{"role": "user", "content": content}], "tools": shell}
        )
        kept = model.requests()
    assert told(nobodys)[0] == "No part of the script is for this request."
    assert worker.json["content"][0]["text"] == "hello!"
    assert [one["part"] for one in kept] == [None, 5]


@pytest.mark.parametrize("cut", [False, True])
def test_the_first_line_of_what_a_cli_is_told_names_the_purpose(tmp_path, cut):
    reply: dict[str, Any] = {"answer": {"action": "retry"}} | ({"cut": 5} if cut else {})
    script = {"model": [{"purpose": "judge", "replies": [reply]}]}
    text = "Toryo purpose: judge\n\nWhat now?"
    with model_process(tmp_path, script) as model:
        claude = model.ask("/v1/messages", {"messages": [{"role": "user", "content": text}]}).json
        codex = model.ask("/v1/responses", {"input": text}).json
    assert claude["content"][0]["text"] == codex["output"][0]["content"][0]["text"]
    assert claude["stop_reason"] == ("max_tokens" if cut else "end_turn")
    assert codex["status"] == ("incomplete" if cut else "completed")


def test_a_check_is_answered_without_a_line(tmp_path):
    with model_process(tmp_path, SCRIPT) as model:
        assert json.loads(told(ask(model, "check", "", "Are you there?"))[0]) == {"alive": True}


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"purpose": "paint", "replies": [{"say": "x"}]}, "no purpose is called paint"),
        ({"replies": [{"answer": "x"}]}, "must be a mapping"),
        ({"replies": [{"run": "x", "cut": 3}]}, "beside `say` or `answer`"),
    ],
)
def test_what_is_not_understood_is_refused(part, named):
    with pytest.raises(BadScript, match=named):
        parse({"model": [part]})
