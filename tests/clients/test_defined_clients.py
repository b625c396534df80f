"""Clients that a user defines in YAML: what they become, and how their mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.calling import BRIDGE, a_call
from toryo.domain.errors import NotFound, UserError
from toryo.workbench.clients.registry import client, has_record, known_on_path, mistakes, names

AIDER = """
program: aider
argv: [aider, --yes-always, --message-file, "{prompt_file}", "--dir={worktree}"]
model: [--model, "{model}"]
env: {AIDER_ANALYTICS: "false"}
"""
CREW = """
name: crew
program: crew
argv: [crew, run]
resume: [--resume, "{resume}"]
mcp: [--mcp, "{bridge}"]
result:
  success: {type: result, ok: true}
  error: {type: result, ok: false}
  message: text
  conversation: session.id
  input_tokens: usage.in
  cost_usd: usage.usd
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "clients"
    place.mkdir()
    (place / "aider.yaml").write_text(AIDER)
    (place / "crew.yaml").write_text(CREW)
    return place


def test_a_definition_becomes_a_client(folder, tmp_path):
    call = a_call(tmp_path, model="m 1")
    made = client("aider", folder).argv(call)
    assert made.argv == (
        *("aider", "--yes-always", "--message-file", str(call.prompt_file)),
        *(f"--dir={call.worktree}", "--model", "m 1"),
    )
    spool = {"TORYO_SAID": str(call.run_dir / "said")}
    assert (made.stdin, made.cwd, made.env) == (None, "worktree", {"AIDER_ANALYTICS": "false"} | spool)
    assert client("aider", folder).argv(a_call(tmp_path)).argv[-1] == f"--dir={call.worktree}"
    assert not has_record(client("aider", folder))


def test_without_a_hole_for_it_the_prompt_comes_on_standard_input(folder, tmp_path):
    made = client("crew", folder).argv(a_call(tmp_path, bridge=BRIDGE, resume="s-1", added="rules"))
    assert made.argv == ("crew", "run", "--resume", "s-1", "--mcp", *BRIDGE)
    assert made.stdin == "rules\n\nDo it.\n"


def test_a_client_with_a_record_of_its_own_needs_the_line_of_success(folder):
    crew = client("crew", folder)
    assert has_record(crew)
    good = '{"type":"result","ok":true,"text":"fine","session":{"id":"s-1"},"usage":{"in":5,"usd":0.5}}'
    said = crew.read(["noise", '{"type":"step","session":{"id":"s-1"}}', good])
    assert (said.result, said.message, said.conversation) == ("success", "fine", "s-1")
    assert (said.usage.input_tokens, said.usage.output_tokens, said.usage.cost_usd) == (5, None, 0.5)
    assert crew.read(['{"type":"result","ok":1}']).result == "none"
    bad = crew.read(['{"type":"result","ok":false,"text":"429 Too Many Requests, retry in 60s"}'])
    assert (bad.result, bad.limited.why) == ("error", "usage_limit")
    assert crew.shown(good) == "■ success: fine · 5 tokens in · $0.5000"
    assert crew.versions.argv == ("crew", "--version")


def test_definitions_are_known_and_looked_for_on_the_path(folder, tmp_path):
    program = tmp_path / "aider"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert known_on_path({"PATH": str(tmp_path)}, folder) == {"aider": str(program)}
    assert {"aider", "crew", "claude"} <= set(names(folder))
    with pytest.raises(NotFound, match="aidr") as told:
        client("aidr", folder)
    assert "aider" in told.value.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("argv: [x]", ["program"]),
        ("program: x\nargv: []", ["argv"]),
        ("program: x\nargv: [x]\nprompt: y", ["prompt"]),
        ("program: x\nargv: ['{promt}']", ["argv", "{promt}"]),
        ("program: x\nargv: [x]\nresult: {success: {}}", ["result.success"]),
        ("program: x\nargv: [x]\nstdin: maybe", ["stdin"]),
        ("name: other\nprogram: x\nargv: [x]", ["name", "other"]),
        ("- a list", ["mapping"]),
        ("program: [", ["line"]),
    ],
)
def test_a_mistake_is_named_with_file_and_key(folder, text, words):
    (folder / "wrong.yaml").write_text(text)
    with pytest.raises(UserError) as told:
        client("wrong", folder)
    for word in (str(folder / "wrong.yaml"), *words):
        assert word in told.value.message
    assert [error.message for error in mistakes(folder)] == [told.value.message]
    assert set(known_on_path({"PATH": ""}, folder)) == set()


def test_a_built_in_client_cannot_be_defined_anew(folder):
    (folder / "claude.yaml").write_text(AIDER)
    assert client("claude", folder).program == "claude"
    assert [error.message for error in mistakes(folder)] == [f"{folder / 'claude.yaml'}: claude is built in"]


def test_a_model_that_the_words_need_is_asked_for(folder, tmp_path):
    (folder / "m.yaml").write_text("program: m\nargv: [m, '{model}']")
    with pytest.raises(UserError, match="needs a model"):
        client("m", folder).argv(a_call(tmp_path))


def test_a_prompt_too_long_for_an_argument_is_told_to_go_another_way(folder, tmp_path):
    (folder / "m.yaml").write_text("program: m\nargv: [m, '{prompt}']")
    with pytest.raises(UserError) as told:
        client("m", folder).argv(a_call(tmp_path, prompt="x" * 200_000))
    assert "{prompt_file}" in told.value.hint
