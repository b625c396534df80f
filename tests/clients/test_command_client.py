"""The registry and the client `command`: values stay one argument, and no shell is in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from toryo.domain.errors import NotFound, UserError
from toryo.workbench.clients.registry import Call, Command, client, known_on_path

PROMPT = "fix 'it' \"now\" $HOME; {worktree} {x}\nsecond line"


def _command(template: str, prompt: str = PROMPT) -> Command:
    call = Call(prompt=prompt, prompt_file=Path("/a b/prompt.md"), worktree=Path("/w t"), command=template)
    return client("command").argv(call)


def test_the_prompt_stays_one_argument_whatever_it_holds() -> None:
    made = _command("agent --ask {prompt} --in {worktree}")
    assert made.argv == ("agent", "--ask", PROMPT, "--in", "/w t")
    assert made.stdin is None
    assert made.cwd == "worktree"


def test_holes_are_filled_inside_an_argument_too() -> None:
    assert _command("sh agent.sh --file={prompt_file}").argv == ("sh", "agent.sh", "--file=/a b/prompt.md")


def test_without_the_prompt_or_its_file_the_prompt_comes_on_standard_input() -> None:
    made = _command("agent {worktree}")
    assert (made.argv, made.stdin) == (("agent", "/w t"), PROMPT)


def test_other_braces_are_left_alone() -> None:
    made = _command("awk '{print $1}' {} {{prompt}} {unknown} {prompt_file}")
    assert made.argv == ("awk", "{print $1}", "{}", "{" + PROMPT + "}", "{unknown}", "/a b/prompt.md")


def test_a_shell_is_used_only_where_the_user_writes_one() -> None:
    assert _command("sh -c 'cat {prompt_file} | wc'").argv == ("sh", "-c", "cat /a b/prompt.md | wc")


@pytest.mark.parametrize("template", ["", "  ", "agent 'open"])
def test_a_command_that_cannot_be_called_says_so(template: str) -> None:
    with pytest.raises(UserError):
        _command(template)


def test_a_prompt_too_long_for_an_argument_is_told_to_go_by_file() -> None:
    with pytest.raises(UserError) as told:
        _command("agent {prompt}", prompt="x" * 200_000)
    assert "{prompt_file}" in told.value.hint
    assert _command("agent {prompt_file}", prompt="x" * 200_000).argv[1] == "/a b/prompt.md"


def test_an_unknown_client_is_an_error_and_never_another_one() -> None:
    with pytest.raises(NotFound) as told:
        client("clade")
    assert "claude" in told.value.hint


def test_known_clients_are_found_on_the_given_path_only(tmp_path: Path) -> None:
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "gemini").write_text("not a program")
    assert known_on_path({"PATH": f"/nowhere:{tmp_path}"}) == {"codex": str(program)}
    assert known_on_path({}) == {}


def test_a_script_path_may_name_the_worktree() -> None:
    call = Call(prompt="x", prompt_file=Path("/p"), worktree=Path("/w"), command="{worktree}/script.yaml")
    made = client("scripted").argv(call)
    assert made.argv[-1] == "/w/script.yaml"
    assert made.stdin == "x"
