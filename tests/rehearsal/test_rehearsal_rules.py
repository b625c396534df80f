"""Which line of a script a request gets: by the prompt and by what the conversation already holds."""

from __future__ import annotations

from typing import Any

import pytest

from toryo.rehearsal.conversations import Asked, Offered, Speaker, Turn
from toryo.rehearsal.plans import BadPlan, plan_of
from toryo.rehearsal.playing import Playing, harmless
from toryo.rehearsal.scripts import BadScript, parse
from toryo.rehearsal.toolbox import NotSaid, call_for, look_for

SHELL = Offered("Bash", properties=frozenset({"command", "description"}))


def asked(*spoken: str, tools: tuple[Offered, ...] = (SHELL,)) -> Asked:
    """`u …` the user, `m …` the model, `r …` a tool's result."""
    speakers = {"u": Speaker.USER, "m": Speaker.MODEL, "r": Speaker.RESULT}
    return Asked(tuple(Turn(speakers[one[0]], one[2:]) for one in spoken), tools)


def played(playing: Playing, *spoken: str) -> Any:
    return playing.choose("anthropic", asked(*spoken), 0).reply.value


def playing(raw: Any) -> Playing:
    return Playing(parse(raw))


def test_replies_are_played_in_turn_and_asking_again_gives_the_same():
    model = playing([{"run": "one"}, {"run": "two"}, {"say": "three"}])
    assert [played(model, "u go"), played(model, "u go")] == ["one", "one"]
    assert played(model, "u go", "m", "r ok") == "two"
    assert played(model, "u go", "m", "r ok", "m", "r ok") == "three"


def test_after_the_last_reply_the_model_is_done():
    assert played(playing([{"say": "one"}]), "u go", "m one", "u more") == "Done."


def test_pieces_of_one_answer_are_one_turn():
    assert played(playing([{"run": "one"}, {"run": "two"}]), "u go", "m text", "m call", "r ok") == "two"


def test_each_task_gets_its_own_lines_and_the_more_special_part_comes_first():
    model = playing(
        {
            "model": [
                {"when": ["Task 1", "failed"], "replies": [{"say": "fix"}]},
                {"when": "Task 1", "replies": [{"say": "first"}]},
                {"when": r"Task \d", "replies": [{"say": "any"}]},
            ]
        }
    )
    assert played(model, "u Task 1") == "first"
    assert played(model, "u Task 1: the checks failed") == "fix"
    assert played(model, "u Task 7") == "any"


def test_a_newer_prompt_that_a_part_knows_begins_that_part_anew():
    model = playing(
        {
            "model": [
                {"when": "tea", "replies": [{"say": "t1"}, {"say": "t2"}]},
                {"when": "cup", "replies": [{"say": "c"}]},
            ]
        }
    )
    assert played(model, "u tea", "m t1", "u cup") == "c"
    assert played(model, "u tea", "m t1", "u go on") == "t2"


def test_a_tools_result_is_no_prompt():
    model = playing({"model": [{"when": "secret", "replies": [{"say": "found"}]}]})
    chosen = model.choose("anthropic", asked("u go", "m", "r secret"), 0)
    assert (chosen.part, chosen.reply.value) == (None, "OK")


def test_troubles_stand_before_the_answer_and_are_counted_for_the_same_words():
    model = playing(
        {"model": [{"when": r"Task \d", "replies": [{"error": 500, "times": 2}, {"say": "well"}]}]}
    )
    assert [played(model, "u Task 1") for _ in range(3)] == [500, 500, "well"]
    assert played(model, "u Task 2") == 500
    assert played(model, "u Task 1 once more") == "well"


def test_a_trouble_that_stands_last_goes_on_for_ever():
    model = playing([{"say": "one"}, {"error": 400}])
    assert [played(model, "u go", "m one", "u more") for _ in range(4)] == [400] * 4


def test_a_limit_stands_until_its_moment_and_then_the_next_line_comes():
    model = playing([{"limit": {"after_s": 60}}, {"say": "again"}])
    first = model.choose("gemini", asked("u go"), 100)
    later = model.choose("gemini", asked("u go"), 150)
    assert (first.reply.verb, first.limited_s, later.limited_s) == ("limit", 60, 10)
    assert model.choose("gemini", asked("u go"), 161).reply.value == "again"


