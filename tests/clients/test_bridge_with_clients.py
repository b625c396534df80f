"""The real CLIs speak with the daemon through the bridge, each in its own MCP, without a passkey."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from called_clients import PROMPT, Scripted, make_run, make_worktree

from fronts.connected_desk import Desk
from toryo.workbench.contexts.environment import bridge_argv
from toryo.workbench.contexts.profiles import SubordinateProfile

STEPS = (
    {"call": "authenticate"},
    {"call": "get_my_task"},
    {"call": {"tool": "report_completed", "arguments": {"result": "success", "summary": "it works"}}},
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Scripted]:
    made = Scripted(tmp_path, *STEPS)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_a_cli_gets_its_task_and_reports_and_the_model_never_sees_the_credential(
    tmp_path, desk, model, client
):
    """S1-41 as resolved: the five steps without the passkey."""
    worktree = make_worktree(tmp_path, {"README.md": "hello\n"})
    bridge = bridge_argv(desk.credential)
    prompt = f"{PROMPT}\n\nAgent ID: cli\nProject ID: {desk.shop.project}\n"
    profile = SubordinateProfile("dev", "Be kind.")
    run = make_run(client, worktree, tmp_path, model, profile, prompt=prompt, bridge=bridge)
    run.ask(model)
    assert desk.claims() == ["it works"], model.requests()[-1][-3000:]
    assert all(desk.token not in request for request in model.requests())
    assert desk.token not in " ".join(run.command.argv)
