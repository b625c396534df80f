"""The real CLIs do what the script says: they edit, commit and call MCP tools, without a key or a network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rehearsal.model_process import ModelProcess, model_process
from rehearsal.real_clients import argv_for, run_client
from repositories import git, make_repository
from toryo.rehearsal.environments import CLIENTS, environment

every_client = pytest.mark.parametrize("client", sorted(CLIENTS))
PROMPT = "Task #7: greet.\n\nAgent ID: haru\nProject ID: p-1\n"
SCRIPT = {
    "model": [
        {
            "when": r"Task #\d+: greet",
            "replies": [
                {"say": "I look first.", "run": "git status --short"},
                {"write": {"path": "notes/hello.txt", "text": "héllo\n'quoted' \"$HOME\"\n"}},
                {"edit": {"path": "README.md", "old": "hello", "new": "good day"}},
                {"commit": "say hello"},
                {"say": "All is said."},
            ],
        }
    ]
}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


def prepared(client: str, model: ModelProcess, tmp_path: Path) -> dict[str, str]:
    return environment(client, model.url, tmp_path / "home")


@every_client
def test_a_client_edits_and_commits_as_the_script_says(client, repo, tmp_path):
    """Where the CLI was started: no line enters another folder first."""
    with model_process(tmp_path, SCRIPT) as model:
        env = prepared(client, model, tmp_path)
        done = run_client(argv_for(client, PROMPT), repo, **env)
        kept = model.requests()
    assert done.returncode == 0, done.stdout + done.stderr
    assert git(repo, "log", "-1", "--format=%s") == "say hello"
    assert git(repo, "show", "HEAD:notes/hello.txt") == "héllo\n'quoted' \"$HOME\""
    assert git(repo, "show", "HEAD:README.md") == "good day"
    assert "All is said." in done.stdout
    lines = [one["line"] for one in kept if not one.get("side", True)]
    assert lines == [1, 2, 3, 4, 5]
    assert all("Task #7: greet" in json.dumps(one["body"]) for one in kept if one.get("line"))


def offer_mcp(client: str, repo: Path, log: Path) -> list[str]:
    """Each CLI is told of the little server in its own way; the arguments to add."""
    argv = [sys.executable, str(Path(__file__).with_name("little_mcp.py")), str(log)]
    command, args = argv[0], argv[1:]
    match client:
        case "claude":
            server: dict[str, Any] = {"type": "stdio", "command": command, "args": args, "alwaysLoad": True}
            (repo / "mcp.json").write_text(json.dumps({"mcpServers": {"orch": server}}))
            return ["--mcp-config", str(repo / "mcp.json"), "--strict-mcp-config"]
        case "codex":
            server_args = json.dumps(args)
            return [
                *("-c", f"mcp_servers.orch.command={json.dumps(command)}"),
                *("-c", f"mcp_servers.orch.args={server_args}"),
            ]
        case "gemini":
            (repo / ".gemini").mkdir()
            server = {"command": command, "args": args, "trust": True}
            (repo / ".gemini" / "settings.json").write_text(json.dumps({"mcpServers": {"orch": server}}))
            return []
    server = {"type": "local", "command": argv, "enabled": True}
    (repo / "opencode.json").write_text(json.dumps({"mcp": {"orch": server}}))
    return []


REPORT = [
    {"call": "authenticate"},
    {"run": "echo '{\"other\": 1}'"},
    {
        "call": {
            "tool": "report_completed",
            "arguments": {"result": "success", "note": {"from": "last.task.note"}},
        }
    },
    {"say": "Reported."},
]
# codex has two ways: plain tools for a model it does not know, and a single tool for JavaScript with its own
WAYS = [("claude", ()), ("codex", ()), ("codex", ("-m", "gpt-6.1-sol")), ("gemini", ()), ("opencode", ())]


@pytest.mark.parametrize(("client", "more"), WAYS, ids=["claude", "codex", "codex-own", "gemini", "opencode"])
def test_a_client_calls_mcp_tools_with_values_of_earlier_results(client, more, repo, tmp_path):
    log = tmp_path / "calls.jsonl"
    more = [*more, *offer_mcp(client, repo, log)]
    with model_process(tmp_path, REPORT) as model:
        done = run_client(argv_for(client, PROMPT, *more), repo, **prepared(client, model, tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert log.exists(), done.stdout + done.stderr
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        {"name": "authenticate", "arguments": {"agent_id": "haru", "project_id": "p-1"}},
        {
            "name": "report_completed",
            "arguments": {"session_token": 'a "token"', "result": "success", "note": "n-7"},
        },
    ]


@pytest.mark.parametrize("client", ["claude", "codex", "gemini"])
def test_a_usage_limit_ends_a_client_at_once_and_not_with_zero(client, repo, tmp_path):
    """OpenCode is not here: it waits for the limit's end by itself."""
    with model_process(tmp_path, [{"limit": {"after_s": 7200}}]) as model:
        done = run_client(argv_for(client, PROMPT), repo, **prepared(client, model, tmp_path))
        asked = [one for one in model.requests() if one.get("verb") == "limit"]
    assert done.returncode != 0
    assert len(asked) == 1


def test_what_a_client_refuses_by_itself_is_refused_in_a_rehearsal_too(repo, tmp_path):
    """Gemini CLI blocks a command with a substitution, whatever mode it is in."""
    with model_process(tmp_path, [{"run": 'touch "$(echo made)"'}, {"say": "Done."}]) as model:
        done = run_client(argv_for("gemini", PROMPT), repo, **prepared("gemini", model, tmp_path))
        told = json.dumps(model.requests()[-1]["body"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "command was blocked" in told
    assert not (repo / "made").exists()


@every_client
def test_nothing_but_the_given_home_is_written_and_no_key_is_one(client, tmp_path):
    env = environment(client, "http://127.0.0.1:9", tmp_path / "home")
    assert env["HOME"] == str(tmp_path / "home")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    written = [path.read_text() for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert any("127.0.0.1:9" in text for text in (*written, *env.values()))