def test_requests_without_tools_are_taken_by_a_part_that_wants_them():
    model = playing({"model": [{"when": "plan", "tools": False, "replies": [{"say": "a plan"}]}]})
    assert model.choose("anthropic", asked("u a plan please", tools=()), 0).reply.value == "a plan"
    assert model.choose("anthropic", asked("u a plan please"), 0).part is None


def test_a_side_request_that_wants_json_gets_the_smallest_that_fits():
    kind = {"type": "STRING", "enum": ["user", "model"]}
    schema = {"type": "OBJECT", "properties": {"next": kind, "n": {"type": "integer"}}, "required": ["next"]}
    assert harmless(schema) == '{"next": "user"}'
    assert harmless(None) == "OK"


RESULT = 'r [{"type":"text","text":"{\\"session_token\\": \\"s-1\\", \\"task\\": {\\"id\\": \\"t9\\"}}"}]'


def called(reply: dict[str, Any], *spoken: str, tools: tuple[Offered, ...]) -> Any:
    call = call_for(parse([reply]).parts[0].replies[0], asked(*spoken, tools=tools))
    assert call is not None
    return call.tool.called, dict(call.arguments)


def test_a_tool_is_called_by_its_own_name_and_what_can_be_known_is_filled_in():
    tools = (
        Offered("authenticate", "mcp__toryo", frozenset({"agent_id", "project_id", "passkey"})),
        Offered("mcp_toryo_report_completed", properties=frozenset({"session_token", "result"})),
    )
    prompt = "u Go.\n\nAgent ID: haru\nProject ID: p-1\n"
    who = {"agent_id": "haru", "project_id": "p-1"}
    assert called({"call": "authenticate"}, prompt, tools=tools) == ("mcp__toryo__authenticate", who)
    report = {"call": {"tool": "report_completed", "arguments": {"result": "success"}}}
    name, arguments = called(report, prompt, "m", RESULT, "m", "r {}", tools=tools)
    assert name == "mcp_toryo_report_completed"
    assert arguments == {"session_token": "s-1", "result": "success"}


def test_an_argument_may_come_from_an_earlier_result():
    reply = {"call": {"tool": "see", "arguments": {"id": {"from": "last.task.id"}, "n": 1}}}
    tools = (Offered("see"),)
    assert called(reply, "u go", "m", RESULT, tools=tools) == ("see", {"id": "t9", "n": 1})
    with pytest.raises(NotSaid, match=r"last\.task\.id"):
        called(reply, "u go", tools=tools)


@pytest.mark.parametrize(
    "text",
    ['{"a": {"token": "x"}}', 'Wall time: 1 s [2]\nOutput:\n{"token": "x"}', '["{\\"token\\": \\"x\\"}"]'],
)
def test_a_field_is_found_however_a_client_wraps_the_result(text):
    assert look_for("token", text) == "x"
    assert look_for("other", text) is None


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("hello", "a list of replies"),
        ({"replies": []}, "a mapping with `model`"),
        ([{"shout": "x"}], "reply 1: no reply is called shout"),
        ([{"say": "x"}, {"run": "a", "error": 1}], "reply 2: one verb a reply, not run and error"),
        ([{"limit": {"until": 3}}], "after_s"),
        ([{"say": "x", "times": 2}], "troubles only"),
        ({"model": [{"when": "(", "replies": []}]}, "part 1: `when` is no regular expression"),
        ({"model": [{"wenn": "x", "replies": []}]}, "part 1: wenn is not known"),
    ],
)
def test_a_script_that_is_not_understood_is_refused_with_its_place(raw, named):
    with pytest.raises(BadScript) as refused:
        parse(raw)
    assert named in refused.value.message
    assert "rehearsing.md" in refused.value.hint


def test_a_plan_without_tasks_is_one_task_that_must_be_done():
    assert plan_of({}, "login")["tasks"] == [{"title": "login", "expect": {"status": "done"}}]


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ({"task": []}, "task: not known"),
        ({"tasks": [{"description": "x"}]}, "title is missing"),
        ({"tasks": [{"title": "a", "after": ["b"]}]}, "no task before it is called 'b'"),
        ({"tasks": [{"title": "a", "expect": {"status": "finished"}}]}, "never ends as 'finished'"),
        ({"tasks": [{"title": "a", "expect": {"state": "done"}}]}, "state is not known"),
        ({"agents": [{"name": 7}]}, "name cannot be 7"),
    ],
)
def test_a_plan_that_is_not_understood_is_refused(raw, named):
    with pytest.raises(BadPlan, match=named):
        plan_of(raw, "x")
