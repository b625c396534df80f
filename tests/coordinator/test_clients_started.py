"""An agent CLI is started as its settings, its agent's profile and its context folder say."""

from __future__ import annotations

import os
from pathlib import Path

from crew import Crew

from toryo.coordinator.config import Provider
from waiting import eventually

FAKE = """#!/bin/sh
[ "$1" = --version ] && exit
pwd > {seen}/cwd
echo "$@" > {seen}/argv
find . -name CLAUDE.md -exec cp {{}} {seen}/ ";"
"""


def test_an_agent_cli_is_the_program_of_the_settings_and_finds_its_role_where_it_starts(
    crew: Crew, repo: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    fake = tmp_path / "another-claude"
    fake.write_text(FAKE.format(seen=seen))
    fake.chmod(0o755)
    crew.daemon.profiles["dev"] = "You never hurry."
    crew.daemon.start()
    crew.start(ai_providers={"claude": Provider(cli_command=str(fake), cli_args=("--of-ours",))})
    order = crew.run_order("r1", repo, "")
    crew.daemon.give({**order, "inputs": {**order["inputs"], "client": "claude", "command": ""}})
    eventually(lambda: crew.daemon.about("exited", "or1"), what="its end")
    assert (seen / "argv").read_text().startswith("--of-ours ")
    context = repo / ".aiagent" / "agents" / "dev"
    assert Path((seen / "cwd").read_text().strip()).is_relative_to(os.path.realpath(context))
    assert "You never hurry." in (seen / "CLAUDE.md").read_text()
