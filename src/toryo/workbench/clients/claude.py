"""The client `claude`: Claude Code's command lines and settings for one run. Its record: claude_record.py.

Context files (CLAUDE.md, skills) stand in the run's context folder and are found by the CLI itself.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from toryo.domain.advice import INSTALL
from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import claude_home, claude_record
from toryo.workbench.clients.calls import Call, Command, Interactive, Versions
from toryo.workbench.clients.run_files import (
    ASKS,
    TURN_END,
    asks_hook,
    goes_on_hook,
    turn_end_hook,
    unless_set,
    written,
    written_json,
)
from toryo.workbench.runs.hearing import hook_command

SERVER = "toryo"

ALLOWED = (
    "Bash,Edit,Write,NotebookEdit,Read,Glob,Grep,LS,Skill,Task,Agent,TaskStop,TodoWrite,Monitor,ToolSearch,"
    "WebFetch,WebSearch"
)
"""For root, whom the CLI refuses to go without permissions: everything that work in a worktree needs."""

QUIET = {
    # a run stays on the version it began with, and speaks to the model only
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}

ASKING = ("PermissionRequest", "Notification")
GOING_ON = ("PostToolUse", "PostToolUseFailure", "UserPromptSubmit")
"""On its screen: a dialog waits for a person, and the agent goes on after it."""


class ClaudeClient:
    name = "claude"
    program = "claude"
    usage_counts: Literal["run", "conversation"] = "run"
    versions = Versions(argv=("claude", "--version"), tested=("2.1.325",), install=INSTALL["claude"])

    def argv(self, call: Call) -> Command:
        return Command(
            argv=(
                "claude",
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                *self._common(call, _hears(call)),
            ),
            stdin=call.prompt,
            cwd=_cwd(call),
            env=_environment(call),
            hears=True,
        )

    def interactive(self, call: Call) -> Interactive:
        done, asks = call.run_dir / TURN_END, call.run_dir / ASKS
        # StopFailure: the turn ended by an error of the service
        ends = [*_hook(turn_end_hook(done)), *_hook(goes_on_hook(asks))]
        hooks = {"Stop": ends, "StopFailure": ends}
        hooks |= {event: _hook(asks_hook(asks)) for event in ASKING}
        hooks |= {event: _hook(goes_on_hook(asks)) for event in GOING_ON}
        argv = self._common(call, hooks=hooks)
        env = _environment(call) | claude_home.environment(call)
        return Interactive(
            command=Command(argv=("claude", *argv), cwd=_cwd(call), env=env),
            ready=claude_home.READY,
            leave="/exit",
            done_file=done,
            asks_file=asks,
        )

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        return claude_record.read(lines, now)

    def shown(self, line: str) -> str | None:
        return claude_record.shown(line)

    def _common(self, call: Call, hooks: dict[str, Any]) -> tuple[str, ...]:
        # --settings: an untrusted folder's own settings.json is ignored in part, this file is not
        if _cwd(call) == "context":
            hooks = hooks | {"SessionStart": _hook(_enters(call))}
        settings = {
            "permissions": {"additionalDirectories": [str(call.worktree)]},
            "skipDangerousModePermissionPrompt": True,
            **({"hooks": hooks} if hooks else {}),
            **({"claudeMdExcludes": [str(path) for path in call.carried]} if call.carried else {}),
        }
        argv = ["--settings", str(written_json(call, "claude-settings.json", settings))]
        argv += [*self._permissions(call), "--strict-mcp-config"]
        if call.context is not None and call.start_in == "worktree":
            argv += ["--add-dir", str(call.context)]
        if call.bridge:
            # alwaysLoad: else the tools hide behind a search tool and are absent from the first request
            server = {
                "type": "stdio",
                "command": call.bridge[0],
                "args": [*call.bridge[1:]],
                "alwaysLoad": True,
            }
            argv += [
                "--mcp-config",
                str(written_json(call, "claude-mcp.json", {"mcpServers": {SERVER: server}})),
            ]
        if call.added.strip():
            argv += ["--append-system-prompt-file", str(written(call, "added.md", call.added))]
        argv += ["--model", call.model] if call.model else []
        argv += ["--resume", call.resume] if call.resume else []
        return tuple(argv)

    def _permissions(self, call: Call) -> tuple[str, ...]:
        """Root is refused the bypass unless a sandbox is declared, which is the user's to do, never ours."""
        if not call.is_root or call.env.get("IS_SANDBOX") == "1":
            return ("--dangerously-skip-permissions",)
        tools = f"{ALLOWED},mcp__{SERVER}" if call.bridge else ALLOWED
        # a mode always: the CLI's own default asks a classifier of the service
        return ("--permission-mode", "acceptEdits", "--allowedTools", tools)


def _hears(call: Call) -> dict[str, Any]:
    """Words of a person are given to it after a tool call, and instead of the end of its turn."""
    return {
        "PostToolUse": _hook(hook_command(call.run_dir, "PostToolUse")),
        # plain: what comes there as JSON is shown to the model twice
        "Stop": _hook(hook_command(call.run_dir, "Stop", "plain")),
    }


def _hook(line: str) -> list[Any]:
    return [{"hooks": [{"type": "command", "command": line, "timeout": 10}]}]


def _environment(call: Call) -> dict[str, str]:
    found = unless_set(call, QUIET)
    if call.context is not None and call.start_in == "worktree":
        # the agent's CLAUDE.md and skills are read from a folder that is added, as if it were started there
        found["CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"] = "1"
    return found


def _enters(call: Call) -> str:
    """Its shell goes to the worktree before the first command, and stays wherever the agent goes later.
    File tools follow the shell: before its first command they are still in the context directory."""
    here, there = shlex.quote(str(call.context)), shlex.quote(str(call.worktree))
    line = f'if [ "$PWD" = {here} ]; then cd {there}; fi'
    return f'echo {shlex.quote(line)} >> "$CLAUDE_ENV_FILE"'


def _cwd(call: Call) -> Literal["worktree", "context"]:
    return "context" if call.context is not None and call.start_in == "context" else "worktree"
