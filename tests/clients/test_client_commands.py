"""The command line of each agent CLI: full-auto, structured output, and the files made for one run."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from clients.calling import BRIDGE, a_call
from toryo.domain.errors import UserError
from toryo.workbench.clients.registry import AGENT_CLIS, client
from toryo.workbench.terminals.screens import typed_prompt

HUGE = "ä prompt with 'quotes' and {worktree}\n" * 40_000
every_cli = pytest.mark.parametrize("name", [one.name for one in AGENT_CLIS])
TOOLS = (
    "Bash,Edit,Write,NotebookEdit,Read,Glob,Grep,LS,Skill,Task,Agent,TaskStop,TodoWrite,Monitor,ToolSearch,"
    "WebFetch,WebSearch"
)
CODEX = (
    *("--dangerously-bypass-approvals-and-sandbox", "--disable", "plugins", "--disable", "apps"),
    *("--disable", "unbounded_connection_retries"),
    *("-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false"),
)
WORKTREE = "/w t/repo/.worktrees/task-7"


def test_claude_sealed(tmp_path):
    made = client("claude").argv(a_call(tmp_path, context=True))
    settings = tmp_path / "run" / "claude-settings.json"
    assert made.argv == (
        *("claude", "-p", "--output-format", "stream-json", "--verbose", "--settings", str(settings)),
        *("--dangerously-skip-permissions", "--strict-mcp-config"),
    )
    assert (made.stdin, made.cwd) == ("Do it.\n", "context")
    told = json.loads(settings.read_text())
    assert set(told.pop("hooks")) == {"PostToolUse", "SessionStart", "Stop"}
    assert told == {
        "permissions": {"additionalDirectories": [WORKTREE]},
        "skipDangerousModePermissionPrompt": True,
    }
    assert "IS_SANDBOX" not in made.env


def test_claude_connected_resumed_with_a_model(tmp_path):
    made = client("claude").argv(a_call(tmp_path, bridge=BRIDGE, resume="id-1", model="opus"))
    mcp = tmp_path / "run" / "claude-mcp.json"
    assert made.argv[-7:] == (
        *("--strict-mcp-config", "--mcp-config", str(mcp), "--model", "opus", "--resume", "id-1"),
    )
    assert json.loads(mcp.read_text())["mcpServers"]["toryo"] == {
        "type": "stdio",
        "command": BRIDGE[0],
        "args": [*BRIDGE[1:]],
        "alwaysLoad": True,
    }


@pytest.mark.parametrize(("bridge", "tools"), [((), TOOLS), (BRIDGE, f"{TOOLS},mcp__toryo")])
def test_claude_as_root_gets_named_tools_and_never_a_declared_sandbox(tmp_path, bridge, tools):
    made = client("claude").argv(a_call(tmp_path, is_root=True, bridge=bridge))
    at = made.argv.index("--permission-mode")
    assert made.argv[at : at + 4] == ("--permission-mode", "acceptEdits", "--allowedTools", tools)
    assert "--dangerously-skip-permissions" not in made.argv
    assert "IS_SANDBOX" not in made.env


def test_claude_as_root_in_a_sandbox_that_the_user_declared_goes_without_permissions(tmp_path):
    made = client("claude").argv(a_call(tmp_path, is_root=True, env={"IS_SANDBOX": "1"}))
    assert "--dangerously-skip-permissions" in made.argv


def test_codex_sealed_and_connected(tmp_path):
    alone = client("codex").argv(a_call(tmp_path)).argv
    assert alone[: 5 + len(CODEX)] == ("codex", "exec", "--json", "--color", "never", *CODEX)
    assert (alone[5 + len(CODEX) : -1 : 2], alone[-1]) == (("-c",) * 3, "-")
    made = client("codex").argv(a_call(tmp_path, bridge=BRIDGE, resume="id-1", model="gpt"))
    server = made.argv[made.argv.index("gpt") + 1 : made.argv.index("resume")]
    assert made.argv[-3:] == ("resume", "id-1", "-")
    assert tomllib.loads("\n".join(server[1::2]))["mcp_servers"]["toryo"] == {
        "command": BRIDGE[0],
        "args": [*BRIDGE[1:]],
        "required": True,
        "default_tools_approval_mode": "approve",
    }
    assert made.cwd == "worktree"


def test_codex_trusts_our_own_hooks_and_no_others(tmp_path):
    argv = client("codex").argv(a_call(tmp_path)).argv
    assert "--dangerously-bypass-hook-trust" not in argv
    keys = tomllib.loads("\n".join(argv[argv.index("-c") : -1][1::2]))["hooks"]
    trusted = {name: one["trusted_hash"] for name, one in keys.pop("state").items()}
    assert set(trusted) == {f"/<session-flags>/config.toml:{name}:0:0" for name in ("post_tool_use", "stop")}
    assert set(keys) == {"PostToolUse", "Stop"}
    assert all(one.startswith("sha256:") and len(one) == 71 for one in trusted.values())


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "command", "scripted"])
def test_a_client_that_can_be_spoken_to_says_so(tmp_path, name):
    made = client(name).argv(a_call(tmp_path, context=True, command="sh agent.sh"))
    assert made.hears
    spool = {"TORYO_SAID": str(tmp_path / "run" / "said")}
    assert spool.items() <= made.env.items() or (tmp_path / "run" / "hear.sh").exists()


def test_a_client_that_has_no_place_for_hooks_cannot_be_spoken_to(tmp_path):
    assert not client("gemini").argv(a_call(tmp_path)).hears
    assert not client("opencode").argv(a_call(tmp_path, context=True)).hears


def test_gemini_sealed_and_connected(tmp_path):
    made = client("gemini").argv(a_call(tmp_path, context=True, model="gemini-x", resume="id-1"))
    assert made.argv == (
        *("gemini", "--output-format", "stream-json", "--yolo", "--skip-trust"),
        *("--include-directories", WORKTREE, "--allowed-mcp-server-names", "toryo"),
        *("--model", "gemini-x", "--resume", "id-1"),
    )
    settings = tmp_path / "context" / ".gemini" / "settings.json"
    assert "mcpServers" not in json.loads(settings.read_text())
    client("gemini").argv(a_call(tmp_path, context=True, bridge=BRIDGE))
    assert json.loads(settings.read_text())["mcpServers"] == {
        "toryo": {"command": BRIDGE[0], "args": [*BRIDGE[1:]], "trust": True}
    }
    assert made.cwd == "context"


def test_opencode_sealed_and_connected(tmp_path):
    made = client("opencode").argv(a_call(tmp_path, model="a/b", resume="ses_1"))
    assert made.argv == (
        *("opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR"),
        *("--auto", "--model", "a/b", "--session", "ses_1"),
    )
    assert _config(made.env) == {"autoupdate": False, "share": "disabled"}
    config = _config(client("opencode").argv(a_call(tmp_path, bridge=BRIDGE, added="rules")).env)
    assert config["mcp"] == {"toryo": {"type": "local", "command": [*BRIDGE], "enabled": True}}
    assert Path(config["instructions"][0]).read_text() == "rules"


def test_what_the_user_set_for_opencode_is_kept(tmp_path):
    theirs = {"mcp": {"mine": {"type": "local", "command": ["x"]}}, "instructions": ["a.md"]}
    env = {"OPENCODE_CONFIG_CONTENT": json.dumps(theirs)}
    config = _config(client("opencode").argv(a_call(tmp_path, env=env, bridge=BRIDGE, added="rules")).env)
    assert set(config["mcp"]) == {"mine", "toryo"}
    assert config["instructions"][0] == "a.md"
    with pytest.raises(UserError, match="OPENCODE_CONFIG_CONTENT"):
        client("opencode").argv(a_call(tmp_path, env={"OPENCODE_CONFIG_CONTENT": "// not JSON"}))


def _config(env: Any) -> Any:
    return json.loads(env["OPENCODE_CONFIG_CONTENT"])


@every_cli
def test_a_prompt_of_any_size_never_stands_in_the_command_line(tmp_path, name):
    made = client(name).argv(a_call(tmp_path, prompt=HUGE, added="added text " * 20_000, context=True))
    assert made.stdin.endswith(HUGE)
    assert max(len(word) for word in made.argv) < 2_000
    assert not any("quotes" in word or "added text" in word for word in made.argv)
    assert max(len(value) for value in made.env.values()) < 2_000 if made.env else True


@every_cli
@pytest.mark.parametrize("style", ["argv", "interactive"])
def test_files_of_a_run_are_for_this_user_alone(tmp_path, name, style):
    env = {"HOME": str(tmp_path / "no-home"), "ANTHROPIC_API_KEY": "k" * 40}
    call = a_call(tmp_path, bridge=BRIDGE, added="rules", context=True, env=env)
    getattr(client(name), style)(call)
    files = [path for path in (tmp_path).rglob("*") if path.is_file()]
    assert files or name == "codex"
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} <= {0o600}
    assert not (tmp_path / "no-home").exists()


@every_cli
def test_added_text_reaches_the_cli_once(tmp_path, name):
    made = client(name).argv(a_call(tmp_path, added="ADDED"))
    told = [made.stdin, *(path.read_text() for path in (tmp_path / "run").glob("added.md"))]
    assert sum(text.count("ADDED") for text in told) == 1
    assert made.cwd == "worktree"


@every_cli
def test_a_variable_that_the_user_set_is_left_alone(tmp_path, name):
    wanted = dict.fromkeys(client(name).argv(a_call(tmp_path)).env, "mine")
    wanted.pop("OPENCODE_CONFIG_CONTENT", None)
    made = client(name).argv(a_call(tmp_path, env=wanted)).env
    assert not set(wanted) & set(made)


def test_claudes_screen_has_a_folder_of_its_own_where_the_login_is_in_the_environment(tmp_path):
    home = tmp_path / "home"
    (home / ".claude" / "projects").mkdir(parents=True)
    env = {"HOME": str(home), "ANTHROPIC_API_KEY": "secret-" + "x" * 20}
    made = client("claude").interactive(a_call(tmp_path, env=env))
    folder = Path(made.command.env["CLAUDE_CONFIG_DIR"])
    answers = json.loads((folder / ".claude.json").read_text())
    assert answers["projects"]["/w t/repo"] == {"hasTrustDialogAccepted": True}
    assert answers["customApiKeyResponses"]["approved"] == ["x" * 20]
    assert (folder / "projects").resolve() == home / ".claude" / "projects"
    assert "-p" not in made.command.argv
    assert not (home / ".claude.json").exists()


def test_claudes_screen_uses_the_users_folder_where_the_login_lives_there(tmp_path):
    call = a_call(tmp_path)
    with pytest.raises(UserError) as told:
        client("claude").interactive(call)
    assert told.value.hint.startswith("cd '/w t/repo' && claude")
    known = {"hasCompletedOnboarding": True, "projects": {"/w t/repo": {"hasTrustDialogAccepted": True}}}
    (tmp_path / ".claude.json").write_text(json.dumps(known))
    made = client("claude").interactive(call)
    assert "CLAUDE_CONFIG_DIR" not in made.command.env
    settings = json.loads((tmp_path / "run" / "claude-settings.json").read_text())
    asks = {"PermissionRequest", "Notification", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"}
    assert set(settings["hooks"]) == {"Stop", "StopFailure", *asks}
    assert made.asks_file == tmp_path / "run" / "asks.jsonl"
    assert (made.leave, made.done_file) == ("/exit", tmp_path / "run" / "turn-end.jsonl")


@every_cli
def test_added_text_reaches_the_screen_once(tmp_path, name):
    env = {"HOME": str(tmp_path), "ANTHROPIC_AUTH_TOKEN": "t"}
    made = client(name).interactive(a_call(tmp_path, added="ADDED", env=env))
    typed = "Do it." if made.prompt is None else made.prompt
    told = [typed, *(path.read_text() for path in (tmp_path / "run").glob("added.md"))]
    assert sum(text.count("ADDED") for text in told) == 1
    assert "Do it." in typed
    assert not any("ADDED" in word for word in made.command.argv)


def test_codex_screen_trusts_the_folders_and_tells_the_end_of_a_turn(tmp_path):
    made = client("codex").interactive(a_call(tmp_path, resume="id-1"))
    assert made.command.argv[:5] == ("codex", "resume", "id-1", "--no-daemon", "--no-alt-screen")
    keys = tomllib.loads("\n".join(made.command.argv[made.command.argv.index("-c") :][1::2]))
    assert keys["projects"]["/w t/repo"] == {"trust_level": "trusted"}
    assert keys["notify"][-1] == str(made.done_file)


def test_geminis_screen_trusts_the_folders_beside_those_of_the_user(tmp_path):
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "trustedFolders.json").write_text('{"/mine": "TRUST_FOLDER"}')
    made = client("gemini").interactive(a_call(tmp_path, context=True))
    file = Path(made.command.env["GEMINI_CLI_TRUSTED_FOLDERS_PATH"])
    assert set(json.loads(file.read_text())) == {"/mine", WORKTREE, str(tmp_path / "context")}
    settings = json.loads((tmp_path / "context" / ".gemini" / "settings.json").read_text())
    assert str(made.done_file) in settings["hooks"]["AfterAgent"][0]["hooks"][0]["command"]
    assert client("gemini").interactive(a_call(tmp_path)).done_file is None


@pytest.mark.parametrize(
    ("name", "context", "asked"),
    [
        ("claude", True, False),
        ("codex", False, False),
        ("gemini", True, False),
        ("gemini", False, True),
        ("opencode", False, True),
    ],
)
def test_only_a_cli_without_a_hook_for_the_end_of_a_turn_is_asked_to_print_the_marker(
    tmp_path, name, context, asked
):
    call = a_call(tmp_path, context=context, env={"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "none"})
    typed = typed_prompt(client(name).interactive(call), call.prompt)
    assert typed.startswith("Do it.\n")
    assert ("TORYO_TASK_DONE" in typed) is asked
