"""An agent CLI as the model: one process a call, no tools, an empty directory, the prompt on stdin."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from planner.scripted_cli import Cli, claude_lines, codex_lines, scripted_cli
from toryo import processes
from toryo.planner.models.cli import CliModel, prompt
from toryo.planner.models.model import ModelRefused, Outage, Request, Turn, UsageLimit, Voice
from waiting import eventually

ENV = {"PATH": os.defpath, "HOME": "/nonexistent", "TORYO_PLANNER_API_KEY": "sk-SECRET", "KEEP": "1"}
REQUEST = Request("plan", "RULES", (Turn(Voice.PERSON, "make tea"),))
LONG = "x" * 5000


def model(cli: Cli, client: str = "claude", **more: Any) -> CliModel:
    return CliModel(client, "tea-large", env=ENV, program=str(cli.program), **more)


def test_the_prompt_begins_with_the_purpose_and_is_not_in_the_arguments(tmp_path):
    cli = scripted_cli(tmp_path, *claude_lines(LONG))
    reply = model(cli).ask(REQUEST.after("bad", "again"))
    (call,) = cli.calls()
    assert (reply.text, reply.cut, reply.model) == (LONG, False, "tea-large")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (100, 9)
    assert (reply.usage.cost_usd, reply.usage.cost) == (0.25, "observed")
    assert call["stdin"].splitlines()[0] == "Toryo purpose: plan"
    told = [call["stdin"].index(text) for text in ("RULES", "make tea", "bad", "again")]
    assert told == sorted(told)
    assert not any("tea " in word or "RULES" in word for word in call["argv"])
    assert call["argv"][call["argv"].index("--tools") + 1] == ""


def test_it_runs_in_an_empty_directory_that_is_removed_and_knows_nothing_of_us(tmp_path):
    cli = scripted_cli(tmp_path, *claude_lines("{}"))
    model(cli).ask(REQUEST)
    (call,) = cli.calls()
    assert call["files"] == []
    assert call["cwd"] != str(Path.cwd())
    assert not Path(call["cwd"]).exists()
    assert call["env"]["KEEP"] == "1"
    assert not [name for name in call["env"] if name.startswith("TORYO_")]


def test_codex_is_asked_with_its_tools_off(tmp_path):
    cli = scripted_cli(tmp_path, *codex_lines(LONG), name="codex")
    reply = model(cli, "codex").ask(REQUEST)
    (call,) = cli.calls()
    assert (reply.text, reply.usage.input_tokens, reply.usage.cost) == (LONG, 50, "unknown")
    assert call["argv"][-1] == "-"
    assert "read-only" in call["argv"]
    assert "shell_tool" in call["argv"]
    assert call["stdin"].startswith("Toryo purpose: plan\n")


@pytest.mark.parametrize(
    "result",
    [
        {"stop_reason": "max_tokens"},
        {
            "is_error": True,
            "terminal_reason": "api_error",
            "result": "API Error: Claude's response exceeded the 32000 output token maximum.",
        },
    ],
)
def test_an_answer_cut_by_length_is_known_as_that(tmp_path, result):
    reply = model(scripted_cli(tmp_path, *claude_lines("half", **result))).ask(REQUEST)
    assert (reply.text, reply.cut) == ("half", True)


def failed(message: str, status: int | None = None) -> tuple[dict[str, Any], ...]:
    result = {"type": "result", "subtype": "success", "is_error": True, "result": message}
    return ({**result, "terminal_reason": "api_error", "api_error_status": status},)


def test_a_usage_limit_names_its_end(tmp_path):
    cli = scripted_cli(tmp_path, *failed("Claude usage limit reached|1900000000", 429), code=1)
    with pytest.raises(UsageLimit) as limit:
        model(cli).ask(REQUEST)
    assert limit.value.until == "2030-03-17T17:46:40.000Z"


@pytest.mark.parametrize(
    ("lines", "more", "kind"),
    [
        (failed("Overloaded", 529), {"code": 1}, Outage),
        (failed("invalid x-api-key", 401), {"code": 1}, ModelRefused),
        (failed("no such model", 404), {"code": 1}, ModelRefused),
        ((), {"code": 2, "stderr": "error: unknown option '--tools'"}, ModelRefused),
    ],
)
def test_a_trouble_is_told_apart_by_who_can_mend_it(tmp_path, lines, more, kind):
    with pytest.raises(kind) as told:
        model(scripted_cli(tmp_path, *lines, **more)).ask(REQUEST)
    assert type(told.value) is kind
    assert "claude" in told.value.message
    if "stderr" in more:
        assert "unknown option" in told.value.message


def test_a_program_that_is_not_there_is_named_with_the_line_that_installs_it():
    with pytest.raises(ModelRefused, match="not on PATH") as told:
        CliModel("claude", env={"PATH": "/nonexistent"}).ask(REQUEST)
    assert "npm install" in told.value.hint


def test_one_that_thinks_too_long_is_an_outage_and_leaves_nobody_behind(tmp_path):
    cli = scripted_cli(tmp_path, sleep=300, child=True)
    with pytest.raises(Outage):
        model(cli, limit_s=3).ask(REQUEST)
    child = int(cli.child.read_text())
    eventually(lambda: not processes.is_alive(child, None), what="the end of its child")


def test_closing_ends_one_that_thinks(tmp_path):
    cli = scripted_cli(tmp_path, sleep=300, child=True)
    one = model(cli)
    told: list[Exception] = []

    def ask() -> None:
        try:
            one.ask(REQUEST)
        except Outage as outage:
            told.append(outage)

    asking = threading.Thread(target=ask)
    asking.start()
    eventually(lambda: cli.child.exists() and cli.child.read_text(), within_s=30, what="the program runs")
    one.close()
    asking.join(20)
    assert len(told) == 1
    with pytest.raises(Outage, match="leaving"):
        one.ask(REQUEST)


def test_a_client_that_cannot_be_a_model_is_refused():
    with pytest.raises(ModelRefused, match="gemini"):
        CliModel("gemini", env={})


def test_empty_instructions_leave_no_hole():
    assert prompt(Request("check", "", (Turn(Voice.PERSON, "x"),))) == "Toryo purpose: check\n\nx\n"
