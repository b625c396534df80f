"""`toryo completion`: the scripts follow the parsers, and asking for agents' names starts nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from toryo.fronts.cli.entry import VERBS
from toryo.fronts.cli.overviews import verbs_of, whole_tree
from toryo.fronts.cli.programs.completion_scripts import script


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the script and a `toryo` that knows two names of each kind."""
    folder = tmp_path_factory.mktemp("shell")
    (folder / "toryo").write_text(
        'case "$*" in *agents) echo coder; echo critic ;; *tasks) echo t1; echo t2 ;;'
        " *runs) echo r1 ;; *projects) echo shop ;; esac\n"
    )
    (folder / "toryo").chmod(0o755)
    (folder / "script").write_text(script("bash", whole_tree()))
    return folder


def completed(shell: Path, *words: str) -> list[str]:
    """What bash offers at the end of these words."""
    listed = " ".join(f"'{word}'" for word in words)
    code = (
        f"set -u; source {shell}/script; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; _toryo;"
        'printf "%s\\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}'
    )
    env = {"PATH": f"{shell}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", code], env=env, capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_verbs_and_the_verbs_of_groups(shell):
    assert completed(shell, "toryo", "") == list(VERBS)
    assert completed(shell, "toryo", "stat") == ["status"]
    assert completed(shell, "toryo", "task", "re") == ["retry", "reject", "revert"]
    assert completed(shell, "toryo", "session", "") == ["list", "start", "end"]


def test_bash_completes_options_and_fixed_choices(shell):
    assert completed(shell, "toryo", "status", "--w") == ["--watch"]
    assert completed(shell, "toryo", "task", "add", "x", "--pri") == ["--priority"]
    assert completed(shell, "toryo", "task", "update", "t1", "--no-a") == ["--no-after"]
    assert completed(shell, "toryo", "task", "add", "x", "-p", "") == ["critical", "high", "medium", "low"]
    assert completed(shell, "toryo", "task", "list", "--status", "needs") == ["needs_review"]
    assert completed(shell, "toryo", "completion", "z") == ["zsh"]


def test_bash_completes_the_names_of_agents(shell):
    assert completed(shell, "toryo", "task", "add", "x", "--agent", "") == ["coder", "critic"]
    assert completed(shell, "toryo", "agent", "show", "cod") == ["coder"]


def test_bash_completes_ids_of_tasks_and_runs_and_names_of_projects(shell):
    assert completed(shell, "toryo", "task", "retry", "t") == ["t1", "t2"]
    assert completed(shell, "toryo", "log", "t2") == ["t2"]
    assert completed(shell, "toryo", "task", "add", "x", "--after", "") == ["t1", "t2"]
    assert completed(shell, "toryo", "run", "stop", "r") == ["r1"]
    assert completed(shell, "toryo", "task", "list", "--project", "") == ["shop"]


def in_fish(shell: Path, typed: str) -> list[str]:
    (shell / "script.fish").write_text(script("fish", whole_tree()))
    code = f"source {shell}/script.fish; complete -C '{typed}'"
    env = {"PATH": f"{shell}:{os.environ['PATH']}", "HOME": str(shell)}
    done = subprocess.run(
        ["fish", "--no-config", "-c", code], env=env, capture_output=True, text=True, check=True, timeout=30
    )
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


ZSH = """
_describe() { print -l -- ${(P)2%%:*} }
_files() { }
compdef() { }
. %s
words=(toryo %s) CURRENT=%d
_toryo
"""
"""zsh completes nothing without a terminal: its own `_describe` is told to print what it would show."""


def in_zsh(shell: Path, *typed: str) -> list[str]:
    (shell / "_toryo").write_text(script("zsh", whole_tree()))
    code = ZSH % (shell / "_toryo", " ".join(f"'{word}'" for word in typed), len(typed) + 1)
    env = {"PATH": f"{shell}:{os.environ['PATH']}", "HOME": str(shell)}
    done = subprocess.run(
        ["zsh", "-f", "-c", code], env=env, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
def test_fish_completes_ids_and_no_value_of_an_option_that_takes_none(shell):
    assert in_fish(shell, "toryo task retry t") == ["t1", "t2"]
    assert in_fish(shell, "toryo run stop r") == ["r1"]
    assert in_fish(shell, "toryo task list --project ") == ["shop"]
    assert "-l no-after -x" not in script("fish", whole_tree())


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh here")
def test_zsh_completes_ids(shell):
    assert {"t1", "t2"} <= {*in_zsh(shell, "task", "retry", "t")}
    assert "r1" in in_zsh(shell, "run", "stop", "r")
    assert in_zsh(shell, "task", "list", "--project", "") == ["shop"]


def test_ids_are_one_a_line(peer, typed):
    known = [{"name": "shop"}, {"name": "gone", "status": "removed"}]
    peer(list_tasks={"tasks": [{"id": "t1"}, {"id": "t2"}]}, list_projects={"projects": known})
    assert typed("completion", "--names", "tasks").out == "t1\nt2\n"
    assert typed("completion", "--names", "projects").out == "shop\n"


def test_bash_leaves_what_may_be_a_file_to_the_shell(shell):
    assert completed(shell, "toryo", "memory", "add", "x", "--file", "") == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_verb_and_option_is_in_every_script(typed, name):
    result = typed("completion", name)
    assert (result.code, result.err) == (0, "")
    for word in VERBS:
        assert f"'{word}" in result.out
        assert [verb for verb in verbs_of(word) if not re.search(rf"[' ]{verb}[' :]", result.out)] == []
    long = {
        option.removeprefix("--" if name == "fish" else "")
        for parser in whole_tree().values()
        for option in parser._option_string_actions
        if option.startswith("--") and option != "--names"
    }
    assert [option for option in long if option not in result.out] == []
    assert "--names'" not in result.out


@pytest.mark.parametrize(("name", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_the_script_is_one_that_its_shell_can_read(name, check, tmp_path):
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"there is no {name} here")
    (tmp_path / "script").write_text(script(name, whole_tree()))
    done = subprocess.run(
        [program, check, str(tmp_path / "script")], capture_output=True, text=True, check=False, timeout=30
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_names_of_agents_are_one_a_line(peer, typed):
    peer(list_agents={"agents": [{"id": "coder"}, {"id": "critic"}]})
    assert typed("completion", "--names", "agents").out == "coder\ncritic\n"


def test_asking_for_agents_without_a_daemon_is_silent_and_starts_nothing(typed, toryo_home):
    result = typed("completion", "--names", "agents")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert not toryo_home.exists()
