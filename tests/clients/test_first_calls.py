"""A model that uses plain relative paths and commands succeeds from its first call. Real CLIs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from called_clients import Scripted, make_run, make_worktree

from repositories import git
from toryo.workbench.contexts.entering import entered
from toryo.workbench.contexts.profiles import SubordinateProfile

FILES = {"README.md": "hi\n"}
LOOK = "ls README.md && cat README.md > seen.txt"


def calls(client: str) -> list[Mapping[str, Any]]:
    """A file by its own tool, a command, then a commit."""
    if client == "claude":
        write = {"tool": "Write", "arguments": {"file_path": "hello.txt", "content": "x\n"}}
    else:
        write = {"tool": "write_file", "arguments": {"file_path": "hello.txt", "content": "x\n"}}
    return [{"call": write}, {"run": LOOK}, {"commit": "hello"}]


def committed(worktree: Path) -> list[str]:
    return git(worktree, "show", "--format=", "--name-only", "HEAD").split()


@pytest.mark.slow
@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_relative_paths_and_plain_commands_work_from_the_first_call(tmp_path, client):
    worktree = make_worktree(tmp_path, FILES)
    model = Scripted(tmp_path, *calls(client))
    try:
        run = make_run(client, worktree, tmp_path, model, SubordinateProfile("dev", "SYSTEM-PROMPT"))
        run.ask(model)
    finally:
        model.close()
    assert committed(worktree) == ["hello.txt", "seen.txt"]
    assert "not been trusted" not in run.errors
    left = {path.name for path in (worktree / ".aiagent" / "agents" / "dev").iterdir()}
    assert left <= {".claude", ".gemini", "GEMINI.md"}


@pytest.mark.slow
def test_claude_in_its_context_directory_has_its_shell_in_the_worktree(tmp_path):
    worktree = make_worktree(tmp_path, FILES)
    model = Scripted(
        tmp_path, {"run": LOOK}, {"run": "mkdir -p sub && cd sub"}, {"run": "pwd > ../where.txt"}
    )
    try:
        profile = SubordinateProfile("dev", "SYSTEM-PROMPT")
        run = make_run("claude", worktree, tmp_path, model, profile, start_in="context")
        assert run.cwd == worktree / ".aiagent" / "agents" / "dev"
        run.ask(model)
    finally:
        model.close()
    assert (worktree / "seen.txt").read_text() == "hi\n"
    assert (worktree / "where.txt").read_text() == f"{worktree}/sub\n", "and a later cd is kept"


def test_a_relative_path_is_one_of_the_worktree() -> None:
    assert entered("write_file", {"file_path": "a/b.txt", "content": "./c"}, "/w") == {
        "file_path": "/w/a/b.txt",
        "content": "./c",
    }
    assert entered("list_directory", {"dir_path": "."}, "/w") == {"dir_path": "/w"}


def test_an_absolute_path_and_one_of_the_home_stay() -> None:
    given = {"file_path": "/etc/hosts", "path": "~/x"}
    assert entered("read_file", given, "/w") == given


def test_a_command_runs_in_the_worktree_unless_it_names_a_directory() -> None:
    assert entered("run_shell_command", {"command": "ls"}, "/w") == {"command": "ls", "dir_path": "/w"}
    named = entered("run_shell_command", {"command": "ls", "dir_path": "src"}, "/w")
    assert named == {"command": "ls", "dir_path": "/w/src"}
