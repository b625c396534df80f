"""An agent CLI is started as its settings, its agent's profile and its context folder say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from crew import Crew

from toryo.coordinator.config import Provider
from waiting import eventually

FAKE = """#!/bin/sh
[ "$1" = --version ] && exit
pwd > {seen}/cwd
echo "$@" > {seen}/argv
find "{repo}" -name "{name}.md" -path "*.aiagent*" -exec cp {{}} {seen}/role ";"
"""


@pytest.mark.parametrize(("client", "file"), [("claude", "CLAUDE"), ("gemini", "GEMINI")])
def test_an_agent_cli_is_the_program_of_the_settings_and_finds_its_role_where_it_starts(
    crew: Crew, repo: Path, tmp_path: Path, client: str, file: str
) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    fake = tmp_path / "another-cli"
    fake.write_text(FAKE.format(seen=seen, repo=repo, name=file))
    fake.chmod(0o755)
    crew.daemon.profiles["dev"] = "You never hurry."
    crew.daemon.start()
    crew.start(ai_providers={client: Provider(cli_command=str(fake), cli_args=("--of-ours",))})
    order = crew.run_order("r1", repo, "")
    crew.daemon.give({**order, "inputs": {**order["inputs"], "client": client, "command": ""}})
    eventually(lambda: crew.daemon.about("exited", "or1"), what="its end")
    assert (seen / "argv").read_text().startswith("--of-ours ")
    context = Path(os.path.realpath(repo / ".aiagent" / "agents" / "dev"))
    # Gemini CLI starts in its context folder, Claude Code in the worktree
    starts = Path((seen / "cwd").read_text().strip())
    assert starts.is_relative_to(context) is (client == "gemini")
    assert starts.is_relative_to(os.path.realpath(repo))
    assert "You never hurry." in (seen / "role").read_text()
